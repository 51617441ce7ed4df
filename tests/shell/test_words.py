"""Taking a shell command apart."""

from __future__ import annotations

import pytest

from prunus.shell.words import Word, simples


def texts(command: str) -> list[list[str]]:
    found = simples(command)
    assert found is not None
    return [[word.text for word in simple.words] for simple in found]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a b", [["cat", "a", "b"]]),
        ("cat 'a b' \"c d\" e\\ f", [["cat", "a b", "c d", "e f"]]),
        ("a && b; c | d || e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a 2>&1 >/dev/null", [["a"]]),
        ("X=1 Y=2 a", [["a"]]),
        ("a # comment | b", [["a"]]),
        ("a \\\n b", [["a", "b"]]),
        ("type src\\lib\\a.ts", [["type", "src\\lib\\a.ts"]]),
        ("cat app/\\(x\\)/[id].tsx", [["cat", "app/(x)/[id].tsx"]]),
        ('D=/w\ncat $D/a "${D}/b"', [["cat", "/w/a", "/w/b"]]),
    ],
)
def test_a_shell_command_is_split_into_commands_and_words(command: str, expected: list[list[str]]) -> None:
    assert texts(command) == expected


def test_a_heredoc_is_kept_apart_from_the_words() -> None:
    found = simples("cat > f <<'EOF'\nit's \"odd\" $(\nEOF\necho done")
    assert found is not None
    assert found[0].heredoc == 'it\'s "odd" $(\n'
    assert found[0].outputs == (Word("f"),)
    assert [word.text for word in found[1].words] == ["echo", "done"]


def test_a_heredoc_within_a_substitution_does_not_end_the_word() -> None:
    assert len(texts('git commit -m "$(cat <<\'EOF\'\nit\'s (a "test"\nEOF\n)" && ls')) == 2


@pytest.mark.parametrize(
    "command", ["cat $f", "cat *.py", "cat $(ls)", "cat `ls`", "cat {a,b}", 'cat "$f/x"', 'cat "$@"']
)
def test_a_word_with_an_unknown_part_is_not_certain(command: str) -> None:
    found = simples(command)
    assert found is not None
    assert not found[0].words[1].certain


def test_a_loop_variable_hides_an_earlier_value() -> None:
    found = simples("f=a; for f in b c; do cat $f; done")
    assert found is not None
    assert not found[-1].words[1].certain
    assert found[-1].conditional


@pytest.mark.parametrize("command", ["cat 'a", 'cat "a', "cat $(ls", "cat <<EOF\nno end"])
def test_a_command_that_does_not_end_is_not_followed(command: str) -> None:
    assert simples(command) is None
