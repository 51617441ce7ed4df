import pytest

from prunus.lab.cost import LostPart, events, lost_rate
from prunus.lab.retention import lines_as_they_were, names_in_paths
from prunus.schedule.prices import Price


def test_a_lost_part_costs_one_more_request() -> None:
    price = Price(0.1, 1.25, 300, 0)
    assert LostPart(7, 50_000, 2_000, 0).cost(price) == pytest.approx(5_000 + 2_500 + 750)


def test_a_request_that_lost_two_parts_is_one_event() -> None:
    assert events([LostPart(3, 10, 1, 0), LostPart(3, 10, 2, 1), LostPart(5, 10, 1, 2)]) == 2


def test_the_interval_is_the_same_each_time_and_holds_the_rate() -> None:
    rate = lost_rate([(2, 100), (0, 300), (1, 50)])
    assert rate == lost_rate([(2, 100), (0, 300), (1, 50)])
    assert rate.value == pytest.approx(1000 * 3 / 450)
    assert rate.low <= rate.value <= rate.high


def test_conversations_that_lost_nothing_have_no_interval() -> None:
    assert str(lost_rate([(0, 100), (0, 50)])) == "0.0 (0.0-0.0)"


def test_without_conversations_the_rate_is_zero() -> None:
    assert lost_rate([(0, 0)]).value == 0.0


@pytest.mark.parametrize("line", ["   12→  total = add(a, b)", "12:total = add(a, b)", "  total = add(a, b)  "])
def test_a_line_is_the_same_with_and_without_its_number(line: str) -> None:
    assert lines_as_they_were(line) == {"total = add(a, b)"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see src/remarkable_module/other_name.py", {"remarkable_module", "other_name"}),
        ("see remarkable_module.py", {"remarkable_module"}),
        ("names: remarkable_module, other_name", set()),
    ],
)
def test_only_paths_show_names_in_place(text: str, names: set[str]) -> None:
    assert names_in_paths(text) == names
