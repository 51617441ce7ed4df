"""The files that a command may have changed, as a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from prunus.shell.formatter_runs import Tidied
from prunus.shell.names import Names

__all__ = ["ANYTHING", "NOTHING", "WORK", "Reach", "merged"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The files that may have changed."""

    anything: bool = False
    made: bool = False
    """What machines make: build output, logs, lock files."""
    tidied: tuple[Tidied, ...] = ()
    """What formatters have gone over."""
    folders: tuple[str, ...] = ()
    """Files below these."""
    names: tuple[str, ...] = ()
    """Files that a script spells out."""
    spared: tuple[str, ...] = ()
    """Files that a formatter was given and says it has left as they are."""
    styled: tuple[str, ...] = ()
    """How the names of those end that a formatter or a linter looked over, changed or not."""

    _named: Names = field(init=False, repr=False, compare=False)
    _below: Names = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_named", Names((*self.names, *self.folders)))
        object.__setattr__(self, "_below", Names(self.folders))

    def covers(self, path: str) -> bool:
        """Whether a file may have changed."""
        if self.anything or (self.made and _made(path)):
            return True
        return self._named.mean(path) or self._below.hold(path)


def merged(found: Iterable[Reach]) -> Reach:
    """Whatever one of them may have changed."""
    each = tuple(found)
    if len(each) == 1:
        return each[0]
    return Reach(
        any(one.anything for one in each),
        any(one.made for one in each),
        tuple(tidied for one in each for tidied in one.tidied),
        tuple(folder for one in each for folder in one.folders),
        tuple(name for one in each for name in one.names),
        tuple(path for one in each for path in one.spared),
        tuple(end for one in each for end in one.styled),
    )


NOTHING: Final = Reach()
WORK: Final = Reach(made=True)
ANYTHING: Final = Reach(anything=True)


@lru_cache(maxsize=4096)
def _made(path: str) -> bool:
    """Whether a file is one that machines make, by its path."""
    return _MADE.search(path) is not None


_MADE: Final = re.compile(
    r"(?:^|/)(?:dist|build|_build|out|target|coverage|node_modules|__pycache__|\.next|\.nuxt|\.cache|\.turbo"
    r"|generated|__snapshots__|artifacts|logs?|site-packages|vendor|docs_build)/|/(?:proc|sys)/"
    r"|\.(?:log|lock|lockb|snap|map|pid|out|tmp|sqlite3?|db|pyc|min\.\w+)$|(?:^|/)(?:package-lock\.json|go\.sum"
    r"|pnpm-lock\.yaml|npm-shrinkwrap\.json|nohup\.out|tsconfig\.tsbuildinfo|next-env\.d\.ts)$",
    re.I,
)
