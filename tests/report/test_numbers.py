import pytest

from prunus.text.numbers import percent, short


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (950, "950"),
        (999, "999"),
        (1_000, "1K"),
        (7_500, "7.5K"),
        (16_000, "16K"),
        (83_149, "83.1K"),
        (999_949, "999.9K"),
        (999_950, "1M"),
        (1_200_000, "1.2M"),
        (2_000_000_000, "2G"),
        (-7_500, "-7.5K"),
    ],
)
def test_counts_fit_a_status_line(count: int, text: str) -> None:
    assert short(count) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "0%"), (0, 5, "0%"), (1, 1000, "<1%"), (999, 1000, ">99%"), (1, 1, "100%"), (1, 3, "33%")],
)
def test_only_nothing_is_zero_and_only_everything_is_a_hundred(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text
