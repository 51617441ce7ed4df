"""Replicas: whoever answers a request of a shared conversation sends the bytes that one process would send."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import Outcome, Pruner, Settings
from prunus.conversations.memory import Memory
from prunus.reuse.asked_again import Experience, Tried
from tests.conversations.test_memory import Shelf
from tests.laws.cases import fewer

TURNS: Final = 18
PRICES: Final = {
    "the model's own": {},
    "dear reads": {"prices": [{"model": "*", "read": 0.5, "write": 1.0, "ttl": 300}]},
}
TOP: Final = {
    "model": "claude-sonnet-4-5",
    "system": "Be brief. " * 300,
    "tools": [{"name": name, "input_schema": {}} for name in ("Read", "Bash", "Edit")],
}


def talk(seed: int) -> list[bytes]:
    """The requests of a conversation: reads, edits, test runs, and a word of the user now and then.

    All of them begin with the same message, as the runs of a script do.
    """
    rng, versions = Random(seed), [0] * 4
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    requests = [messages]
    for turn in range(1, TURNS):
        file = rng.randrange(4)
        line = f"def part_{file}_17_{versions[file]}(): pass"
        match rng.choice(("Read", "Read", "Edit", "Bash", "Bash")):
            case "Read":
                tool, given = "Read", {"file_path": f"/src/f{file}.py"}
                rows = (
                    f"def part_{file}_{n}_{versions[file] * (n == 17)}(): pass" for n in range(1, 80 + 60 * file)
                )
                answer = "\n".join(f"{n:6}→{row}" for n, row in enumerate(rows, 1))
            case "Edit":
                versions[file] += 1
                new = f"def part_{file}_17_{versions[file]}(): pass"
                tool, given = "Edit", {"file_path": f"/src/f{file}.py", "old_string": line, "new_string": new}
                answer = f"The file /src/f{file}.py has been updated."
            case _:
                tool, given = "Bash", {"command": "pytest -q"}
                answer = "\n".join(f"test {n} {rng.randrange(3)}" for n in range(rng.choice((20, 200, 500))))
        call = {"type": "tool_use", "id": f"toolu_{turn}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": answer}
        messages = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        if turn % 6 == 0:
            said = [{"role": "assistant", "content": "Done."}, {"role": "user", "content": f"Now part {turn}."}]
            messages = [*messages, *said]
        requests.append(messages)
    return [json.dumps({**TOP, "messages": some}).encode() for some in requests]


def stepwise(seed: int) -> list[bytes]:
    """The requests of a conversation in which each has exactly one answer of the model more than the one before."""
    body = json.loads(talk(seed)[-1])
    ends = [n for n, message in enumerate(body["messages"]) if message["role"] == "assistant"]
    return [json.dumps({**body, "messages": body["messages"][:end]}).encode() for end in (*ends[1:], None)]


class Shared(Protocol):
    """What replicas share: a memory, and what people ask for in a terminal."""

    def memory(self) -> Memory:
        """Return the memory as another process opens it."""

    def ask(self, conversation: str, what: str) -> None:
        """Let a command wait for the next request of a conversation."""

    def take(self, conversation: str) -> Sequence[str]:
        """Return the commands that wait, and let them wait no longer."""


class SharedShelf(Shelf):
    """A shelf for several pruners of one process."""

    def memory(self) -> Memory:
        return self  # type: ignore[return-value]


def experience(rng: Random) -> Experience:
    """What the cuts so far led to: some strategies step back, and some kinds of parts are likelier to be used."""
    names = ("finished_results", "past_tasks", "stale_reads", "duplicate_calls")
    tried = {
        (name, kind): Tried(200, 4.0, rng.choice((0, 2, 60)))
        for name in names
        for kind in ("read", "shell", "other")
    }
    return Experience(rng.choice((500, 20_000)), tried)


def sent(
    chosen: Settings,
    talks: list[list[bytes]],
    replicas: list[int],
    rng: Random,
    count: int,
    shared: Shared | None = None,
) -> list[tuple[Any, ...]]:
    """What leaves when request n is answered by the replica that the list names; some are restarted, some retry.

    Meanwhile other conversations of the agent go on, so that what a new conversation learns changes. Replicas share
    a shelf if they are given nothing else.
    """
    shelf = SharedShelf()
    shared = shared or shelf
    pruners = [Pruner(chosen, shared.memory(), shared.take) for _ in range(count)]
    names: dict[int, str] = {}
    made: list[tuple[Any, ...]] = []
    order = [(turn, one) for turn in range(TURNS) for one in range(len(talks))]
    for n, (turn, one) in enumerate(order):
        shelf.known["agent"] = experience(rng)
        if rng.random() < 0.1:
            what = rng.choice(("sweep 2", "manual on", "manual off"))
            if one in names:
                shared.ask(names[one], what)
        for _ in range(1 + (rng.random() < 0.05)):
            which = replicas[n % len(replicas)] % count
            outcome: Outcome = pruners[which].prune(talks[one][turn], 2.0 * n, client="agent")
            assert outcome.error is None
            names[one] = outcome.conversation
            made.append((outcome.body, outcome.flush, outcome.conversation, outcome.request))
        restarted = rng.random() < 0.1
        if restarted and count > 1:
            pruners[which] = Pruner(chosen, shared.memory(), shared.take)
    return made


@pytest.mark.parametrize("prices", list(PRICES))
@pytest.mark.parametrize("held", [256, 2], ids=["", "conversations are put away"])
@fewer
@given(seed=st.integers(0, 1 << 30), replicas=st.lists(st.integers(0, 2), min_size=7, max_size=31))
def test_any_replica_sends_the_bytes_of_one_process(prices: str, held: int, seed: int, replicas: list[int]) -> None:
    talks = [talk(seed + n) for n in range(3)]
    settings = Settings(strategies={"asked": {"enabled": True}}, limits={"conversations": held}, **PRICES[prices])
    steady = Settings(strategies={"asked": {"enabled": True}}, **PRICES[prices])
    expected = sent(steady, talks, [0], Random(seed), 1)
    assert sent(settings, talks, replicas, Random(seed), 3) == expected
