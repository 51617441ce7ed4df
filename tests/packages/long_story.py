"""A session of more than thirty calls, in the project of the end-to-end tests.

Files are read again and again, edited in between, and looked at side by side; a command fails and then passes; a
file is missing; a second message of the user follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.e2e.story import ANSWERS, PROMPTS
from tests.upstream import Edit, Read, Run, Script, Step, Write

__all__ = ["ANSWERS", "CALLS", "PROMPTS", "ends_well", "script"]

_REPORT: Final = Read("report.py")
_NOTES: Final = Read("notes.md")
_CHECK: Final = Run("python3 check.py")
_LOG: Final = Run("seq 1 240 | sed 's/.*/row & of the log: nothing to see here, all is well/'")
_WRONG: Final = "    return sum(amount for _, amount in ROWS[1:])\n"
_RIGHT: Final = "    return sum(amount for _, amount in ROWS)\n"
_SUMMARY: Final = "# What was done\n\n" + "".join(f"{n}. The report has been looked at.\n" for n in range(80))

_STEPS: Final = (
    Step((_REPORT,), "I look at the report first."),
    Step((_CHECK,), "Now the check."),
    Step((_REPORT, _NOTES), "Both files once more."),
    Step((_LOG, Read("check.py")), "What does the log say?"),
    Step((Read("check.py"),), "What does the check want?"),
    Step((_REPORT, _LOG, _NOTES), "All of it side by side."),
    Step((Read("missing.py"),), "Is there another file?"),
    Step((Edit("report.py", _WRONG, _RIGHT),), "The first row is left out."),
    Step((_REPORT,), "Does the file look right?"),
    Step((_CHECK,), "The check again."),
    Step((_LOG, _NOTES), "And the log."),
    Step((Write("SUMMARY.md", _SUMMARY),), "I write it down."),
    Step((Read("SUMMARY.md"), _REPORT), "A last look."),
    Step((_NOTES,), "Do the notes ask for more?"),
    Step((_CHECK, _LOG), "Everything once more."),
    Step(text=ANSWERS[0]),
    Step((_CHECK, Read("SUMMARY.md")), "The check again."),
    Step((_REPORT,), "And the file."),
    Step((_NOTES, _LOG, Read("check.py")), "And the notes."),
    Step((Read("missing.py"),), "Still missing?"),
    Step((_REPORT, _CHECK), "The last time."),
    Step(text=ANSWERS[1]),
)
CALLS: Final = sum(len(step.calls) for step in _STEPS)


def script(project: Path) -> Script:
    """What the model does."""
    return Script(_STEPS, root=str(project))


def ends_well(files: dict[str, str]) -> bool:
    """Whether the files are as the session should leave them."""
    return _RIGHT in files["report.py"] and _WRONG not in files["report.py"] and files.get("SUMMARY.md") == _SUMMARY
