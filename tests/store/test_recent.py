"""The cache of what a process has used last."""

from __future__ import annotations

from prunus.store.recent import Recent


def test_the_value_that_was_put_first_goes_first() -> None:
    recent: Recent[str, int] = Recent(2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        recent.put(key, value)
    assert [recent.get(key) for key in "abc"] == [3, None, 4]


def test_a_forgotten_value_is_unknown() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.forget("a")
    recent.forget("never there")
    assert recent.get("a") is None
