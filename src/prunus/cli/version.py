"""Which Prunus this is."""

from __future__ import annotations


def own_version() -> str:
    """The version that is installed; nothing where Prunus runs from its source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("prunus")
    except PackageNotFoundError:
        return ""
