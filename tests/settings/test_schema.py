"""The schema and the template contain every key with its help text and default."""

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from prunus.settings import Settings
from prunus.settings.describe import Key, field_docs, init_text, keys
from prunus.strategies.long_outputs import LongOutputs

KEYS = tuple(keys())


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """A class with fields."""

    first: int = 1
    """The first,
    over two lines."""
    second: int = 2


def flat(table: dict[str, Any], start: str = "") -> set[str]:
    found = set()
    for name, value in table.items():
        found |= flat(value, f"{start}{name}.") if isinstance(value, dict) else {f"{start}{name}"}
    return found


def uncommented() -> str:
    return re.sub(r"^#(?! )", "", init_text(), flags=re.MULTILINE)


def test_the_string_below_a_field_is_found() -> None:
    assert field_docs(Example) == {"first": "The first, over two lines."}


def test_the_strings_of_a_strategy_are_found() -> None:
    fields = {"over", "searches", "head", "tail", "middle", "turns", "at_once", "markup", "marked", "kinds"}
    assert field_docs(LongOutputs).keys() == fields


def test_every_setting_has_a_key() -> None:
    names = {key.name for key in KEYS}
    assert names == flat(Settings().dump()) | {"protected_tools", "protected_paths", "turn_protection"}


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_has_a_help_text(key: Key) -> None:
    assert key.doc.endswith(".")


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_the_schema_has_the_help_text_and_the_default_of_a_key(key: Key) -> None:
    schema = Settings.schema()
    place = schema
    for step in key.name.split("."):
        table = schema["$defs"][place["$ref"].rpartition("/")[2]] if "$ref" in place else place
        place = table["properties"][step]
    assert place["description"] == key.doc
    assert place["default"] == key.default


def test_the_schema_knows_the_presets() -> None:
    assert Settings.schema()["properties"]["preset"]["enum"] == ["auto", "acp", "smart", "off"]


def test_the_schema_allows_acp_keys() -> None:
    schema = Settings.schema()
    assert {"turnProtection", "protectedTools", "manualMode", "debug"} <= schema["properties"].keys()
    assert {"aggressivePruning", "purgeErrors"} <= schema["$defs"]["Strategies"]["properties"].keys()


def test_the_template_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "prunus.toml"
    path.write_text(init_text(), encoding="utf-8")
    assert tomllib.loads(init_text()) == {}
    assert Settings.load(path) == Settings()


def test_the_uncommented_template_holds_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "prunus.toml"
    path.write_text(uncommented(), encoding="utf-8")
    assert Settings.load(path) == Settings()


def test_the_uncommented_template_holds_every_key() -> None:
    assert flat(tomllib.loads(uncommented())) == {key.name for key in KEYS}


def test_a_single_line_of_the_template_may_be_uncommented(tmp_path: Path) -> None:
    text = init_text().replace("#strategies.old_errors.turns = 3", "strategies.old_errors.turns = 9")
    path = tmp_path / "prunus.toml"
    path.write_text(text, encoding="utf-8")
    assert Settings.load(path).strategies.old_errors.turns == 9
