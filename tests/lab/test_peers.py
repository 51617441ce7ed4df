import warnings
from typing import Any

import pytest

from prunus.clients.sessions import Session
from prunus.lab.peers import LangChain, missing
from prunus.lab.policies import policy_named
from tests.lab.talk import anthropic, chat, reads, session


@pytest.fixture(autouse=True)
def _peers() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if missing("langchain") or missing("openai-agents"):
            pytest.skip("the peers are not installed; make bench installs them")


def last(talk: Session, policy: Any) -> Any:
    send = policy.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for request in range(len(talk.requests)):
            body = send(talk.body(request), None)
    return body


@pytest.mark.parametrize("make", [anthropic, chat])
def test_langchain_clears_all_but_the_newest_past_its_trigger(make: Any) -> None:
    talk = make(reads(6))
    assert str(last(talk, LangChain(trigger=500, keep=2))).count("[cleared]") == 4
    assert str(last(talk, LangChain(trigger=50_000, keep=2))).count("[cleared]") == 0


def test_langchain_clears_parallel_calls_of_the_responses_api() -> None:
    items: list[dict[str, Any]] = [{"role": "user", "content": "Go"}]
    items += [{"type": "function_call", "call_id": c, "name": "read", "arguments": "{}"} for c in "abc"]
    items += [{"type": "function_call_output", "call_id": c, "output": "word " * 500} for c in "abc"]
    talk = session("openai_responses", items, [1, len(items)])
    assert str(last(talk, LangChain(trigger=500, keep=1))).count("[cleared]") == 2


def test_openai_agents_trims_results_before_the_last_two_user_messages() -> None:
    talk = anthropic(reads(2))
    more = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    messages = [*talk.messages, *more, *more]
    body = last(session("anthropic_messages", messages, [len(messages)]), policy_named("openai-agents"))
    assert str(body).count("[Trimmed: Read output") == 2
    assert "value_1_0" in str(body)
    assert "value_1_39" not in str(body)


def test_openai_agents_leaves_recent_results() -> None:
    talk = anthropic(reads(4))
    assert last(talk, policy_named("openai-agents")) == talk.body()
