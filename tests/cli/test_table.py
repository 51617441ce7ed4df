from prunus.cli.table import plain, printable


def test_columns_line_up_also_under_wide_characters() -> None:
    text = plain(("a", "n", "why"), [("日本", "7", "x"), ("ab", "1,234", "y")], right=(1,))
    assert text.splitlines() == ["a         n  why", "日本      7  x", "ab    1,234  y"]


def test_long_cells_are_cut_but_the_last_is_not() -> None:
    [_, row] = plain(("a", "b"), [("x" * 90, "y" * 90)]).splitlines()
    assert row == "x" * 47 + "…  " + "y" * 90


def test_control_characters_become_visible() -> None:
    assert printable("a\x1b[2J\nb\x00é\ud800") == "a�[2J�b�é�"
