"""What is followed of `sed -i`, against sed itself."""

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prunus.files.content import Content
from prunus.files.patterns import translated
from prunus.files.sed import apply_stream, streams

LINES = st.sampled_from(
    ["alpha", "beta", "  beta", "a.b*c", "x = f(1)", "}", "", "ab ab", "foo/bar", "tab\there", "é ab"]
)
ADDRESSES = st.sampled_from(
    ["", "2", "2,3", "2,$", "$", "3,1", "9", "/beta/", r"/^\s*b/", "/a.b/", "/^$/", "2!", "/beta/!", r"/ab\|x/"]
)
COMMANDS = st.sampled_from(
    [
        "d",
        "s/a/X/",
        "s/a/X/g",
        "s/a.b/<&>/g",
        r"s/\(a\)\(.\)/\2\1/",
        "s|foo/bar|baz|",
        r"s/foo\/bar/q/",
        "s/beta$/end/",
        "s/^/> /",
        "s/[a-c]*$/!/",
        r"s/a\+/Y/",
        r"s/f(1)/g(\1)/",
        r"s/x = /x\n/",
        "s/A/z/I",
        "s/b*/-/g",
        "s/[[:space:]]b/_/",
        "i new line",
        r"i\  kept",
        r"a one\ntwo",
        "a\\\nnext",
        "c changed",
        "r put.txt",
        "r missing.txt",
        "a it's",
        r"s/\bab\b/word/g",
        r"s/\w\w/W/",
    ]
)
SCRIPTS = st.lists(st.builds("".join, st.tuples(ADDRESSES, COMMANDS)), min_size=1, max_size=2)


@pytest.mark.skipif(shutil.which("sed") is None, reason="there is no sed")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    lines=st.lists(LINES, min_size=1, max_size=6),
    hidden=st.sets(st.integers(0, 5)),
    told=st.booleans(),
    scripts=SCRIPTS,
    extended=st.booleans(),
)
def test_sed_makes_what_is_followed(
    lines: list[str], hidden: set[int], told: bool, scripts: list[str], extended: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.txt"
        path.write_text("\n".join(lines) + "\n")
        (path.parent / "put.txt").write_text("put 1\nput 2\n")
        flag = "-Ei" if extended else "-i"
        command = "sed " + flag + "".join(f" -e {shlex.quote(script)}" for script in scripts) + " file.txt"
        followed = streams(command)
        if followed is None:
            return
        done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=False)
        if done.returncode:
            return
        content = Content()
        shown = [None if at in hidden else line for at, line in enumerate(lines)]
        content.learn(1, shown, len(lines) if told else None)
        apply_stream(content, followed[0][1], {"put.txt": "put 1\nput 2\n"}.get)
        text = path.read_text()
        truth = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []
        for number, line in enumerate(content.lines, 1):
            if line is not None:
                assert number <= len(truth) and truth[number - 1] == line.text, (command, lines, truth)
        if content.length is not None:
            assert content.length == len(truth), (command, lines, truth)


@pytest.mark.parametrize(
    ("pattern", "extended"),
    [
        ("a{2}", True),
        (r"a\{2\}", False),
        (r"\d", False),
        ("(ab)*", True),
        ("a|b", True),
        ("", False),
        (r"[\n]", False),
    ],
)
def test_patterns_that_may_find_something_else_are_not_translated(pattern: str, extended: bool) -> None:
    assert translated(pattern, extended, exact=True) is None


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/a/b/w out.txt' a.py",
        "sed -i '1{d}' a.py",
        "sed -i 's/a/b/e' a.py",
        "sed -i 's/a/b/' a.py > log.txt",
        "sed -i 's/a/b/' a.py && python3 change.py",
        "if true; then sed -i 's/a/b/' a.py; fi",
        r"sed -i '' 's/a\+/b/' a.py",
        "sed -i.bak 's/a/b/' a.py",
        "sed -i '/a/,/b/d' a.py",
        "sed -n 's/a/b/p' a.py",
    ],
)
def test_what_cannot_be_followed_is_left_alone(command: str) -> None:
    assert streams(command) is None


def test_several_files_are_followed_one_after_another() -> None:
    found = streams("cd src && sed -i '2d' a.py && sed -i 's/x/y/' b.py; grep -n x b.py")
    assert found is not None and [path for path, _ in found] == ["a.py", "b.py"]


@pytest.mark.parametrize("pattern", [r"\(a*\)*b", r"\(a\|ab\)*c", r"\(a\+\)\+b"])
def test_an_expression_that_repeats_what_is_repeated_is_not_run(pattern: str) -> None:
    assert translated(pattern, extended=False, exact=False) is None


def test_an_expression_that_may_take_for_ever_leaves_nothing_certain() -> None:
    content = Content()
    content.write("a" * 2_000 + "\n")
    edited = streams("sed -i 's/a*a*a*a*b/x/' f")
    assert edited is not None
    assert apply_stream(content, edited[0][1]) == []
    assert content.blank


def test_an_expression_with_several_repetitions_is_run_on_lines_of_usual_length() -> None:
    content = Content()
    content.write('  "version": "1.2.3", "name": "x"\n')
    edited = streams("""sed -i 's/"version": "\\(.*\\)", "name": "\\(.*\\)"/"v": "\\1"/' f""")
    assert edited is not None
    apply_stream(content, edited[0][1])
    assert content.text_at(1) == '  "v": "1.2.3"'
