"""Several sorted sources as one."""

import heapq


def merge(sources):
    """Pairs of all sources in order; of equal keys that of the first source, which is the newest."""
    heap = []
    for rank, source in enumerate(sources):
        iterator = iter(source)
        first = next(iterator, None)
        if first is not None:
            heap.append((first[0], rank, first[1], iterator))
    heapq.heapify(heap)
    last = None
    while heap:
        key, rank, value, iterator = heapq.heappop(heap)
        following = next(iterator, None)
        if following is not None:
            heapq.heappush(heap, (following[0], rank, following[1], iterator))
        if key != last:
            yield key, value
            last = key if value is not None else last


def without_marks(pairs):
    """Pairs that are not marks of deletion."""
    return ((key, value) for key, value in pairs if value is not None)
