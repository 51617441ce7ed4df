"""How much was pruned, by count and by tokens, and the status line for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from prunus.history import Call, Part, Result, Thinking
from prunus.text.numbers import short
from prunus.text.printable import printable

Notification = Literal["off", "minimal", "detailed"]

_ICONS: Final = {"messages": "💬", "thinking": "🧠", "tools": "⚙️"}
_NAMED: Final = 20
"""How many different items the details name."""


class Tally(NamedTuple):
    """How many items were pruned, and the tokens that this saves."""

    count: int = 0  # type: ignore[assignment]  # a tuple's own count() is of no use here
    tokens: int = 0

    def add(self, count: int, tokens: int) -> Tally:
        return Tally(self.count + count, self.tokens + tokens)


def category_of(kind: type[Part]) -> str:
    """Return the category of a part in reports: messages, thinking or tools."""
    if kind in (Call, Result):
        return "tools"
    return "thinking" if kind is Thinking else "messages"


def status(
    categories: Mapping[str, Tally], notification: Notification = "minimal", items: Sequence[str] = ()
) -> str:
    """Return the status line; empty if nothing was pruned, or if it is switched off.

    `items` names each pruned item, for example by its tool; only the detailed form shows the names.
    """
    shown = [
        f"{icon} {tally.count:>2}({short(tally.tokens)}) ▼"
        for name, icon in _ICONS.items()
        if (tally := categories.get(name)) is not None and tally.count
    ]
    if notification == "off" or not shown:
        return ""
    line = f"「 {' + '.join(shown)} 」"
    return f"{line} - {_folded(items)}" if notification == "detailed" and items else line


def _folded(items: Sequence[str]) -> str:
    counts = Counter(items).most_common()
    names = [printable(f"{item} (x{count})" if count > 1 else item) for item, count in counts[:_NAMED]]
    return ", ".join(names) + (", …" if len(counts) > _NAMED else "")
