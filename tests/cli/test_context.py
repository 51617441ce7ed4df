"""`prunus context` for a request, a recorded session, and a conversation in the store."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from prunus import prune
from prunus.conversations.context import Context
from prunus.store import Exchange, open_store
from tests.proxy.talk import BODIES, steps


def test_a_request_by_category_and_priority(run: Callable[..., Result], file: str) -> None:
    result = run("context", file)
    assert result.exit_code == 0
    for word in ("by category", "current files", "historical", "by priority", "ephemeral", "pressure is light"):
        assert word in result.output


def test_categories_and_priorities_add_up_to_the_used_tokens(run: Callable[..., Result], file: str) -> None:
    found = json.loads(run("context", file, "--json", "--set", "schedule=eager").output)
    assert sum(found["categories"].values()) == found["used"] < found["before"]
    assert sum(found["priorities"].values()) + found["categories"]["system"] >= found["used"]
    assert found["window"] == 200_000


def test_standard_input(run: Callable[..., Result], session: bytes) -> None:
    assert "standard input" in run("context", "-", given=session).output


def test_the_window_may_be_set(run: Callable[..., Result], file: str) -> None:
    assert "pressure is critical" in run("context", file, "--set", "window=500").output


def test_context_reads_a_recorded_session(run: Callable[..., Result], tmp_path: Path) -> None:
    entry = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "cwd": "/", "version": "2.0.0"}
    lines = [
        {**entry, "message": {"role": "user", "content": "Hello"}, "timestamp": "2026-01-01T00:00:00Z"},
        {**entry, "type": "assistant", "uuid": "2", "parentUuid": "1", "timestamp": "2026-01-01T00:00:01Z",
         "message": {"role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "Hi"}]}},
    ]  # fmt: skip
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run("context", str(path))
    assert result.exit_code == 0 and "working memory" in result.output


@pytest.mark.parametrize("format", BODIES)
def test_context_and_prune_count_the_same_tokens(run: Callable[..., Result], tmp_path: Path, format: str) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({**BODIES[format](steps()), "temperature": 0.5, "metadata": {"user": "x" * 80}}))
    found = json.loads(run("context", str(path), "--json").output)
    report = prune(path.read_bytes()).report
    assert (found["before"], found["used"]) == (report.tokens_before, report.tokens_after)


@pytest.mark.parametrize("format", BODIES)
@pytest.mark.parametrize("kept", ["messages.jsonl", "messages.json", "requests.jsonl", "request.json.gz"])
def test_messages_and_requests_in_any_file(
    run: Callable[..., Result], tmp_path: Path, format: str, kept: str
) -> None:
    body = BODIES[format](steps())
    messages = next(body[key] for key in ("messages", "input", "contents") if key in body)
    path = tmp_path / kept
    written = {
        "messages.jsonl": "\n".join(map(json.dumps, messages)),
        "messages.json": json.dumps(messages),
        "requests.jsonl": f"{json.dumps(body)}\n{json.dumps(body)}",
        "request.json.gz": json.dumps(body),
    }[kept].encode()
    path.write_bytes(gzip.compress(written) if kept.endswith("gz") else written)
    result = run("context", str(path), "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["before"] > 2500


def test_the_newest_conversation_of_the_store(run: Callable[..., Result], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'prunus.db'}"
    store = open_store(url)
    store.record(
        "",
        Exchange("aaaa1111", 1, 100.0, model="claude-x", tokens_before=160_000, tokens_after=100_000, status=200),
    )
    store.close()
    for arguments in ((), ("aaaa",)):
        result = run("context", *arguments, "--store", url)
        assert "100,000 of 200,000 tokens, 50%; pressure is moderate" in result.output
        assert "60,000 tokens are left out" in result.output


def test_context_of_one_of_several_tenants(run: Callable[..., Result], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'prunus.db'}"
    store = open_store(url)
    for tenant, tokens in (("anna", 50_000), ("bert", 150_000)):
        counts = {"tokens_before": 160_000, "tokens_after": tokens}
        store.record(tenant, Exchange("aaaa1111", 1, 100.0, model="claude-x", **counts, status=200))
    store.close()
    assert "say which with --tenant" in run("context", "--store", url).output
    assert "50,000 of 200,000 tokens" in run("context", "--store", url, "--tenant", "anna").output
    assert "150,000 of 200,000 tokens" in run("context", "aaaa", "--store", url, "--tenant", "bert").output


def test_context_names_an_unknown_source(run: Callable[..., Result], tmp_path: Path) -> None:
    result = run("context", "nowhere.json", "--store", f"sqlite:///{tmp_path / 'none.db'}")
    assert result.exit_code == 2 and "nowhere.json: no such file" in result.output


def test_a_damaged_file_is_named_with_its_place(run: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"messages": [', encoding="utf-8")
    result = run("context", str(path))
    assert result.exit_code == 2 and "bad.json" in result.output


def test_context_shows_used_and_allowed_tokens_of_each_category(run: Callable[..., Result], file: str) -> None:
    found = json.loads(run("context", file, "--json", "--set", "window=128000").output)
    assert found["allowed"] == {
        "system": 5_000, "todos": 2_000, "current files": 10_000, "recent results": 15_000,
        "working memory": 20_000, "historical": 76_000,
    }  # fmt: skip
    shown = run("context", file, "--set", "window=128000").output
    assert any("historical" in line and " of    76,000" in line for line in shown.splitlines())


def test_the_headroom_of_smart_is_seventy_percent_of_the_window(run: Callable[..., Result], file: str) -> None:
    found = json.loads(run("context", file, "--json", "--preset", "smart").output)
    assert found["budget"] == 140_000 == found["used"] + found["headroom"]
    assert "Budget: 140,000 tokens (70% of the window)" in run("context", file, "--preset", "smart").output


def test_the_content_type_guide_counts_every_token(run: Callable[..., Result], file: str) -> None:
    found = json.loads(run("context", file, "--json").output)
    assert set(found["guide"]) == {"keep", "discard", "distill", "auto-pruned"}
    assert sum(found["guide"].values()) == sum(found["priorities"].values())
    assert "by the content type guide" in run("context", file).output


def test_priorities_have_their_colours(run: Callable[..., Result], file: str) -> None:
    shown = run("context", file).output
    for name in ("🔴 critical", "🟡 important", "🟢 ephemeral", "⚫ temporary"):
        assert name in shown
    assert "Nothing has to go yet." in shown


def test_context_reads_the_request_that_prune_reads(run: Callable[..., Result], tmp_path: Path) -> None:
    """An export of OpenCode is a request and a recording; both commands have to choose the same."""
    part = {"type": "text", "text": "word " * 200}
    steps = [
        {"info": {"role": role, "id": f"m{n}"}, "parts": [part]} for n, role in enumerate(["user", "assistant"] * 3)
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"info": {"id": "s"}, "messages": steps}))
    found = json.loads(run("context", str(path), "--json").stdout)
    report = json.loads(run("prune", str(path), "--report", "json").stderr)
    assert (found["before"], found["used"]) == (report["tokens_before"], report["tokens_after"])


def test_context_takes_a_numbered_session(run: Callable[..., Result], tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    bodies = [{"model": "m", "messages": [{"role": "user", "content": "word " * count}]} for count in (100, 900)]
    path.write_text("\n".join(map(json.dumps, bodies)))
    first, second = (json.loads(run("context", f"{path}#{n}", "--json").stdout)["used"] for n in (1, 2))
    assert first < second == json.loads(run("context", str(path), "--json").stdout)["used"]
    missing = run("context", f"{path}#0")
    assert missing.exit_code == 2 and "holds 2 sessions" in missing.output


def test_context_says_what_its_rows_count(run: Callable[..., Result], tmp_path: Path) -> None:
    """The size of a stored request is the provider's count, and the rows are estimates."""
    for shadow, words in ((False, "estimates, 90,000 tokens together"), (True, "would leave, about 90,000 tokens")):
        url = f"sqlite:///{tmp_path / f'{shadow}.db'}"
        store = open_store(url)
        context = Context(150_000, 90_000, {}, {"historical": 90_000}, shadow=shadow)
        tokens = {"tokens_before": 160_000, "tokens_after": 100_000, "status": 200}
        store.record("", Exchange("aaaa1111", 1, 1.0, **tokens, context=context, shadow=shadow))
        store.close()
        assert words in run("context", "--store", url).output
