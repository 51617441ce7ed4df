"""The version of Prunus."""

from __future__ import annotations


def own_version() -> str:
    """Return the installed version, or an empty string if Prunus runs from its source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("prunus")
    except PackageNotFoundError:
        return ""
