"""The status line: what was pruned, at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from prunus.outcome import Report
from prunus.printable import printable
from prunus.report.numbers import short

__all__ = ["Notification", "status_line"]

Notification = Literal["off", "minimal", "detailed"]

_ICONS: Final = {"messages": "💬", "thinking": "🧠", "tools": "⚙️"}
_NAMED: Final = 3
"""How many tools the details name."""


def status_line(report: Report, notification: Notification = "minimal", tools: Sequence[str] = ()) -> str:
    """One line for what was pruned by kind; empty when nothing was, or when it is switched off.

    `tools` names the tool of each call that was cut; only the detailed form shows them.
    """
    shown = [
        f"{icon} {tally.count:>2}({short(tally.tokens)}) ▼"
        for name, icon in _ICONS.items()
        if (tally := report.categories.get(name)) is not None and tally.count
    ]
    if notification == "off" or not shown:
        return ""
    line = f"「 {' + '.join(shown)} 」"
    return f"{line} - {_folded(tools)}" if notification == "detailed" and tools else line


def _folded(tools: Sequence[str]) -> str:
    counts = Counter(tools).most_common()
    names = [printable(f"{tool} (x{count})" if count > 1 else tool) for tool, count in counts[:_NAMED]]
    return ", ".join(names) + (", …" if len(counts) > _NAMED else "")
