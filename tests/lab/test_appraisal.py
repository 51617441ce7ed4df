import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from prunus.lab.analysis import total
from prunus.lab.measuring import analyse, measure
from tests.lab.talk import Step, chat_messages, reads


def rewrites(count: int) -> list[Step]:
    """Return a session that reads files and then writes them as a whole, so that each read becomes stale."""
    steps: list[Step] = []
    for n, read in enumerate(reads(count, lines=120)):
        path = read[1]["file_path"]
        steps += [read, ("Write", {"file_path": path, "content": f"part {n}\n" * 40}, "The file has been updated.")]
    return steps


def recorded(path: Path, steps: list[Step]) -> Path:
    """Write a session as plain chat messages, without a model."""
    path.write_text(json.dumps(chat_messages(steps)))
    return path


def claude(path: Path, steps: list[Step], model: str, gap: int | None = None) -> Path:
    """Write a session as Claude Code records it, with `gap` seconds between the requests if given."""
    lines: list[dict[str, Any]] = []

    def add(message: dict[str, Any]) -> None:
        number = len(lines)
        time = {} if gap is None else {"timestamp": datetime.fromtimestamp(number * gap / 2, UTC).isoformat()}
        parent = f"l{number - 1}" if number else None
        known = {"type": message["role"], "uuid": f"l{number}", "parentUuid": parent, "message": message}
        lines.append({**known, "sessionId": "s", "isSidechain": False, **time})

    add({"role": "user", "content": "Please see to it."})
    for n, (tool, given, answer) in enumerate(steps):
        call = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given}
        add({"role": "assistant", "id": f"m{n}", "model": model, "usage": {}, "content": [call]})
        add({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": answer}]})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_the_strategy_that_finds_old_reads_gets_the_savings(tmp_path: Path) -> None:
    (one,) = measure(recorded(tmp_path / "a.json", rewrites(12))).rows
    assert one.tokens < one.unpruned_tokens
    assert one.cost < one.unpruned
    assert sum(tally.tokens for tally in one.strategies.values()) > 0
    assert (one.refused, one.invalid) == (0, 0)


def test_a_session_without_tools_costs_the_same(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    for n in range(5):
        messages += [
            {"role": "user", "content": f"Question {n}?"},
            {"role": "assistant", "content": f"Answer {n}."},
        ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(messages))
    (one,) = measure(path).rows
    assert (one.tokens, one.cost) == (one.unpruned_tokens, one.unpruned)
    assert (one.own_breaks, one.strategies) == (0, {})
    assert one.cached == one.unpruned_cached


@pytest.mark.parametrize(("gap", "warm"), [(10, True), (4000, False)])
def test_only_a_warm_cache_is_read_or_broken(tmp_path: Path, gap: int, warm: bool) -> None:
    (one,) = measure(claude(tmp_path / "a.jsonl", rewrites(12), "claude-sonnet-4-5", gap)).rows
    assert one.tokens < one.unpruned_tokens
    assert (one.own_breaks > 0, one.cached > 0, one.unpruned_cached > 0) == (warm, warm, warm)


def test_a_model_without_a_price_is_marked(tmp_path: Path) -> None:
    assert not measure(recorded(tmp_path / "a.json", reads(3))).rows[0].known


def test_each_session_pays_the_prices_of_its_own_model(tmp_path: Path) -> None:
    costs = {}
    for model in ("claude-sonnet-4-5", "gpt-5"):
        (one,) = measure(claude(tmp_path / f"{model}.jsonl", reads(6, lines=200), model)).rows
        assert (one.agent, one.model, one.known) == ("claude-code", model, True)
        costs[model] = one.unpruned
    # A write costs nothing extra at the second one.
    assert costs["gpt-5"] < costs["claude-sonnet-4-5"]


@pytest.mark.parametrize("data", [b"", b"\x1f\x8bnot gzip", b"\x00\x01", b'{"a": 1}', b"[[[["])
def test_a_file_that_cannot_be_read_is_named_and_not_fatal(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    found = measure(path)
    assert str(path) in found.failure
    assert found.rows == ()


def test_files_come_back_in_their_order_from_one_core_or_two(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    paths = [recorded(tmp_path / f"{name}.json", reads(count)) for name, count in (("a", 3), ("b", 9), ("c", 5))]
    found = analyse(paths)
    assert [one.path for one in found] == [str(path) for path in paths]
    assert "3 of 3 files" in capfd.readouterr().err
    assert found == analyse(paths, workers=1, quiet=True)
    assert capfd.readouterr().err == ""


def aged(path: Path, time: float) -> Path:
    os.utime(path, (time, time))
    return path


def test_requests_that_a_resumed_session_repeats_count_once(tmp_path: Path) -> None:
    steps = rewrites(8)
    old = aged(claude(tmp_path / "old.jsonl", steps[:10], "claude-sonnet-4-5"), 1000)
    new = aged(claude(tmp_path / "new.jsonl", steps, "claude-sonnet-4-5"), 2000)
    whole = measure(new).rows[0]
    resumed, first = analyse([new, old], workers=1, quiet=True)
    assert (first.rows[0].copied, resumed.rows[0].copied) == (0, 10)
    both = total([*first.rows, *resumed.rows])
    assert both.requests == whole.requests
    assert (both.unpruned_tokens, both.unpruned) == (whole.unpruned_tokens, pytest.approx(whole.unpruned))
    assert (both.hard, both.soft) == (whole.hard, whole.soft)


def test_a_session_that_another_file_contains_is_left_out(tmp_path: Path) -> None:
    one, other = (aged(recorded(tmp_path / name, rewrites(4)), 1000) for name in ("a.json", "b.json"))
    found = analyse([one, other], workers=1, quiet=True)
    assert [(len(file.rows), file.copies) for file in found] == [(1, 0), (0, 1)]


def test_sessions_with_only_a_common_beginning_both_count(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a.json", rewrites(4))
    other = recorded(tmp_path / "b.json", list(reversed(rewrites(4))))
    assert [file.copies for file in analyse([one, other], workers=1, quiet=True)] == [0, 0]


def test_the_savings_of_the_strategies_add_up_to_the_total(tmp_path: Path) -> None:
    (one,) = measure(recorded(tmp_path / "a.json", rewrites(12))).rows
    saved = sum(effect.saved for effect in one.strategies.values())
    assert saved == pytest.approx(one.unpruned - one.cost)
    assert all(effect.kept >= effect.tokens for effect in one.strategies.values())


def test_a_cache_billed_for_an_hour_pays_the_one_hour_price(tmp_path: Path) -> None:
    path = claude(tmp_path / "a.jsonl", reads(6, lines=200), "claude-sonnet-4-5", 1000)
    (short,) = measure(path).rows
    billed = '"usage": {"cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 900}}'
    path.write_text(path.read_text().replace('"usage": {}', billed))
    (long,) = measure(path).rows
    assert (short.lifetime, long.lifetime) == ("", "1h")
    assert (short.unpruned_cached, long.unpruned_cached > 0) == (0, True)
