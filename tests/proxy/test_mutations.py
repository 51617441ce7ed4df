"""A thousand broken requests: each arrives as it was sent, or as a smaller one that is still the same request."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.proxy.caller import call
from tests.proxy.provider import Provider, behind
from tests.proxy.talk import BODIES, PATHS, steps

SAMPLES = Path(__file__).parents[3] / "shared" / "wire-samples"
COUNT = 500
ODD: tuple[Any, ...] = (None, True, 0, -1, 1e308, "", "\ud800", [], {}, [[]], {"type": 7}, "x" * 5000, 2**70)


def requests() -> list[tuple[str, dict[str, Any]]]:
    """The path and body of each request to start from; recorded ones where they are here."""
    own = [(PATHS[format], BODIES[format](steps())) for format in BODIES]
    ends = ("/messages", "/completions", "/responses", "generateContent", "streamGenerateContent")
    found = []
    for file in sorted(SAMPLES.glob("*.jsonl")):
        samples = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        usable = [one for one in samples if one.get("body") and one["path"].partition("?")[0].endswith(ends)]
        found += [(one["path"], one["body"]) for one in usable[-2:]]
    return own + found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something can be changed."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(place for key, item in inner for place in places(item, (*path, key)))]


def mutated(value: Any, dice: random.Random) -> bytes:
    """The request with one to three things changed, or its bytes cut or flipped."""
    value = json.loads(json.dumps(value))
    for _ in range(dice.randint(1, 3)):
        where = places(value)
        if not where:
            break
        *way, last = dice.choice(where)
        holder = value
        for key in way:
            holder = holder[key]
        match dice.randrange(4):
            case 0:
                holder[last] = dice.choice(ODD)
            case 1:
                del holder[last]
            case 2 if isinstance(holder, list):
                holder.insert(dice.randrange(len(holder) + 1), holder[last])
            case _ if isinstance(holder, list):
                dice.shuffle(holder)
            case _:
                holder[str(dice.choice(ODD))[:20]] = holder.pop(last)
    raw = bytearray(json.dumps(value).encode())
    if dice.random() < 0.2:
        del raw[dice.randrange(len(raw)) :]
    if dice.random() < 0.2 and raw:
        raw[dice.randrange(len(raw))] = dice.randrange(256)
    return bytes(raw)


@pytest.mark.parametrize("preset", ["acp", "auto"])
def test_a_mutated_request_is_never_made_worse(provider: Provider, preset: str) -> None:
    dice = random.Random(4)
    start = requests()
    # A reminder is the one thing that is put in.
    quiet = {"todo": False, "reflection": False}
    with behind(provider, preset=preset, reminders=quiet) as proxy:
        for _ in range(COUNT):
            path, value = dice.choice(start)
            raw = mutated(value, dice)
            assert call(proxy.url, "POST", path, raw).status == 200
            sent = provider.asked.pop().body
            if sent != raw:
                assert len(sent) < len(raw)
                before, after = (json.loads(one.decode("utf-8", "replace")) for one in (raw, sent))
                changed = {key for key in before if before[key] != after.get(key)}
                assert len(changed) == 1
                assert changed <= {"messages", "input", "contents"}
                assert after.keys() == before.keys()
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    assert not [line for line in metrics.splitlines() if line.startswith("prunus_faults_total")]


@pytest.mark.parametrize("format", BODIES)
@pytest.mark.parametrize("offer", ["off", "hidden"])
def test_half_a_surrogate_pair_is_pruned_around_and_arrives(provider: Provider, format: str, offer: str) -> None:
    request = BODIES[format](steps())
    raw = json.dumps(request).replace("Go on.", r"Go on \ud83d.").encode()
    with behind(provider, agent={"offer": offer, "intent": offer == "hidden"}) as proxy:
        assert call(proxy.url, "POST", PATHS[format], raw).status == 200
        metrics = call(proxy.url, "GET", "/metrics").body.decode()
    sent = provider.asked.pop().body
    assert rb"Go on \ud83d." in sent
    assert sent.count(b"def greet") < raw.count(b"def greet")
    assert (b"context_prune" in sent) is (offer == "hidden" and format != "gemini")
    assert not [line for line in metrics.splitlines() if line.startswith("prunus_faults_total")]
