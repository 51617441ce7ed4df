from rich.cells import cell_len

from prunus.context import Context
from prunus.report.funnel import Funnel, funnel_box, funnel_of, funnel_of_all, funnel_record
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
