"""Chains: what an answer could point to, however many answers share it."""

from __future__ import annotations

from itertools import pairwise

from prunus.engine.chains import Chains
from prunus.history import Ref

A, B, C, D, E, OTHER = (Ref(message, 0) for message in range(6))


def linked(*links: tuple[Ref, Ref]) -> Chains:
    chains = Chains()
    for target, shows in links:
        chains.link(target, shows)
    return chains


def test_an_answer_could_point_to_all_before_it_the_oldest_first() -> None:
    chains = linked((B, A), (C, B), (D, C))
    assert [list(chains.of(one)) for one in (A, B, C, D)] == [[], [A], [A, B], [A, B, C]]


def test_two_that_point_to_the_same_part_do_not_point_to_each_other() -> None:
    chains = linked((B, A), (C, A), (D, B), (E, C))
    assert list(chains.of(D)) == [A, B] and list(chains.of(E)) == [A, C]
    assert not chains.holds(E, B) and not chains.holds(C, B)


def test_what_is_pointed_to_does_not_point_itself() -> None:
    chains = linked((B, A))
    assert chains.linked(B) and not chains.linked(A) and not chains.linked(OTHER)


def test_only_what_comes_before_is_held() -> None:
    chains = linked((B, A), (C, B))
    assert chains.holds(C, A) and chains.holds(C, B)
    assert not chains.holds(B, C) and not chains.holds(B, B) and not chains.holds(C, OTHER)


def test_the_first_link_of_an_answer_counts() -> None:
    assert list(linked((C, B), (C, A)).of(C)) == [B]


def test_an_answer_rests_on_the_first_hundred_and_on_the_one_it_was_linked_to() -> None:
    answers = [Ref(message, 0) for message in range(150)]
    chains = linked(*((target, shows) for shows, target in pairwise(answers)))
    assert list(chains.of(answers[149])) == answers[:100]
    assert chains.holds(answers[149], answers[148]) and chains.holds(answers[149], answers[0])
    assert not chains.holds(answers[149], answers[120])
