"""One value changes in a JSON file; comments, order and spacing stay."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus.config_edit import value_at
from prunus.config_edit.json_text import parse, with_value, without_value

KEY = ("env", "URL")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "env": {\n    "URL": "x"\n  }\n}\n'),
        ("{}", '{\n  "env": {\n    "URL": "x"\n  }\n}'),
        ('{"a": 1}', '{"a": 1, "env": {"URL": "x"}}'),
        ('{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "env": {\n        "URL": "x"\n    }\n}\n'),
        ('{\n\t"env": {\n\t\t"A": "b"\n\t}\n}\n', '{\n\t"env": {\n\t\t"A": "b",\n\t\t"URL": "x"\n\t}\n}\n'),
        ('{\n  "env": {}, // mine\n  "b": 2,\n}\n', '{\n  "env": {\n    "URL": "x"\n  }, // mine\n  "b": 2,\n}\n'),
        ('{\n  "b": 2, // last\n}\n', '{\n  "b": 2, // last\n  "env": {\n    "URL": "x"\n  },\n}\n'),
        ('{\n  "b": 2 // last\n}\n', '{\n  "b": 2, // last\n  "env": {\n    "URL": "x"\n  }\n}\n'),
        ('{\n  // nothing yet\n}\n', '{\n  // nothing yet\n  "env": {\n    "URL": "x"\n  }\n}\n'),
        ('{\r\n  "b": 2\r\n}\r\n', '{\r\n  "b": 2,\r\n  "env": {\r\n    "URL": "x"\r\n  }\r\n}\r\n'),
        ('/* top */{"env": {"URL": "old" /* why */, "Z": 1}}', '/* top */{"env": {"URL": "x" /* why */, "Z": 1}}'),
        ('{"env": {"URL": ["a", {"b": "}"}]}}', '{"env": {"URL": "x"}}'),
    ],
)  # fmt: skip
def test_a_value_is_changed_or_added_in_the_style_of_the_file(before: str, after: str) -> None:
    assert with_value(before, KEY, "x") == after
    assert with_value(after, KEY, "x") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"env": {"URL": "x"}}', "{}"),
        ('{"a": 1, "env": {"URL": "x"}}', '{"a": 1}'),
        ('{"env": {"URL": "x"}, "a": 1}', '{ "a": 1}'),
        ('{\n  "env": {\n    "A": 1,\n    "URL": "x"\n  }\n}', '{\n  "env": {\n    "A": 1\n  }\n}'),
        ('{\n  "env": {\n    "URL": "x", // gone\n    "A": 1\n  }\n}', '{\n  "env": { // gone\n    "A": 1\n  }\n}'),
        ('{\n  "a": 1, // kept\n  "env": {\n    "URL": "x",\n  },\n}', '{\n  "a": 1, // kept\n}'),
        ('{ // c\n  "env": {"URL": "x"}, "a": 1}', '{ // c\n "a": 1}'),
        ('{\n  "env": {\n    // why\n    "URL": "x"\n  }\n}', '{\n  "env": {\n    // why\n  }\n}'),
    ],
)
def test_a_value_is_removed_with_the_objects_that_held_only_it(before: str, after: str) -> None:
    assert without_value(before, KEY) == after


@pytest.mark.parametrize("text", ["{", '{"a": 1,, }', "[1]", '{"a": 1} x', "nonsense", '{"a": 1, "a": 2}', "/*"])
def test_a_document_that_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        with_value(text, KEY, "x")


@pytest.mark.parametrize("text", ['{"env": 3}', '{"env": ["URL"]}', '{"env": null}'])
def test_a_value_in_the_way_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="env is not an object"):
        with_value(text, KEY, "x")


NAMES = st.sampled_from(["env", "URL", "a", "b", 'q"uote', "ü", "//", "/*", ",", "{"])
TABLES = st.dictionaries(
    NAMES,
    st.recursive(
        st.none() | st.integers() | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)
KEYS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON in several styles, with comments and trailing commas between its tokens."""
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    text = json.dumps(draw(TABLES), indent=indent, ensure_ascii=draw(st.booleans()))
    if indent is not None and draw(st.booleans()):
        lines = text.split("\n")
        marks = draw(
            st.lists(
                st.sampled_from(["", " // note, {", " /* a\n\n b */"]), min_size=len(lines), max_size=len(lines)
            )
        )
        text = "\n".join(line + mark for line, mark in zip(lines, marks, strict=True))
    return text + draw(st.sampled_from(["", "\n", " // end"]))  # fmt: skip


def blocked(table: Any, key: tuple[str, ...]) -> bool:
    for name in key[:-1]:
        if not isinstance(table, dict):
            return True
        if name not in table:
            return False
        table = table[name]
    return not isinstance(table, dict)


def merged(table: Any, key: tuple[str, ...], value: str) -> dict[str, Any]:
    inner = value if len(key) == 1 else merged(table.get(key[0], {}), key[1:], value)
    return {**table, key[0]: inner}


@given(texts(), KEYS, st.text(max_size=8))
def test_only_the_value_changes_whatever_the_file_holds(text: str, key: tuple[str, ...], value: str) -> None:
    table = parse(text)
    if blocked(table, key):
        with pytest.raises(ValueError):
            with_value(text, key, value)
        return
    changed = with_value(text, key, value)
    assert parse(changed) == merged(table, key, value)
    assert list(parse(changed))[: len(table)] == list(table)
    assert with_value(changed, key, value) == changed
    assert changed.count("note") == text.count("note") or value_at(table, key) is not None
    undone = without_value(changed, key)
    assert value_at(parse(undone), key) is None
    if value_at(table, key[:1]) is None and key[0] not in table:
        assert parse(undone) == table
