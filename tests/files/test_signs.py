"""Calls that were never carried out."""

import pytest

from prunus.files.signs import never_ran, refused


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ('rg -n "a[`$]b" src', 'zsh:1: unmatched "\n'),
        ("echo 'x", "bash: -c: line 1: unexpected EOF while looking for matching `''\n"),
        ('& "C:\\tool.exe" run', "&: The term 'C:\\tool.exe' is not recognized as a name of a cmdlet, function\n"),
    ],
)
def test_a_command_that_could_not_start_did_nothing(command: str, output: str) -> None:
    assert never_ran(command, output)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("./fix.sh", ""),
        ("./fix.sh", "bash: line 3: tidyup: command not found\n"),
        ("./fix.sh; tidyup", "bash: line 1: tidyup: command not found\n"),
        ("rm a.py\necho 'x", "bash: -c: line 2: unexpected EOF while looking for matching `''\n"),
        ("tidyup || rm a.py", "bash: line 1: tidyup: command not found\n"),
        ("tidyup; rm a.py", "bash: line 1: tidyup: command not found\n"),
        ("tidyup > a.py", "bash: line 1: tidyup: command not found\n"),
        ("python3 fix.py", "python3: can't open file '/repo/other.py': [Errno 2] No such file\n"),
        ("Remove-Item a; tool", "tool: The term 'tool' is not recognized as a name of a cmdlet\n"),
    ],
)
def test_a_command_of_which_a_part_may_have_run_is_not_excused(command: str, output: str) -> None:
    assert not never_ran(command, output)


def test_a_call_that_the_user_refused_was_not_made() -> None:
    assert refused("The user doesn't want to proceed with this tool use. The tool use was rejected")
    assert not refused("[Request interrupted by user for tool use]")
