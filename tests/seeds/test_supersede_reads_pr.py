"""The seed supersede-reads-pr.md: the fourteen rows of its test table, as preset acp has them."""

from __future__ import annotations

from tests.seeds.conversations import Sent, every_format, send

READ = "1 read src/app.py -> <40 lines>\n"
ONLY_READS = {"aggressivePruning": {"aggressiveFilePrune": False}, "deduplication": {"enabled": False}}
"""What is left of acp is the strategy of the proposal, where another would find the same."""
OFF = {**ONLY_READS, "supersedeReads": {"enabled": False}}


def acp(text: str, format: str, **settings: object) -> Sent:
    return send(f"user: Go.\n{text}", format, "acp", **{"strategies": ONLY_READS, **settings})


@every_format
def test_prunes_read_then_write(format: str) -> None:
    sent = acp(f"{READ}2 write src/app.py <9 lines> -> ok\n3 ...", format)
    assert sent.result("1") == "[auto-superseded: the file was written later]"


@every_format
def test_prunes_read_then_edit(format: str) -> None:
    assert acp(f"{READ}2 edit src/app.py <9 lines> -> ok\n3 ...", format).goes("1")


@every_format
def test_write_before_read_prunes_nothing(format: str) -> None:
    assert acp("1 write src/app.py <9 lines> -> ok\n2 read src/app.py -> <40 lines>\n3 ...", format).stays("1", "2")


@every_format
def test_different_files_are_left_alone(format: str) -> None:
    assert acp(f"{READ}2 write src/other.py <9 lines> -> ok\n3 ...", format).stays("1")


@every_format
def test_an_errored_write_supersedes_nothing(format: str) -> None:
    assert acp(f"{READ}2 write src/app.py <9 lines> -> error: Error: EACCES: no\n3 ...", format).stays("1")


@every_format
def test_all_stale_reads_are_pruned(format: str) -> None:
    text = "1 read src/app.py -> <40 lines of a>\n2 read src/app.py -> <40 lines of b>\n"
    assert acp(f"{text}3 write src/app.py <9 lines> -> ok\n4 ...", format).goes("1", "2")


@every_format
def test_only_reads_before_the_write_are_pruned(format: str) -> None:
    sent = acp(f"{READ}2 write src/app.py <9 lines> -> ok\n3 read src/app.py -> <40 lines of b>\n4 ...", format)
    assert sent.goes("1")
    assert sent.stays("3")


@every_format
def test_reads_that_are_pruned_already_are_not_counted_twice(format: str) -> None:
    text = f"{READ}2 write src/app.py <9 lines> -> ok\n3 write src/app.py <8 lines> -> ok\n4 ..."
    sent = acp(text, format)
    assert sent.goes("1")
    assert [edit.target for edit in sent.outcome.edits].count(sent.outcome.edits[0].target) == 1
    pruned = acp(
        "1 read src/app.py -> [auto-superseded: the file was written later]\n2 write src/app.py x -> ok\n3 ...",
        format,
    )
    assert pruned.outcome.edits == ()


@every_format
def test_disabled_config_prunes_nothing(format: str) -> None:
    assert acp(f"{READ}2 write src/app.py <9 lines> -> ok\n3 ...", format, strategies=OFF).stays("1")


@every_format
def test_disabled_config_is_enough_for_acp(format: str) -> None:
    text = f"{READ}2 write src/app.py <9 lines> -> ok\n3 ..."
    off = {"supersedeReads": {"enabled": False}}
    assert acp(text, format, strategies=off).stays("1")
    one_view = {**off, "aggressivePruning": {"aggressiveFilePrune": True}}
    assert acp(text, format, strategies=one_view).goes("1")


@every_format
def test_manual_mode_without_automatic_strategies_prunes_nothing(format: str) -> None:
    text = f"{READ}2 write src/app.py <9 lines> -> ok\n3 ..."
    assert acp(text, format, manualMode={"enabled": True, "automaticStrategies": False}).stays("1")
    assert acp(text, format, manualMode={"enabled": True, "automaticStrategies": True}).goes("1")


@every_format
def test_protected_file_patterns_are_honoured(format: str) -> None:
    text = f"{READ}2 write src/app.py <9 lines> -> ok\n3 ..."
    assert acp(text, format, protectedFilePatterns=["**/app.py"]).stays("1")


@every_format
def test_files_are_tracked_independently(format: str) -> None:
    sent = acp(f"{READ}2 read src/b.py -> <40 lines>\n3 write src/b.py <9 lines> -> ok\n4 ...", format)
    assert sent.stays("1")
    assert sent.goes("2")


@every_format
def test_an_empty_tool_list_is_no_problem(format: str) -> None:
    assert acp("1 says Hello.", format).outcome.edits == ()


@every_format
def test_only_file_tools_are_affected(format: str) -> None:
    text = "1 shell make src/app.py -> <40 lines>\n2 write src/app.py <9 lines> -> ok\n3 ..."
    assert acp(text, format).stays("1")
