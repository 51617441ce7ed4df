import pytest
from rich.cells import cell_len

from prunus.conversations.context import Context
from prunus.report.funnel import Funnel, effectiveness, funnel_box, funnel_of, funnel_of_all, funnel_record
from prunus.strategies import ALL
from prunus.strategies.strategy import Strategy
from prunus.tally import Tally

STRATEGIES = {
    "duplicate_calls": Tally(2, 150),
    "old_todos": Tally(1, 50),
    "asked": Tally(4, 400),
    "old_errors": Tally(1, 60),
    "long_outputs": Tally(1, 40),
}


def test_each_strategy_belongs_to_one_step() -> None:
    assert funnel_of(1_000, 300, STRATEGIES) == Funnel(1_000, 200, 400, 100, 300)


def test_ids_and_reminders_have_a_row_of_their_own() -> None:
    funnel = funnel_of(1_000, 320, STRATEGIES)
    assert funnel.added == 20
    assert "  Ids and reminders          +20     2%" in funnel_box(funnel, "").splitlines()


def test_the_box_fits_80_columns() -> None:
    box = funnel_box(Funnel(999_949_000, 1, 2, 3, 999_948_994), " (newest request of each session)")
    assert max(map(cell_len, box.splitlines())) <= 80


def test_the_record_has_tokens_and_shares() -> None:
    assert funnel_record(Funnel(1_000, 200, 400, 100, 300)) == {
        "raw": {"tokens": 1_000, "share": 1.0},
        "autoSupersede": {"tokens": 200, "share": 0.2},
        "manual": {"tokens": 400, "share": 0.4},
        "autoPrune": {"tokens": 100, "share": 0.1},
        "active": {"tokens": 300, "share": 0.3},
    }
    assert funnel_record(Funnel())["active"] == {"tokens": 0, "share": 0.0}


def test_the_funnels_of_several_requests_add_up() -> None:
    one = Context(1_000, 300, STRATEGIES)
    assert funnel_of_all([one, one]) == Funnel(2_000, 400, 800, 200, 600)
    assert funnel_of_all([]) is None


SEEDS = {"old_todos": Tally(3, 1_200), "duplicate_calls": Tally(5, 4_200), "stale_reads": Tally(4, 3_100)}


def test_the_box_is_that_of_the_seeds_with_our_names_behind() -> None:
    assert effectiveness(SEEDS).splitlines() == [
        "Strategy Effectiveness:",
        "─" * 60,
        "  Auto-Supersede        12 prunes, ~8.5k saved ⭐",
        "    🔄 hash              5 prunes, ~4.2k    duplicate_calls",
        "    📁 file              4 prunes, ~3.1k    stale_reads",
        "    ✅ todo              3 prunes, ~1.2k    old_todos",
    ]


@pytest.mark.parametrize("strategy", ALL, ids=lambda strategy: strategy.name)
def test_every_strategy_has_its_row(strategy: type[Strategy]) -> None:
    name = strategy.name
    [row] = [line for line in effectiveness({name: Tally(2, 70)}).splitlines()[2:] if name in line]
    assert "2 prunes, ~70" in row


def test_the_family_is_that_of_the_seeds() -> None:
    box = effectiveness({strategy.name: Tally(1, 10) for strategy in ALL})
    members = [line.split()[1] for line in box.splitlines() if line.startswith("    ")]
    assert sorted(members) == ["file", "hash", "query", "retry", "snapshot", "todo", "url"]


def test_strategies_of_one_type_share_its_row_within_80_columns() -> None:
    box = effectiveness({strategy.name: Tally(1, 10) for strategy in ALL})
    [row] = [line for line in box.splitlines() if "📁 file" in line]
    assert "5 prunes, ~50 " in row
    assert row.endswith(", …")
    assert all(cell_len(line) <= 80 for line in box.splitlines())
    both = effectiveness({"stale_reads": Tally(1, 10), "repeated_views": Tally(2, 20)})
    assert both.splitlines()[-1] == "    📁 file              3 prunes, ~30      stale_reads, repeated_views"


def test_rows_are_sorted_by_tokens_and_the_first_has_the_star() -> None:
    box = effectiveness({"old_errors": Tally(9, 5), **SEEDS, "long_outputs": Tally(1, 20_000)})
    rows = [line for line in box.splitlines()[2:] if not line.startswith("    ")]
    assert [row.split()[0] for row in rows] == ["long_outputs", "Auto-Supersede", "old_errors"]
    assert [row.endswith("⭐") for row in rows] == [True, False, False]


def test_counts_stand_in_one_column() -> None:
    box = effectiveness({strategy.name: Tally(i + 1, 10) for i, strategy in enumerate(ALL)})
    ends = {cell_len(line[: line.index(" prune")]) for line in box.splitlines()[2:]}
    assert ends == {26}


def test_the_funnel_says_one_prune_in_the_singular() -> None:
    assert "1 prune,  ~10 saved" in effectiveness({"old_errors": Tally(1, 10)})


def test_nothing_found_is_no_box() -> None:
    assert effectiveness({}) == ""


def test_a_strategy_that_is_not_listed_still_has_a_row() -> None:
    assert "  of_your_own" in effectiveness({"of_your_own": Tally(1, 10)})


def test_a_step_that_adds_tokens_has_a_plus() -> None:
    """The view that replaces some reads can be longer than they were."""
    funnel = funnel_of(1_000, 948, {"folded_views": Tally(2, -48), "old_errors": Tally(1, 100)})
    rows = funnel_box(funnel, "").splitlines()
    assert "  Auto-Supersede             +48     5%" in rows
    assert "  Auto-prune                -100    10%" in rows
