from prunus.engine import Tally
from prunus.outcome import Report
from prunus.report import status_line

SEEDS = Report(categories={"tools": Tally(39, 83_100), "messages": Tally(15, 7_500), "thinking": Tally(8, 16_000)})


def test_the_line_is_that_of_the_seeds() -> None:
    assert status_line(SEEDS) == "「 💬 15(7.5K) ▼ + 🧠  8(16K) ▼ + ⚙️ 39(83.1K) ▼ 」"


def test_kinds_that_lost_nothing_are_left_out() -> None:
    report = Report(categories={"messages": Tally(), "tools": Tally(2, 950)})
    assert status_line(report) == "「 ⚙️  2(950) ▼ 」"


def test_nothing_pruned_says_nothing() -> None:
    assert status_line(Report(), "detailed", ["bash"]) == ""


def test_off_says_nothing() -> None:
    assert status_line(SEEDS, "off", ["bash"]) == ""


def test_details_fold_repeated_tools() -> None:
    assert status_line(SEEDS, "detailed", ["read", "bash", "bash", "bash"]).endswith("」 - bash (x3), read")


def test_details_name_three_tools_at_most() -> None:
    line = status_line(SEEDS, "detailed", ["read", "bash", "bash", "glob", "grep"])
    assert line.endswith("」 - bash (x2), read, glob, …")


def test_minimal_names_no_tools() -> None:
    assert status_line(SEEDS, "minimal", ["bash"]) == status_line(SEEDS)
