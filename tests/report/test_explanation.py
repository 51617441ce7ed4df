import json

from prunus.explain import explain
from prunus.report.request_report import in_json, rows, summary
from prunus.settings import Settings


def test_a_pruned_part_names_its_strategy_and_reason(session: bytes) -> None:
    [row] = [row for row in rows(explain(session), everything=False) if row.place == "2.0"]
    assert (row.verdict, row.priority, row.kind) == ("pruned", "⚫ temporary", "result")
    assert row.guide == "auto-pruned: superseded"
    assert row.why[0].startswith("stale_reads: the file was written later (")


def test_a_refused_part_names_the_guard(session: bytes) -> None:
    settings = Settings(guards={"protected_tools": {"victims": ["Read"]}})
    [row] = [row for row in rows(explain(session, settings), everything=False) if row.place == "2.0"]
    assert row.verdict == "kept"
    assert row.why[0] == "not stale_reads: protected_tools refused, Read is protected"


def test_a_waiting_part_says_until_when(session: bytes) -> None:
    settings = Settings(strategies={"old_attachments": {"turns": 3}})
    body = json.loads(session)
    image = {"type": "base64", "media_type": "image/png", "data": "A" * 9000}
    body["messages"][6]["content"].append({"type": "image", "source": image})
    parts = explain(json.dumps(body).encode(), settings)
    [row] = [row for row in rows(parts, everything=False) if row.kind == "attachment"]
    assert row.why == ("waits for turn 7: old_attachments, an attachment older than 3 turns",)


def test_parts_without_a_decision_are_shown_on_request_only(session: bytes) -> None:
    parts = explain(session)
    assert len(list(rows(parts, everything=True))) == len(parts) > len(list(rows(parts, everything=False)))


def test_the_summary_says_what_is_not_shown(session: bytes) -> None:
    parts = explain(session)
    assert summary(parts, len(parts) - 4).endswith("; 4 more with nothing to say about (--all)")
    assert "--all" not in summary(parts, len(parts))


def test_json_holds_every_part(session: bytes) -> None:
    made = in_json(explain(session))
    assert [(part["message"], part["part"]) for part in made] == sorted((p["message"], p["part"]) for p in made)
    assert json.loads(json.dumps(made)) == made
    assert {part["verdict"] for part in made} == {"kept", "pruned"}
