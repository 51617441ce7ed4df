"""The modules of the project."""

from __future__ import annotations

from pathlib import Path


def python_files(package: Path) -> list[Path]:
    """All modules of a package."""
    return sorted(package.rglob("*.py"))
