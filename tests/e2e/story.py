"""The session that every client plays: a small project, what the model does in it, and how it ends.

There is something in it for every rule: the same file read four times, an edit after a read, a command that fails,
a file that is missing, a long output that nobody needs again, and calls of the proxy's own tool: alone, before the
last words of a turn, and beside other calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.upstream import Edit, Prune, Read, Run, Script, Shown, Step, Write

__all__ = [
    "ANSWERS",
    "DISCARD",
    "DISTILLED",
    "LONG",
    "NOTE",
    "NOTES",
    "PROMPTS",
    "RESTORE",
    "ends_well",
    "lay_out",
    "script",
]

PROMPTS: Final = (
    "The sum in report.py is wrong. Please repair it, check it, and write down what you did.",
    "Please check once more, and show me the summary.",
)
ANSWERS: Final = (
    "The sum is right now: report.py adds up all the rows, and SUMMARY.md says what was changed.",
    "The check still passes, and the summary says why.",
)
LONG: Final = 4
"""The step whose output is long."""
NOTES: Final = (2, 1)
"""The step that reads the notes, and which of its calls does."""
DISCARD: Final = 6
"""The step at which the agent discards its notes, which no strategy would touch."""
RESTORE: Final = 13
"""The step at which it asks for them again, beside a call that the client sees."""
NOTE: Final = "Rule 17: the report is made once a year."
"""A line of the notes."""
DISTILLED: Final = "Nothing is in the log."
"""What the agent keeps of a result, just before its last words in the first turn."""

_ROWS = 60
_WRONG = "    return sum(amount for _, amount in ROWS[1:])\n"
_RIGHT = "    return sum(amount for _, amount in ROWS)\n"
_SUMMARY = "# What was done\n\nThe sum left out the first row. It no longer does.\n"


def lay_out(project: Path) -> None:
    """Write the files of the project."""
    rows = "".join(f'    ("item number {n:03d} of the yearly report", {n * 7 + 3}),\n' for n in range(_ROWS))
    main = '\n\nif __name__ == "__main__":\n    print(total())\n'
    report = f"# The yearly report\n\nROWS = (\n{rows})\n\n\ndef total():\n{_WRONG}{main}"
    (project / "report.py").write_text(report)
    expected = sum(n * 7 + 3 for n in range(_ROWS))
    (project / "check.py").write_text(
        f"import report\n\nassert report.total() == {expected}, report.total()\nprint('right')\n"
    )
    rules = [f"Rule {n}: the report is made once a year.\n" for n in range(30)]
    (project / "notes.md").write_text("# Notes\n\n" + "".join(rules))


def script(project: Path) -> Script:
    """What the model does."""
    # Without $( ), which Gemini CLI refuses to run.
    log = "seq 1 240 | sed 's/.*/row & of the log: nothing to see here, all is well/'"
    steps = (
        Step((Read("report.py"),), "I look at the report first."),
        Step((Run("python3 check.py"),), "Now the check."),
        Step((Read("report.py"), Read("notes.md")), "Both files once more."),
        Step((Edit("report.py", _WRONG, _RIGHT),), "The first row is left out."),
        Step((Run(log),), "What does the log say?"),
        Step((Read("report.py"),), "Does the file look right?"),
        Step((Prune("discard", ((Shown(*NOTES),),)),), "The notes are of no more use."),
        Step((Read("missing.py"),), "Is there another file?"),
        Step((Run("python3 check.py"),), "The check again."),
        Step((Write("SUMMARY.md", _SUMMARY),), "I write it down."),
        Step((Read("report.py"), Read("SUMMARY.md")), "A last look."),
        Step((Prune("distill", ((Shown(LONG), DISTILLED),)),), "One line of the log is enough."),
        Step(text=ANSWERS[0]),
        Step(
            (Run("python3 check.py"), Prune("restore", ((Shown(*NOTES),),)), Read("SUMMARY.md")), "The check again."
        ),
        Step((Read("report.py"),), "And the file."),
        Step(text=ANSWERS[1]),
    )
    return Script(steps, root=str(project))


def ends_well(files: dict[str, str]) -> bool:
    """Whether the files are as the session should leave them."""
    return _RIGHT in files["report.py"] and _WRONG not in files["report.py"] and files.get("SUMMARY.md") == _SUMMARY
