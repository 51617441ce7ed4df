from prunus.pruner import prune
from prunus.report import text_report
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


def test_nothing_pruned_is_said(session: bytes) -> None:
    report = text_report(prune(session, Settings.preset("off")))
    assert report.splitlines()[0].startswith("anthropic_messages, claude-sonnet-4-5, 11 messages: nothing to prune")


def test_an_error_is_all_there_is_to_say() -> None:
    assert text_report(prune(b"{}")).startswith("Left as it came: FormatError")
