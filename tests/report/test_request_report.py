import json
from typing import Any

from prunus.edits import Edit, Gone, Proposal
from prunus.history import Ref
from prunus.outcome import Outcome, Receipt
from prunus.pruner import prune
from prunus.report.request_report import cut_tools, record, text_report
from prunus.settings import Settings


def test_the_report_holds_status_tokens_and_box(session: bytes) -> None:
    lines = text_report(prune(session)).splitlines()
    assert lines[0].startswith("「 ⚙️")
    assert lines[1].startswith("anthropic_messages, claude-sonnet-4-5, 11 messages: ")
    assert lines[1].endswith("% less)")
    assert lines[3] == "Strategy Effectiveness:"


def test_without_notification_the_numbers_remain(session: bytes) -> None:
    report = text_report(prune(session), "off")
    assert "▼" not in report
    assert report.startswith("anthropic_messages")


def test_refusals_are_counted_by_guard(session: bytes) -> None:
    settings = Settings(guards={"protected_tools": {"victims": ["*"]}})
    outcome = prune(session, settings)
    assert text_report(outcome).endswith(f"Held back by guards: protected_tools {len(outcome.refusals)}")


def test_the_statistics_say_that_nothing_was_pruned(session: bytes) -> None:
    report = text_report(prune(session, Settings.preset("off")))
    assert report.splitlines()[0].startswith("anthropic_messages, claude-sonnet-4-5, 11 messages: nothing to prune")


def test_a_report_with_an_error_shows_only_the_error() -> None:
    assert text_report(prune(b"{}")).startswith("Left as it came: FormatError")


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


def cut(*receipts: Receipt) -> Outcome[None]:
    """A request that made these edits."""
    made = {receipt.edit.target: receipt for receipt in receipts}
    edits = tuple(Proposal(target, Gone(), "old_errors", "") for target in made)
    return Outcome(None, made=edits, receipt=lambda edit: made[edit.target])


def receipt(message: int, tool: str, call: int) -> Receipt:
    return Receipt("", Edit(Ref(message, 0), Gone(), "old_errors", ""), "", tool, item=Ref(call, 0))


def test_a_pruned_request_names_the_tools_that_were_cut(session: bytes) -> None:
    assert cut_tools(prune(session)) == ("Read", "Bash")


def test_a_call_whose_input_and_result_went_counts_once() -> None:
    assert cut_tools(cut(receipt(2, "bash", 1), receipt(1, "bash", 1))) == ("bash",)


def test_tools_stand_in_the_order_of_their_calls() -> None:
    assert cut_tools(cut(receipt(4, "read", 1), receipt(3, "bash", 2))) == ("read", "bash")


def test_ids_that_are_used_again_belong_to_the_newest_call() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for tool, given in (("Read", {"file_path": "/a.py"}), *[("Bash", {"command": "git status"})] * 3):
        use = {"type": "tool_use", "id": "1", "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": "1", "content": f"{tool} says so\n" * 80}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]
    assert cut_tools(prune(messages)) == ("Bash", "Bash")


def test_a_result_without_its_call_has_no_name() -> None:
    assert cut_tools(cut(receipt(1, "", 1))) == ()
