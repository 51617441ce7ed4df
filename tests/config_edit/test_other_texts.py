"""One value changes in a TOML file or a file of variables; the rest stays."""

import tomllib

import pytest

from prunus.config_edit import env_text, toml_text

CODEX = """# my settings
model = "gpt-5.5" # the best

[tui]
theme = "dark"

[model_providers.mine] # the gateway
name = "Mine"
base_url = "https://gateway.example/v1" # do not touch
"""


def test_a_toml_value_at_the_top_is_added_before_the_tables() -> None:
    changed = toml_text.with_value(CODEX, ("openai_base_url",), "http://x")
    assert changed == CODEX.replace("best\n", 'best\nopenai_base_url = "http://x"\n')
    assert toml_text.with_value(changed, ("openai_base_url",), "http://x") == changed
    assert toml_text.without_value(changed, ("openai_base_url",)) == CODEX


def test_a_toml_value_in_a_table_keeps_its_comment() -> None:
    changed = toml_text.with_value(CODEX, ("model_providers", "mine", "base_url"), "http://x")
    assert changed == CODEX.replace("https://gateway.example/v1", "http://x")


def test_a_toml_table_is_made_and_goes_when_it_is_empty() -> None:
    changed = toml_text.with_value("a = 1\n", ("upstreams", "more"), ["n=http://n"])
    assert tomllib.loads(changed) == {"a": 1, "upstreams": {"more": ["n=http://n"]}}
    assert tomllib.loads(toml_text.without_value(changed, ("upstreams", "more"))) == {"a": 1}


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2\n", "[a\n"])
def test_damaged_toml_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        toml_text.with_value(text, ("b",), "x")


def test_a_toml_value_in_the_way_is_refused() -> None:
    with pytest.raises(ValueError, match="a is not a table"):
        toml_text.with_value("a = 1\n", ("a", "b"), "x")


ENV = "# keys\nexport A_KEY='secret'\n\nURL = http://old # not a comment to all readers\nB=2"


def test_a_variable_is_changed_in_its_line_or_added_at_the_end() -> None:
    assert env_text.parse(ENV)["A_KEY"] == "secret"
    assert env_text.with_value(ENV, ("A_KEY",), "x") == ENV.replace("'secret'", "x")
    added = env_text.with_value(ENV, ("C",), "x")
    assert added == f"{ENV}\nC=x\n"
    assert env_text.without_value(added, ("C",)) == f"{ENV}\n"
    assert env_text.with_value("", ("C",), "x") == "C=x\n"
    assert env_text.with_value("A=1\r\n", ("C",), "x") == "A=1\r\nC=x\r\n"


def test_the_last_line_of_a_variable_counts() -> None:
    text = "A=1\nA=2\n"
    assert env_text.parse(text) == {"A": "2"}
    assert env_text.with_value(text, ("A",), "3") == "A=1\nA=3\n"
    assert env_text.without_value(text, ("A",)) == ""
