import pytest

from prunus.errors import SettingsError
from prunus.lab.cost import price_row
from prunus.schedule.prices import NAMED_ROWS


@pytest.mark.parametrize("name", NAMED_ROWS)
def test_named_rows_are_found(name: str) -> None:
    assert price_row(name) is NAMED_ROWS[name]


def test_any_pair_of_numbers_is_a_row() -> None:
    assert (price_row("0.3/1.5").read, price_row("0.3/1.5").write) == (0.3, 1.5)


@pytest.mark.parametrize("text", ["cheap", "0.1", "0.1/", "0.1/1.25/2"])
def test_an_invalid_price_row_raises_an_error_that_lists_the_rows(text: str) -> None:
    with pytest.raises(SettingsError, match=r"0\.1/1\.25"):
        price_row(text)
