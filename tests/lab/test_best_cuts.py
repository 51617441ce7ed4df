import itertools
import random

import pytest

from prunus.lab.best_cuts import Foresight, best_cuts

PRICES = [(0.1, 1.25), (0.025, 1.25), (0.5, 1.0), (0.02, 1.0)]


def priced(line: Foresight, cuts: tuple[int, ...], read: float, write: float) -> float:
    """Return the cost of a schedule, computed request by request in the simplest way."""
    force: dict[int, int] = {}
    paid = 0.0
    for request, cut in enumerate(cuts):
        here = [message for message, birth in enumerate(line.births) if birth <= request]
        first = len(here)
        for message in here:
            gain = line.gains[message][request]
            new = line.births[message] == request
            if message >= cut:
                if not new and force[message] != gain:
                    first = min(first, message)
                force[message] = gain
            force.setdefault(message, 0)
            if new:
                first = min(first, message)
        for message in here:
            cached = message < first and line.warm[request]
            paid += (line.sizes[message] - force[message]) * (read if cached else write)
    return paid


def invented(seed: int, messages: int = 5, requests: int = 6) -> Foresight:
    rng = random.Random(seed)
    births = sorted(rng.randrange(requests) for _ in range(messages - 1))
    births = [0, *births]
    sizes = [rng.choice((20, 100, 400)) for _ in births]
    gains = []
    for birth, size in zip(births, sizes, strict=True):
        gain = 0
        grown = []
        for request in range(requests):
            if request >= birth and rng.random() < 0.3:
                gain = rng.randint(gain, size)
            grown.append(gain)
        gains.append(grown)
    warm = (False, *(rng.random() < 0.9 for _ in range(requests - 1)))
    return Foresight(tuple(sizes), tuple(births), tuple(gains), warm)


@pytest.mark.parametrize("seed", range(40))
def test_no_other_schedule_is_cheaper(seed: int) -> None:
    line = invented(seed)
    read, write = PRICES[seed % len(PRICES)]
    found = priced(line, best_cuts(line, read, write), read, write)
    starts = [sum(birth < request for birth in line.births) for request in range(len(line.warm))]
    every = itertools.product(*(range(start + 1) for start in starts))
    assert found == pytest.approx(min(priced(line, cuts, read, write) for cuts in every))


def test_a_new_message_is_cut_before_its_first_send() -> None:
    line = Foresight((100, 500), (0, 1), ([0, 0, 0], [0, 400, 400]), (False, True, True))
    assert best_cuts(line, 0.1, 1.25) == (0, 1, 2)


def test_a_small_gain_before_a_long_tail_waits() -> None:
    line = Foresight((100, 5000), (0, 1), ([0, 0, 50, 50], [0] * 4), (False, True, True, True))
    assert best_cuts(line, 0.1, 1.25) == (0, 1, 2, 2)


def test_a_flush_waits_for_an_edit_that_comes_soon() -> None:
    early, later = [0] * 2 + [900] * 59, [0] * 3 + [900] * 58
    line = Foresight((1000, 1000, 10), (0, 1, 2), (early, later, [0] * 61), (False, *[True] * 60))
    cuts = best_cuts(line, 0.1, 1.25)
    assert cuts[2] >= 2
    assert cuts[3] == 0


def test_a_flush_is_free_when_the_cache_is_cold() -> None:
    line = Foresight((100, 5000), (0, 1), ([0, 0, 50, 50, 50], [0] * 5), (False, True, True, False, True))
    assert best_cuts(line, 0.1, 1.25)[3] == 0
