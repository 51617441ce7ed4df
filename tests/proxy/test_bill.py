"""What `prunus stats` shows is what the provider charged, and what it would have charged without Prunus."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from prunus.proxy.serve import Background
from prunus.report.cache_misses import writes
from prunus.schedule.dollars import Money
from prunus.schedule.prices import price_of
from prunus.settings import Settings
from prunus.spending import DayTotals
from prunus.store import Totals, open_store
from tests.upstream import Prune, Read, Run, Script, Shown, Step, Upstream, Write
from tests.upstream.bill import Bill, billed, unpruned
from tests.upstream.faults import Fault
from tests.upstream.player import FORMATS, Player

MODELS = {"anthropic_messages": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}
HIDDEN = {"agent": {"offer": "hidden"}}
OFF = {"agent": {"offer": "off"}}
ROUNDS = 4


def result(name: str, arguments: Any) -> str:
    """Code, prose, or a log full of numbers: texts that differ in how many tokens a byte makes."""
    text = json.dumps(arguments)
    seed = sum(map(ord, text))
    if name == "bash":
        return "".join(f"2026-01-{n % 28:02d} worker-{n}: {n * seed} done in {n} ms\n" for n in range(400))
    if ".md" in text:
        return f"Rule {seed}: the report is made once a year, and nobody reads it twice. " * 60
    return "".join(f"def step_{n}(value: int) -> int:\n    return value + {n * seed}\n\n\n" for n in range(60))


def script() -> Script:
    """The same file read again, a file read and then written, long outputs, and a hidden call in each round."""
    steps: list[Step] = []
    for n in range(ROUNDS):
        notes = len(steps) + 2
        steps += [
            Step((Read("same.py"),), "I look at the file."),
            Step((Run(f"make check-{n}"),), "And at the check."),
            Step((Read(f"notes{n}.md"), Read("changed.py")), "The notes, and another file."),
            Step((Write("changed.py", f"value = {n}\n" * 200),), "I write it anew."),
            Step((Prune("discard", ((Shown(notes),),)),), "The notes are of no more use."),
        ]
    return Script((*steps, Step(text="All is done.")), root="/project")


@dataclass(frozen=True, slots=True)
class Session:
    """What the provider charged, what it would have charged without Prunus, and what the store says."""

    billed: Bill
    unpruned: Bill
    totals: Totals
    requests: int
    """Of the client."""
    calls: int
    """Of the model."""
    days: tuple[DayTotals, ...]


def play(
    folder: Path,
    format: str,
    *,
    replicas: int = 1,
    restart: int = -1,
    overloaded: tuple[int, ...] = (),
    **values: Any,
) -> Session:
    """Play the script to its end through a proxy, or through several in turn.

    The proxy is started anew before the request `restart`; the provider refuses those in `overloaded` once.
    """
    store = f"sqlite:///{folder / 'store.db'}"
    price = price_of(MODELS.get(format, "gpt-5"))
    sent: list[bytes] = []
    with Upstream(script()) as up, ExitStack() as proxies:
        upstreams = dict.fromkeys(("anthropic", "openai", "gemini"), up.url)
        proxy = {"port": 0, "deadline": 600.0, **values.pop("proxy", {})}
        settings = Settings(proxy=proxy, store={"url": store}, upstreams=upstreams, **values)
        urls = [proxies.enter_context(Background(settings)).url for _ in range(replicas)]
        player = Player(urls[0], format, result=result)
        going = True
        while going:
            number = len(sent)
            if number == restart:
                proxies.close()
                urls = [proxies.enter_context(Background(settings)).url]
            player.url = urls[number % len(urls)]
            if number in overloaded:
                up.fail(Fault("529"))
                assert player.send().status == 529
            body = json.dumps(player.body).encode()
            going = player.step()
            sent.append(body)
    kept = open_store(store, existing=True)
    totals = kept.totals("", shadow=settings.proxy.shadow)
    days = tuple(kept.days("", shadow=settings.proxy.shadow))
    kept.close()
    paid = billed(up.requests, price)
    return Session(paid, unpruned(format, sent, price), totals, len(sent), len(up.requests), days)


def check(session: Session, within: float = 0.01) -> None:
    """All four figures are within a share of what there was to pay without Prunus; what was paid is exact."""
    totals, came = session.totals, session.unpruned
    assert totals.strategies
    saved = came.tokens - session.billed.tokens
    assert totals.cost == pytest.approx(session.billed.cost)
    assert totals.tokens_after == session.billed.tokens
    assert totals.cost_unpruned == pytest.approx(came.cost, rel=within)
    assert totals.tokens_before == pytest.approx(came.tokens, rel=within)
    assert totals.tokens_before - totals.tokens_after == pytest.approx(saved, abs=within * came.tokens)
    assert totals.saved == pytest.approx(came.cost - session.billed.cost, abs=within * came.cost)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "values",
    [OFF, HIDDEN, {"preset": "acp"}, {"preset": "acp", **OFF}, {"schedule": "eager", **HIDDEN}],
    ids=["auto", "hidden", "acp", "acp without the tool", "eager"],
)
def test_figures_are_those_of_the_provider(format: str, values: dict[str, Any], tmp_path: Path) -> None:
    session = play(tmp_path, format, **values)
    assert session.totals.requests == session.requests
    check(session)


@pytest.mark.parametrize("format", FORMATS)
def test_every_token_that_was_written_to_the_cache_has_a_reason(format: str, tmp_path: Path) -> None:
    session = play(tmp_path, format, schedule="eager", **OFF)
    found = {one.reason: one.tokens for one in writes(session.days, Money(), price_of)}
    assert sum(found.values()) == session.totals.usage.input + session.totals.usage.cache_write
    assert found.keys() == {"new", "first", "cut"}
    # What a cut costs is what the bill says, at the price of writing instead of reading.
    price = price_of(MODELS.get(format, "gpt-5"))
    assert found["cut"] * (price.write - price.read) == pytest.approx(session.totals.cost_of_breaks, rel=0.1)


@pytest.mark.parametrize("format", FORMATS)
def test_hidden_calls_are_counted_as_sent(format: str, tmp_path: Path) -> None:
    if format == "gemini":
        pytest.skip("the hidden tool is not offered on the Gemini API")
    session = play(tmp_path, format, **HIDDEN)
    assert session.calls == session.requests + ROUNDS
    check(session)


@pytest.mark.parametrize("values", [OFF, HIDDEN], ids=["auto", "hidden"])
@pytest.mark.parametrize("format", FORMATS)
def test_restart_in_mid_session_changes_little(format: str, values: dict[str, Any], tmp_path: Path) -> None:
    check(play(tmp_path, format, restart=9, **values), within=0.015)


@pytest.mark.parametrize("values", [OFF, HIDDEN], ids=["auto", "hidden"])
@pytest.mark.parametrize("format", FORMATS)
def test_replicas_know_what_the_others_have_sent(format: str, values: dict[str, Any], tmp_path: Path) -> None:
    # Each of them learns by itself how the provider counts, from half of the answers.
    check(play(tmp_path, format, replicas=2, **values), within=0.08)


def test_requests_without_an_answer_are_not_counted(tmp_path: Path) -> None:
    check(play(tmp_path, "anthropic_messages", overloaded=(6, 11), **OFF))


@pytest.mark.parametrize("format", FORMATS)
def test_shadow_tells_what_pruning_would_cost(format: str, tmp_path: Path) -> None:
    for name in ("shadow", "real"):
        (tmp_path / name).mkdir()
    shadow = play(tmp_path / "shadow", format, proxy={"shadow": True}, **OFF)
    real = play(tmp_path / "real", format, **OFF)
    assert shadow.totals.cost_unpruned == pytest.approx(shadow.billed.cost)
    assert shadow.totals.tokens_before == shadow.billed.tokens
    assert shadow.totals.strategies == real.totals.strategies != {}
    assert shadow.totals.cost == pytest.approx(real.billed.cost, rel=0.02)
    assert shadow.totals.tokens_after == pytest.approx(real.billed.tokens, rel=0.02)
