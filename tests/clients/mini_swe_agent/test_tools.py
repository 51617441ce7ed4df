"""mini-swe-agent's one tool."""

from __future__ import annotations

from prunus.calls.toolbox import Toolbox
from prunus.calls.touches import Touch

BOX = Toolbox()


def test_a_read_and_an_edit_are_both_commands() -> None:
    assert BOX.meaning("bash", {"command": "cat a.py"}).touches == (Touch("a.py", "read"),)
    edit = BOX.meaning("bash", {"command": "sed -i 's/a/b/' a.py"})
    assert (edit.kind, edit.touches) == ("shell", (Touch("a.py", "change"),))
