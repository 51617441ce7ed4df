"""The cheapest cuts for a conversation whose future is known, exactly.

At each request a schedule may make all pending edits from some message on. Say F_i are the requests at which the
cut lay at message i or before it: then F_i holds F_h for every earlier h, and what message i costs depends on F_i
alone, as a sum over the stretches between two of its elements. In a stretch (s, t) it is sent without what was
found by s, and at s, if the cache was warm, all of it is written again. So with

    W(i, s, t) = the least that message i and those behind it cost from s up to t, if all of them are cut at both

the first message has W(i, s, t) = min over s = k0 < k1 < ... < t of the sum of cost_i(k, k') + W(i + 1, k, k'):
a shortest path through the requests, for each message, from the last to the first. The result is the optimum over
all schedules of this kind; messages, not parts, are the unit, and pointers count as any other edit.

Two facts make it quick without losing the optimum. A flush that cannot pay even if what it saves were saved to the
end, for the messages between its cut and any later one, is none. And a flush before which nothing changed behind
its cut would have been cheaper one request earlier.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

Steps = tuple[tuple[int, int], ...]
"""From which request on how many tokens would go; before the first, none."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """What a clairvoyant knows of a conversation."""

    sizes: tuple[int, ...]
    """The tokens of each message."""
    births: tuple[int, ...]
    """The request that each message was first part of; grows with the messages."""
    gains: tuple[Steps, ...]
    """What could go of each message, from which request on."""
    warm: tuple[bool, ...]
    """For each request whether the cache still lives."""


def steps(gains: Sequence[int]) -> Steps:
    """What could go at each request, as the requests at which that changes."""
    changes = zip(gains, [0, *gains], strict=False)
    return tuple((request, now) for request, (now, before) in enumerate(changes) if now != before)


@dataclass(frozen=True, slots=True)
class _Block:
    """A message whose edits come after it was sent, with the messages up to the next such one."""

    message: int
    birth: int
    left: Sequence[int]
    """Its tokens after a flush, for each request from its birth on."""
    most: Sequence[int]
    """The most it could have been up to each request."""
    beside: Sequence[int]
    """The tokens of the messages behind it that were sent before, for each request from its birth on."""


def best_cuts(timeline: Foresight, read: float, write: float) -> tuple[int, ...]:
    """The message to cut at, for each request; that of the first new message where nothing sent changes."""
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
    """The first new message of each request."""
    return [bisect_left(timeline.births, request) for request in range(len(timeline.warm))]


def _blocks(timeline: Foresight) -> list[_Block]:
    end = len(timeline.warm)
    late = [
        message
        for message, changes in enumerate(timeline.gains)
        if timeline.births[message] < end and any(request > timeline.births[message] for request, _ in changes)
    ]
    blocks = []
    for message, following in pairwise([*late, len(timeline.sizes)]):
        birth = timeline.births[message]
        left = [timeline.sizes[message] - gain for gain in _by_request(timeline.gains[message], birth, end)]
        beside = [0] * (end - birth)
        for other in range(message + 1, following):
            since = timeline.births[other]
            if since < end:
                size = timeline.sizes[other] - _by_request(timeline.gains[other], since, end)[0]
                for request in range(since + 1, end):
                    beside[request - birth] += size
        blocks.append(_Block(message, birth, left, list(accumulate(left, max)), beside))
    return blocks


def _by_request(changes: Steps, birth: int, end: int) -> list[int]:
    gains = []
    at = gain = 0
    for request in range(birth, end):
        while at < len(changes) and changes[at][0] <= request:
            gain = changes[at][1]
            at += 1
        gains.append(gain)
    return gains


class _Search:
    def __init__(self, warm: Sequence[bool], blocks: Sequence[_Block], read: float, write: float) -> None:
        self.end = len(warm)
        self.blocks = blocks
        self.again = write - read
        self.warm = warm
        self.prices = [0.0, *accumulate(read if one else write for one in warm)]
        """The price of a token that is sent in all requests before one."""
        self.useful = self._useful()
        times: set[int] = set()
        self.times: list[list[int]] = []
        """The requests at which a cut may lie at a block or before it, its birth first, the end last."""
        for block, useful in zip(blocks, self.useful, strict=True):
            times.update(useful)
            later = sorted(time for time in times if time > block.birth)
            self.times.append([block.birth, *later, self.end])
        self.least: list[dict[int, array[float]]] = [{} for _ in blocks]

    def _useful(self) -> list[list[int]]:
        """For each block the requests at which the cut may lie exactly there."""
        useful: list[list[int]] = [[] for _ in self.blocks]
        for request in range(1, self.end):
            ahead = self.prices[self.end] - self.prices[request]
            again = self.again if self.warm[request] else 0.0
            changed = False
            gain = 0.0
            # From the newest block on: what a cut there is worth at best, beyond that of the best cut behind it.
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
        """The requests at which something that was sent changes, and the block of the cut."""
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
        """The least costs from this block on, between any two requests of its."""
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
        """The tokens that a block has to have before a cut exactly there, for the cut to pay by the end.

        What is behind gains nothing by it: for that the cut could as well lie there.
        """
        at = stop - block.birth
        again = self.again * (block.left[at] + block.beside[at]) if self.warm[stop] else 0.0
        return block.left[at] + again / (self.prices[self.end] - self.prices[stop])

    def _direct(self, index: int, start: int) -> list[float]:
        """Costs from `start` to each later request with no cut exactly here between them."""
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
        """The requests of the best path from one to another, both included."""
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
