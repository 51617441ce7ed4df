"""The files that a command may have changed, as a value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from prunus.files.formatters import Tidied, same_file

__all__ = ["ANYTHING", "NOTHING", "WORK", "Reach"]


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

    def __or__(self, other: Reach) -> Reach:
        return Reach(
            self.anything or other.anything,
            self.made or other.made,
            self.tidied + other.tidied,
            self.folders + other.folders,
            self.names + other.names,
            self.spared + other.spared,
            self.styled + other.styled,
        )

    def covers(self, path: str) -> bool:
        """Whether a file may have changed."""
        if self.anything or (self.made and _made(path)):
            return True
        if any(same_file(path, name) for name in (*self.names, *self.folders)):
            return True
        return any(path.startswith(folder + "/") or f"/{folder}/" in f"/{path}" for folder in self.folders)


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
