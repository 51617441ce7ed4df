from collections import Counter

from click import unstyle
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from prunus.cli.table import fold, plain, tables

NUMBERS = st.integers(0, 10**9).map("{:,}".format)
WORDS = st.text("abc日-/ .", max_size=60)


def test_columns_line_up_also_under_wide_characters() -> None:
    text = plain(("a", "n", "why"), [("日本", "7", "x"), ("ab", "1,234", "y")], right=(1,))
    assert text.splitlines() == ["a         n  why", "日本      7  x", "ab    1,234  y"]


def test_a_long_cell_is_whole_and_moves_only_its_own_line() -> None:
    text = plain(("a", "n"), [("x" * 90, "1,234"), ("y", "7")], right=(1,))
    assert text.splitlines() == ["a" + " " * 49 + "n", "x" * 90 + "  1,234", "y" + " " * 49 + "7"]


@given(
    rows=st.integers(1, 6).flatmap(
        lambda columns: st.lists(
            st.lists(st.one_of(NUMBERS, WORDS), min_size=columns, max_size=columns), min_size=1, max_size=30
        )
    ),
    width=st.integers(40, 200),
    data=st.data(),
)
def test_every_cell_is_shown_and_no_line_is_wider_than_the_terminal(
    rows: list[list[str]], width: int, data: st.DataObject
) -> None:
    columns = range(len(rows[0]))
    right = [i for i in columns if all(row[i][:1].isdigit() for row in rows)]
    flexible = data.draw(st.sets(st.sampled_from(columns)))
    headings = [f"heading {i}" for i in columns]
    shown = [line for table in tables(headings, rows, width, right=right, flexible=flexible) for line in table]
    assert all(cell_len(unstyle(line)) <= width for line in shown)
    words = Counter(word for line in shown for word in unstyle(line).split())
    numbers = Counter(row[i] for row in rows for i in right)
    assert all(words[number] >= count for number, count in numbers.items())
    letters = Counter("".join(words.elements()))
    assert all(
        letters[letter] >= count for letter, count in Counter("".join(map("".join, rows))).items() if letter != " "
    )


def test_a_wide_table_is_split_into_pieces_with_the_same_first_column() -> None:
    headings, row = ("policy", *(f"column{n}" for n in range(8))), ("auto", *(f"0.{n}96" for n in range(8)))
    assert len(list(tables(headings, [row], 100, right=range(1, 9)))) == 1
    first, second = tables(headings, [row], 60, right=range(1, 9))
    assert [unstyle(table[0]).split()[0] for table in (first, second)] == ["policy", "policy"]
    assert unstyle(first[1]).split() + unstyle(second[1]).split()[1:] == list(row)


def test_many_rows_in_pieces_stay_near_each_other() -> None:
    rows = [(f"row{n}", "x" * 30, "y" * 30) for n in range(45)]
    found = list(tables(("a", "b", "c"), rows, 50))
    assert [len(table) for table in found] == [21, 21, 21, 21, 6, 6]


def test_a_long_name_is_folded_at_its_joints() -> None:
    assert fold("anthropic/claude-sonnet-4-5-20261010", 18) == ["anthropic/claude-", "sonnet-4-5-", "20261010"]
    assert fold("took 12,345 of 67,890 tokens", 12) == ["took 12,345", "of 67,890", "tokens"]
