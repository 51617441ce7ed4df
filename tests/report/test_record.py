import json

from prunus.pruner import prune
from prunus.report import record
from prunus.settings import Settings


def test_a_record_survives_json(session: bytes) -> None:
    made = record(prune(session))
    assert json.loads(json.dumps(made)) == made


def test_a_record_says_what_was_done_where(session: bytes) -> None:
    made = record(prune(session))
    assert (made["format"], made["model"], made["error"]) == ("anthropic_messages", "claude-sonnet-4-5", None)
    [read] = [edit for edit in made["edits"] if edit["strategy"] == "stale_reads"]
    assert (read["message"], read["part"], read["replacement"]) == (2, 0, "note")
    assert read["tokens_before"] > read["tokens_after"] > 0


def test_the_strategies_add_up_to_what_was_saved(session: bytes) -> None:
    made = record(prune(session))
    saved = made["tokens_before"] - made["tokens_after"]
    assert sum(tally["tokens"] for tally in made["strategies"].values()) == saved > 0
    assert sum(tally["tokens"] for tally in made["categories"].values()) == saved


def test_a_refusal_names_its_guard(session: bytes) -> None:
    settings = Settings(guards={"protected_tools": {"victims": ["Read"]}})
    refused = record(prune(session, settings))["refusals"]
    assert {refusal["guard"] for refusal in refused} == {"protected_tools"}


def test_a_body_that_cannot_be_read_leaves_its_error() -> None:
    assert "not JSON" in record(prune(b"hello"))["error"]
