"""How likely a part is used again: what the model says in words holds for its numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, get_args

import pytest

from prunus.reuse.likelihood import KINDS, PartKind, is_document, reuse_probability

every_kind = pytest.mark.parametrize("kind", get_args(PartKind))


@every_kind
def test_the_reuse_probability_is_between_zero_and_one(kind: PartKind) -> None:
    assert 0 < reuse_probability(kind, 10**9, 0, 0) < 1
    assert 0 < reuse_probability(kind, 0, 10**6, 10**6) < 0.1


@every_kind
def test_the_reuse_probability_falls_with_every_idle_turn_up_to_sixty(kind: PartKind) -> None:
    falling = [reuse_probability(kind, 500, idle, 0) for idle in (0, 1, 5, 20, 60)]
    assert all(one > other for one, other in pairwise(falling))
    assert reuse_probability(kind, 500, 60, 0) == reuse_probability(kind, 500, 600, 0)


@every_kind
def test_the_reuse_probability_falls_with_every_task_up_to_eight(kind: PartKind) -> None:
    falling = [reuse_probability(kind, 500, 4, tasks) for tasks in range(9)]
    assert all(one > other for one, other in pairwise(falling))
    assert reuse_probability(kind, 500, 4, 8) == reuse_probability(kind, 500, 4, 80)


@every_kind
def test_a_larger_part_is_likelier_but_not_for_each_token(kind: PartKind) -> None:
    one, two = reuse_probability(kind, 500, 4, 1), reuse_probability(kind, 1000, 4, 1)
    assert one < two < 2 * one


@every_kind
@pytest.mark.parametrize("fact", ["document", "reads", "failed"])
def test_each_fact_lowers_the_reuse_probability(kind: PartKind, fact: str) -> None:
    facts: dict[str, Any] = {fact: True}
    assert reuse_probability(kind, 500, 4, 0, **facts) < reuse_probability(kind, 500, 4, 0)


def test_a_read_after_the_first_change_of_its_task_is_less_likely() -> None:
    late = reuse_probability("read", 500, 4, 0, late=True)
    assert late < 0.5 * reuse_probability("read", 500, 4, 0)
    assert reuse_probability("read", 500, 4, 1, late=True) == reuse_probability("read", 500, 4, 1)


def test_a_read_that_led_to_no_edit_is_likeliest_while_its_task_goes_on() -> None:
    now = {kind: reuse_probability(kind, 500, 4, 0) for kind in KINDS}
    assert max(now, key=lambda kind: now[kind]) == "read"
    assert now["read"] > 2 * now["edited read"]


def test_a_new_task_lowers_the_reuse_probability_of_reads_most() -> None:
    fall = {kind: reuse_probability(kind, 500, 4, 1) / reuse_probability(kind, 500, 4, 0) for kind in KINDS}
    assert min(fall, key=lambda kind: fall[kind]) == "read"


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("a/README.md", True),
        ("x.JSON", True),
        ("poetry.lock", True),
        ("a.py", False),
        ("Makefile", False),
        ("", False),
    ],
)
def test_prose_data_and_settings_are_documents(path: str, document: bool) -> None:
    assert is_document(path) is document
