"""The modules of the project."""

from __future__ import annotations

from pathlib import Path


def python_files(package: Path) -> list[Path]:
    """All modules of a package; what lies in its folder `data` is content, such as the tasks of `prunus ab`."""
    return [path for path in sorted(package.rglob("*.py")) if path.relative_to(package).parts[0] != "data"]
