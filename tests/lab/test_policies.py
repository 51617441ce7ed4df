import sys

import pytest

from prunus.errors import SettingsError
from prunus.lab.policies import POLICIES, installed, policy_named
from prunus.lab.policy import Pruned
from tests.lab.talk import anthropic


def test_an_unknown_policy_raises_an_error_that_lists_the_policies() -> None:
    with pytest.raises(SettingsError) as failed:
        policy_named("maks:10")
    assert all(name in str(failed.value) for name in POLICIES)


@pytest.mark.parametrize(
    "name", ["none", "auto", "eager", "acp", "smart", "acp@cache", "mask:3", "mask:3:100", "clear:9:3"]
)
def test_a_policy_answers_to_its_name(name: str) -> None:
    assert policy_named(name, "0.1/1.25").name == name


@pytest.mark.parametrize("name", ["none", "eager", "acp", "mask:3:100", "clear:9:3"])
def test_policies_that_ignore_the_price_are_equal_at_every_price(name: str) -> None:
    assert policy_named(name, "0.1/1.25") == policy_named(name, "0.5/1.0")
    assert hash(policy_named(name)) == hash(policy_named(name))


def test_auto_gets_the_price_of_its_requests() -> None:
    policy = policy_named("auto", "0.5/1.0")
    assert isinstance(policy, Pruned)
    [row] = policy.settings().prices
    assert (row.model, row.read, row.write) == ("*", 0.5, 1.0)
    assert policy != policy_named("auto", "0.1/1.25")


def test_a_preset_can_be_replayed_with_any_schedule() -> None:
    policy = policy_named("acp@pressure")
    assert isinstance(policy, Pruned)
    settings = policy.settings()
    assert (settings.base, settings.schedule) == ("acp", "pressure")


def test_eager_prunes_at_once() -> None:
    old = ("Read", {"file_path": "/srv/a.py"}, "old text of the file\n" * 60)
    new = ("Write", {"file_path": "/srv/a.py", "content": "new text\n" * 60}, "The file has been updated.")
    steps = [old, new, *[("Bash", {"command": f"make step{n}"}, f"made {n}") for n in range(6)]]
    talk = anthropic(steps)
    send = policy_named("eager").start()
    bodies = [send(talk.body(request), None) for request in range(len(talk.requests))]
    assert "old text" in str(bodies[1])
    assert "old text" not in str(bodies[-1])


@pytest.mark.parametrize(("name", "module"), [("langchain", "langchain"), ("openai-agents", "agents")])
def test_a_peer_that_is_not_installed_is_left_out_with_a_reason(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [m for m in sys.modules if m == module or m.startswith(f"{module}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    able, (reason,) = installed(["mask:10", name])
    assert able == ("mask:10",)
    assert name in reason
    assert "not installed" in reason


def test_installed_refuses_unknown_names() -> None:
    with pytest.raises(SettingsError):
        installed(["none", "nothing"])
