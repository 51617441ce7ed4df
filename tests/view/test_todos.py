"""Todo lists: their items, and what coloured items name."""

from __future__ import annotations

from typing import Any

import pytest

from prunus.view.todos import COLOURS, Colour, Colours, Task, colours_of, tasks_in

Place = tuple[str, int, int | None]


def coloured(*items: str) -> Colours:
    return colours_of(Task("", item, "pending") for item in items)


@pytest.mark.parametrize(
    "given",
    [
        {"todos": [{"id": "crit-1", "content": "Do it", "status": "In_Progress"}]},
        {"plan": [{"id": "crit-1", "step": "Do it", "status": "in_progress"}]},
        {"todos": ["no item", {"id": "crit-1", "description": "Do it", "status": "in_progress"}]},
    ],
)
def test_items_are_found_in_the_arguments_of_every_agent(given: Any) -> None:
    assert tasks_in(given) == [Task("crit-1", "Do it", "in_progress")]


@pytest.mark.parametrize("given", ["", "not an object", {}, {"todos": "none"}])
def test_a_value_that_is_no_list_has_no_todo_items(given: Any) -> None:
    assert tasks_in(given) == []


def test_items_without_a_mark_name_nothing() -> None:
    assert not coloured("src/app.py must stay", "CRITICAL: 3fa9c2")
    assert not coloured("🔴 CRITICAL: User requirement - must support dark mode")


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    ("item", "id", "place", "text"),
    [
        ("CRITICAL: 3fa9c2", "3fa9c2", None, ""),
        ("CRITICAL: keep src/app.py.", "", ("/work/src/app.py", 1, None), ""),
        ("CRITICAL: keep `./src/app.py`", "", ("src/app.py", 1, None), ""),
        ("CRITICAL: app.py", "", ("/work/src/app.py", 1, 20), ""),
        ("CRITICAL: src/app.py:42", "", ("src/app.py", 40, 50), ""),
        ("CRITICAL: src/app.py:42-60", "", ("src/app.py", -20, None), ""),
        ('CRITICAL: "port 8080 is taken"', "", None, "log\nport 8080 is taken\nend"),
        ("CRITICAL: `port 8080 is taken`", "", None, "port 8080 is taken"),
        ("CRITICAL: “port 8080 is taken”", "", None, "port 8080 is taken"),
    ],
)
def test_an_item_names_a_part_by_its_id_its_file_its_line_or_its_words(
    colour: Colour, item: str, id: str, place: Place | None, text: str
) -> None:
    found = coloured(f"{colour} {item}")
    assert found.of(id, [place] if place else [], text) == colour


@pytest.mark.parametrize(
    ("item", "id", "place", "text"),
    [
        ("3fa9c2", "3fa9c3", None, ""),
        ("src/app.py", "", ("src/other/app.py.bak", 1, None), ""),
        ("app.py", "", ("src/myapp.py", 1, None), ""),
        ("src/app.py:42", "", ("src/app.py", 1, 20), ""),
        ('"port 8080 is taken"', "", None, "port 8081 is taken"),
        ('"short"', "", None, "short"),
    ],
)
def test_a_todo_item_does_not_match_other_content(item: str, id: str, place: Place | None, text: str) -> None:
    assert coloured(f"🔴 {item}").of(id, [place] if place else [], text) is None


def test_the_gravest_colour_counts() -> None:
    found = coloured("🔵 src/app.py", "🔴 src/app.py", "🟡 src/app.py")
    assert found.of("", [("src/app.py", 1, None)], "") == "🔴"
