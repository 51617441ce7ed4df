"""The settings of a running proxy, and which of them can change while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from prunus.errors import PrunusError
from prunus.proxy.faults import LOGGER
from prunus.proxy.security import check_address
from prunus.proxy.tracing import check_tracing
from prunus.settings import Settings
from prunus.store import open_store

FIXED: Final = ("host", "port", "workers", "verbose", "log")
"""The settings of the table `proxy` that need a restart."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings, and for each one where it comes from, for the dashboard."""

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)

    def followed_by(self, newer: Configuration) -> tuple[Configuration, list[str]]:
        """Newer settings with those of ours that need a restart, and the names of those that differ.

        Raises SettingsError if others could use the proxy without a token then.
        """
        ours, theirs = self.settings.proxy, newer.settings.proxy
        check_address(ours.host, theirs.token)
        changed = [name for name in FIXED if getattr(ours, name) != getattr(theirs, name)]
        values = newer.settings.dump()
        values["proxy"] |= {name: getattr(ours, name) for name in changed}
        return replace(newer, settings=Settings(**values)), [f"proxy.{name}" for name in changed]


Load = Callable[[], Configuration]
"""Reads the settings anew, from the same places as at the start. Raises PrunusError if they are wrong."""


def reloaded(running: Configuration, load: Load) -> Configuration | None:
    """The configuration that replaces the one that runs; None, with a line in the log, if the files are wrong."""
    try:
        newer, changed = running.followed_by(load())
        check_tracing(newer.settings.proxy.otlp)
        open_store(newer.settings.store.url, newer.settings).close()
    except PrunusError as error:
        LOGGER.warning("the settings were not reloaded, the old ones stay: %s", error)
        return None
    if changed:
        LOGGER.warning("changed, but only a restart puts it into force: %s", ", ".join(changed))
    return newer
