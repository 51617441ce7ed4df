from collections.abc import Sequence

import pytest

from prunus.clients.sessions import Session
from prunus.lab.best_cuts import Foresight
from prunus.lab.bounds import Clairvoyant, births, foreseen
from prunus.lab.cost import cost, price_row
from prunus.lab.policies import policy_named
from prunus.lab.policy import Policy
from prunus.lab.replay import Reader, Replay, replay
from prunus.lab.retention import Needs
from prunus.providers import provider_named
from tests.lab.talk import Step, anthropic, chat, reads

PRICES = ("0.1/1.25", "0.5/1.0", "0.02/1.0")


def rewritten(files: int, after: int) -> list[Step]:
    """Files that are read and then written as a whole, and then other work."""
    steps: list[Step] = []
    for tool, given, answer in reads(files, lines=120):
        written = {"file_path": given["file_path"], "content": "all new\n" * 30}
        steps += [(tool, given, answer), ("Write", written, "The file has been updated.")]
    return [*steps, *(("Bash", {"command": f"make part{n}"}, f"made part {n}\n" * 30) for n in range(after))]


def both(session: Session, prices: str, name: str = "clairvoyant") -> tuple[Replay, Replay, Clairvoyant]:
    reader = Reader(provider_named(session.format))
    policy = policy_named(name, prices)
    assert isinstance(policy, Clairvoyant)

    def online(asked: Policy) -> Replay:
        return replay(session, asked, reader)

    knowing = policy.replay(session, reader, Needs(session, reader), online)
    return online(policy.knowing_less), knowing, policy


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("name", ["clairvoyant", "acp@clairvoyant"])
def test_knowing_the_future_never_costs_more(prices: str, name: str) -> None:
    for session in (anthropic(rewritten(8, 30)), chat(rewritten(3, 6))):
        online, knowing, policy = both(session, prices, name)
        assert cost(knowing, policy.price).cost <= cost(online, policy.price).cost


def test_the_clairvoyant_makes_no_edit_just_before_the_end() -> None:
    session = anthropic(rewritten(8, 4))
    _, knowing, policy = both(session, "0.02/1.0")
    assert not [one for one in knowing.requests[-3:] if one.broken > 0]
    assert cost(knowing, policy.price).undeclared == 0


def test_foreseen_gains_do_not_depend_on_the_price() -> None:
    session = anthropic(rewritten(4, 10))
    reader = Reader(provider_named(session.format))

    def line(prices: str) -> Foresight:
        policy = policy_named("clairvoyant", prices)
        assert isinstance(policy, Clairvoyant)
        return foreseen(session, reader, policy.knowing_less, price_row(prices))

    lines = [line(prices) for prices in PRICES]
    assert lines[0] == lines[1] == lines[2]
    assert any(map(any, lines[0].gains))
    for born, gains in zip(lines[0].births, lines[0].gains, strict=True):
        assert not any(gains[:born])


def test_births_are_the_first_requests_that_contain_each_message() -> None:
    def born(requests: Sequence[int], messages: int) -> tuple[int, ...]:
        return births(Session("s", "a", "anthropic_messages", "", ({},) * messages, tuple(requests), ()))

    assert born((1, 3, 5), 6) == (0, 1, 1, 2, 2, 3)
