"""The size of a large Postgres store is measured only now and then."""

from __future__ import annotations

from prunus.store.postgres.schema import ContentSize


class Measured:
    """A store of some size, and a clock that goes on while it is measured."""

    def __init__(self, seconds: float) -> None:
        self.time, self.size, self.seconds, self.times = 0.0, 1_000, seconds, 0

    def measure(self) -> int:
        self.times += 1
        self.time += self.seconds
        return self.size


def test_a_small_store_is_measured_each_time() -> None:
    store = Measured(0.01)
    size = ContentSize(store.measure, lambda: store.time)
    assert size.after(0) == 1_000
    store.size = 700
    assert size.after(300) == 700
    assert store.times == 2


def test_a_large_store_is_not_measured_again_soon_and_removed_bytes_are_taken_off() -> None:
    store = Measured(2.0)
    size = ContentSize(store.measure, lambda: store.time)
    assert [size.after(0), size.after(100), size.after(200)] == [1_000, 900, 700]
    assert store.times == 1
    store.time += 1_000.0
    assert size.after(0) == 1_000
    assert store.times == 2
