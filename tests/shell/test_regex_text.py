import pytest

from prunus.shell.regex_text import plain_texts


@pytest.mark.parametrize(
    ("expression", "extended", "texts"),
    [
        ("return old_value", False, ["return old_value"]),
        ("def run(self) -> List\\[Node\\]:$", False, ["def run(self) -> List[Node]:"]),
        ("def run\\(self\\) -> List\\[Node\\]:$", True, ["def run(self) -> List[Node]:"]),
        ("def __init__(self, \\*args)", False, ["def __init__(self, *args)"]),
        ("data = {}", False, ["data = {}"]),
        ("self.reader.settings", False, ["self.reader.settings"]),
        ("first.*second", False, ["first", "second"]),
        ("colou\\?r", False, ["colo", "r"]),
        ("colou?r", True, ["colo", "r"]),
        ("(one|two) and [a-z]+ and [.]", True, ["one", "two", " and ", " and ."]),
        ("^a\\s+b{2}c$", True, ["a", "c"]),
        ("a\\/b", False, ["a/b"]),
    ],
)
def test_the_plain_text_of_an_expression(expression: str, extended: bool, texts: list[str]) -> None:
    assert [text for text in plain_texts(expression, extended=extended) if text] == texts
