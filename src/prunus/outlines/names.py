"""The names in a text: what later calls use again, at two or three tokens each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

__all__ = ["names"]

_NAME: Final = re.compile(r"[A-Za-z_]\w{7,}")
_LONGEST: Final = 40


def names(text: str, room: int, shown: Iterable[str] = ()) -> tuple[str, ...]:
    """One line of the names that are not shown yet, rarest first while there is room; nothing if there are none.

    Names have eight characters and more. Those that stand once in a text are used later more often than those
    that stand all over it. What stands around a name is left out: `self.reader.settings` would cost more and
    say most of it again.
    """
    if room <= 0:
        return ()
    found = Counter(_NAME.findall(text))
    for name in _NAME.findall("\n".join(shown)):
        found.pop(name, None)
    chosen = set()
    for rare in (1, 2, 0):
        for name, times in found.items():
            if room <= 0:
                break
            if (times == rare or (not rare and times > 2)) and len(name) <= _LONGEST:
                chosen.add(name)
                room -= len(name) + 1
    return (" ".join(name for name in found if name in chosen),) if chosen else ()
