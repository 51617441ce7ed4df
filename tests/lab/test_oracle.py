import pytest

from prunus.clients.sessions import Session
from prunus.lab.bounds import Oracle
from prunus.lab.cost import cost
from prunus.lab.policies import policy_named
from prunus.lab.policy import Policy
from prunus.lab.replay import Reader, Replay, replay
from prunus.lab.retention import Needs, retention
from prunus.providers import provider_named
from tests.lab.talk import Step, anthropic, reads


def edits(files: int) -> list[Step]:
    """Files that are read, and much later edited."""
    changed = [
        ("Edit", {"file_path": f"/srv/app/part{n}.py", "old_string": f"value_{n}_7 = 7", "new_string": "x"}, "ok")
        for n in range(files)
    ]
    return [*reads(files), *(("Bash", {"command": f"make {n}"}, "made\n" * 200) for n in range(20)), *changed]


def asked(session: Session, name: str, prices: str) -> tuple[Replay, Replay, Oracle, Needs]:
    reader = Reader(provider_named(session.format))
    needs = Needs(session, reader)
    policy = policy_named(name, prices)
    assert isinstance(policy, Oracle)

    def online(other: Policy) -> Replay:
        return replay(session, other, reader)

    found = policy.replay(session, reader, needs, online)
    whole = policy_named("none")
    assert not isinstance(whole, Oracle)
    return replay(session, whole, reader), found, policy, needs


@pytest.mark.parametrize("name", ["oracle", "oracle:all"])
@pytest.mark.parametrize("prices", ["0.1/1.25", "0.5/1.0"])
def test_the_oracle_loses_nothing_and_costs_less(name: str, prices: str) -> None:
    whole, found, policy, needs = asked(anthropic(edits(6)), name, prices)
    kept = retention(needs, found)
    assert kept.lines > 0
    assert (kept.lines, kept.files, kept.soft) == (kept.lines_kept, kept.files_kept, kept.soft_kept)
    assert cost(found, policy.price).cost < cost(whole, policy.price).cost
    assert cost(found, policy.price).invalid == 0


def test_a_result_that_is_used_later_stays_until_then() -> None:
    _, found, _, _ = asked(anthropic(edits(1)), "oracle", "0.5/1.0")
    shown = ["value_0_7" in str(one.sheets[2]) for one in found.requests[1:]]
    assert shown[20] is True
    assert shown[-1] is False


def test_only_oracle_all_drops_inputs() -> None:
    steps: list[Step] = [
        ("Write", {"path": f"/srv/{n}.txt", "content": "long text\n" * 300}, "ok") for n in range(9)
    ]
    _, results, policy, _ = asked(anthropic(steps), "oracle", "0.5/1.0")
    _, everything, _, _ = asked(anthropic(steps), "oracle:all", "0.5/1.0")
    assert cost(everything, policy.price).cost < 0.5 * cost(results, policy.price).cost
