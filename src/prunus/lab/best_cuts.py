"""Compute the cheapest cuts for a conversation whose future is known. The result is exact.

At each request a schedule may make all pending edits from some message on: the cut. Let F_i be the set of requests
whose cut is at message i or before it. Then F_i contains F_h for every earlier message h. The cost of message i
depends on F_i alone: it is a sum over the stretches between two neighbouring elements of F_i. In a stretch (s, t)
the message is sent without the content that was prunable at s. At s, if the cache is warm, the whole message is
written to the cache again. So define

    W(i, s, t) = the least cost of message i and all later messages from s to t, if both s and t cut all of them

Then W(i, s, t) = min over s = k0 < k1 < ... < t of the sum of cost_i(k, k') + W(i + 1, k, k'). This is a shortest
path through the requests, for each message from the last to the first. The result is the optimum over all schedules
of this kind. The unit is the message, not the part, and pointers count like any other edit.

Two facts make the search fast without losing the optimum. First, a flush is useless if it would not pay even if its
savings lasted to the end, counted for the messages between its cut and any later message. Second, if nothing
changed behind the cut of a flush since the request before, the flush would have been cheaper at that request.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise


@dataclass(frozen=True, slots=True)
class Foresight:
    """The future of a conversation, as the search needs it."""

    sizes: tuple[int, ...]
    """The tokens of each message."""
    births: tuple[int, ...]
    """The first request that contains each message, in ascending order."""
    gains: tuple[Sequence[int], ...]
    """The prunable tokens of each message at each request."""
    warm: tuple[bool, ...]
    """Whether the cache is warm at each request."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A message with edits after its first send, and the messages up to the next such message."""

    message: int
    birth: int
    left: Sequence[int]
    """The message's tokens after a flush, for each request from its birth on."""
    most: Sequence[int]
    """The maximum of `left` up to each request."""
    beside: Sequence[int]
    """The tokens of the block's other messages that were sent before, for each request from its birth on."""


def best_cuts(timeline: Foresight, read: float, write: float) -> tuple[int, ...]:
    """Return the message to cut at for each request; the first new message means that no sent message changes."""
    starts = _starts(timeline)
    blocks = _blocks(timeline)
    cuts = list(starts)
    if blocks:
        search = _Search(timeline.warm, blocks, read, write)
        for request, block in search.flushes().items():
            cuts[request] = min(cuts[request], blocks[block].message)
    for request, warm in enumerate(timeline.warm):
        if not warm:
            cuts[request] = 0
    return tuple(cuts)


def _starts(timeline: Foresight) -> list[int]:
    """Return the first new message of each request."""
    return [bisect_left(timeline.births, request) for request in range(len(timeline.warm))]


def _blocks(timeline: Foresight) -> list[_Block]:
    end = len(timeline.warm)
    late = [
        message
        for message, (birth, gains) in enumerate(zip(timeline.births, timeline.gains, strict=True))
        if any(now != before for before, now in pairwise(gains[birth:]))
    ]
    blocks = []
    for message, following in pairwise([*late, len(timeline.sizes)]):
        birth = timeline.births[message]
        left = [timeline.sizes[message] - gain for gain in timeline.gains[message][birth:]]
        beside = [0] * (end - birth)
        for other in range(message + 1, following):
            since = timeline.births[other]
            if since < end:
                size = timeline.sizes[other] - timeline.gains[other][since]
                for request in range(since + 1, end):
                    beside[request - birth] += size
        blocks.append(_Block(message, birth, left, list(accumulate(left, max)), beside))
    return blocks


class _Search:
    def __init__(self, warm: Sequence[bool], blocks: Sequence[_Block], read: float, write: float) -> None:
        self.end = len(warm)
        self.blocks = blocks
        self.again = write - read
        self.warm = warm
        self.prices = [0.0, *accumulate(read if one else write for one in warm)]
        """For each request, the price of a token that all earlier requests contain."""
        self.useful = self._useful()
        times: set[int] = set()
        self.times: list[list[int]] = []
        """For each block, the requests that may cut at the block or before it, from its birth to the end."""
        for block, useful in zip(blocks, self.useful, strict=True):
            times.update(useful)
            later = sorted(time for time in times if time > block.birth)
            self.times.append([block.birth, *later, self.end])
        self.least: list[dict[int, array[float]]] = [{} for _ in blocks]

    def _useful(self) -> list[list[int]]:
        """Return for each block the requests that may cut exactly at the block."""
        useful: list[list[int]] = [[] for _ in self.blocks]
        for request in range(1, self.end):
            ahead = self.prices[self.end] - self.prices[request]
            again = self.again if self.warm[request] else 0.0
            changed = False
            gain = 0.0
            # From the newest block back: the best possible gain of a cut here beyond the best later cut.
            for index in range(len(self.blocks) - 1, -1, -1):
                block = self.blocks[index]
                at = request - block.birth
                if at <= 0:
                    continue
                left = block.left[at]
                changed = changed or left != block.left[at - 1]
                gain += (block.most[at - 1] - left) * ahead - again * (left + block.beside[at])
                if gain > 0.0:
                    if changed or not again:
                        useful[index].append(request)
                    gain = 0.0
        return useful

    def flushes(self) -> dict[int, int]:
        """Return the requests that change sent messages, each with the block of its cut."""
        for index in range(len(self.blocks) - 1, -1, -1):
            self._solve(index)
        found: dict[int, int] = {}
        stretches = [(self.blocks[0].birth, self.end)]
        for index, block in enumerate(self.blocks):
            inner: list[tuple[int, int]] = []
            for start, end in stretches:
                since = max(start, block.birth)
                if since >= end:
                    continue
                path = self._path(index, since, end)
                for request in path[1:-1]:
                    found.setdefault(request, index)
                inner += pairwise(path)
            stretches = inner
        return found

    def _solve(self, index: int) -> None:
        """Compute the least cost of this block and all later blocks, between any two of the block's requests."""
        times, least = self.times[index], self.least[index]
        block = self.blocks[index]
        stops = [(stop, self._needed(block, stop)) for stop in self.useful[index]]
        for place in range(len(times) - 2, -1, -1):
            start = times[place]
            row = self._direct(index, start)
            left = block.left[start - block.birth]
            for stop, needed in stops:
                if stop > start and left > needed:
                    at = bisect_left(times, stop)
                    first = row[at - place - 1]
                    behind = least[stop]
                    skip = at - place
                    row[skip:] = [
                        one if one < first + other else first + other
                        for one, other in zip(row[skip:], behind, strict=True)
                    ]
            least[start] = array("d", row)

    def _needed(self, block: _Block, stop: int) -> float:
        """Return the tokens that the block must have before `stop`, so that a cut at the block pays by the end.

        Gains of later blocks do not count, because a cut at a later block would reach them too.
        """
        at = stop - block.birth
        again = self.again * (block.left[at] + block.beside[at]) if self.warm[stop] else 0.0
        return block.left[at] + again / (self.prices[self.end] - self.prices[stop])

    def _direct(self, index: int, start: int) -> list[float]:
        """Return the costs from `start` to each later request, without a cut at this block in between."""
        block, prices = self.blocks[index], self.prices
        at = start - block.birth
        left = block.left[at]
        fixed = self.again * (left + block.beside[at]) if at and self.warm[start] else 0.0
        fixed -= left * prices[start]
        times = self.times[index]
        ends = times[bisect_left(times, start) + 1 :]
        if index + 1 == len(self.blocks):
            return [fixed + left * prices[end] for end in ends]
        birth = self.blocks[index + 1].birth
        since = max(start, birth)
        behind = self.least[index + 1]
        inner = self.times[index + 1]
        row = [fixed + left * prices[end] for end in ends if end <= since]
        later = ends[len(row) :]
        if not later:
            return row
        costs = behind[since]
        offset = bisect_left(inner, since) + 1
        if len(inner) - offset == len(later):
            return row + [fixed + left * prices[end] + cost for end, cost in zip(later, costs, strict=True)]
        places = {end: place for place, end in enumerate(inner[offset:])}
        return row + [fixed + left * prices[end] + costs[places[end]] for end in later]

    def _path(self, index: int, start: int, end: int) -> list[int]:
        """Return the requests on the cheapest path from `start` to `end`, including both."""
        times, least = self.times[index], self.least[index]
        path = [start]
        while path[-1] != end:
            at = path[-1]
            place = bisect_left(times, at)
            direct = self._direct(index, at)
            best, cost = end, direct[bisect_left(times, end) - place - 1]
            for stop in self.useful[index]:
                if at < stop < end:
                    stop_place = bisect_left(times, stop)
                    through = direct[stop_place - place - 1] + least[stop][bisect_left(times, end) - stop_place - 1]
                    if through < cost - 1e-9:
                        best, cost = stop, through
            path.append(best)
        return path
