import pytest

from prunus.shell.seeking import plain_texts
from prunus.shell.spelled_out import texts_sought

PYTHON = """python3 - <<'EOF'
import re
old = 'def first(\\n    value):'
text = open("a.py").read()
assert old in text
text = text.replace("second line", "2")
text = re.sub(r"fourth \\(line\\)", "4", text)
open("a.py", "w").write(text)
EOF
"""
PRINTING = """python3 -c "
for line in open('a.py'):
    if 'first line' in line:
        print(line)
"
"""


@pytest.mark.parametrize(
    ("command", "texts"),
    [
        ("sed -i 's/first line/1/' a.py", {"first line"}),
        ("sed -i.bak -e '3,5s|first line|1|g' -e '/second line/d' a.py", {"first line", "second line"}),
        ("sed -i -E 's/(first) line\\(/1/; s/second line/2/' a.py", {"first", " line(", "second line"}),
        ("sed -i '/first line/,/second line/d' a.py", {"first line", "second line"}),
        ("sed -i '/first line/a \\    added; s/not sought/x/' a.py", {"first line"}),
        ("sed -i '5d' a.py", set()),
        ("sed 's/first line/1/' a.py", set()),
        ("perl -0pi -e 's/first line\\(/1/g' a.py", {"first line("}),
        ("perl -ne 'print if s/first line/1/' a.py", set()),
        (PYTHON, {"def first(\n    value):", "second line", "fourth (line)"}),
        (PRINTING, set()),
        ("python3 -c 'open(1, \"w\").write(('", set()),
        ("(Get-Content a.ts) -replace 'first\\.line', '1' | Set-Content a.ts", {"first.line"}),
        ("(Get-Content a.ts).Replace('first.line', '1') | Set-Content a.ts", {"first.line"}),
        ("(Get-Content a.ts) -replace 'first line', '1'", set()),
        ("echo 'unfinished", set()),
    ],
)
def test_the_texts_that_an_edit_looks_for(command: str, texts: set[str]) -> None:
    assert {text for text in texts_sought(command) if text} == texts


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
