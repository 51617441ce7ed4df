"""Keep an agent behind the proxy for good, by values in the agent's own settings files; and undo that.

Nothing here writes: `plan_setup` and `plan_undo` return the changes, so that a user can look at them first, and
`ConfigChange.write` makes one. The first change to a file leaves a copy of it beside it, with the ending
`.before-prunus`. Undo takes earlier values from that copy.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from prunus.clients.launcher import Host, Launcher, is_own, launchers, origin
from prunus.config_edit import KeyPath, format_of, strings, value_at
from prunus.errors import SettingsError

_ENDING: Final = ".before-prunus"
_UPSTREAMS: Final[KeyPath] = ("upstreams", "more")
"""The setting of Prunus that holds upstreams beyond the usual ones."""
_CONTEXT: Final = 2
"""Unchanged lines to show around a change."""


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One file before and after; None stands for a file that does not exist."""

    path: Path
    before: str | None
    after: str | None
    backup: str | None = None
    """What the copy beside the file is to contain; None removes the copy, which undo no longer needs."""

    def diff(self) -> str:
        """Return the change as people read it."""
        old, new = ((text or "").splitlines() for text in (self.before, self.after))
        was = str(self.path) if self.before is not None else "no file"
        will = str(self.path) if self.after is not None else "no file"
        return "\n".join(unified_diff(old, new, was, will, n=_CONTEXT, lineterm=""))

    def write(self) -> None:
        """Make the change, the copy first. Raises SettingsError if a file cannot be written."""
        copy = _copy_of(self.path)
        try:
            if self.backup is not None:
                _replace(copy, self.backup, like=self.path)
            if self.after is None:
                self.path.unlink(missing_ok=True)
            else:
                _replace(self.path, self.after, like=self.path)
            if self.backup is None:
                copy.unlink(missing_ok=True)
        except OSError as error:
            raise SettingsError(f"{self.path} cannot be written: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class SetupState:
    """Where an agent's own settings send its requests."""

    paths: tuple[Path, ...]
    """The files that `prunus setup` changes; empty if it does not know the agent's files."""
    urls: tuple[str, ...]
    """The addresses of proxies that `prunus setup` wrote into them."""


def setup_state(launcher: Launcher, url: str, host: Host) -> SetupState:
    """Look at the settings files of an agent; damaged files count as empty."""
    paths = _paths(launcher, url, host)
    found: dict[str, None] = {}
    for path in paths:
        try:
            found |= dict.fromkeys(origin(value) for _, value in _own(path, _read(path)))
        except SettingsError:
            continue
    return SetupState(paths, tuple(found))


def plan_setup(launcher: Launcher, url: str, host: Host, settings: Path) -> list[ConfigChange]:
    """Return the changes that keep an agent behind the proxy at `url`; none if it is there already.

    `settings` is the user's settings file of Prunus: upstreams that the agent used so far are added to it.
    """
    entries = launcher.entries(url, host)
    changes = []
    for path in _paths(launcher, url, host):
        before = _read(path)
        after = before or ""
        for entry in entries:
            if entry.path == path:
                after = _edited(path, after, entry.key, entry.value)
        changes.append(_change(path, before, after))
    wanted = [entry.upstream for entry in entries if entry.upstream]
    if wanted:
        changes.insert(0, _with_upstreams(settings, wanted))
    return [change for change in changes if change.before != change.after]


def plan_undo(launcher: Launcher, url: str, host: Host, settings: Path) -> list[ConfigChange]:
    """Return the changes that take back `plan_setup`; none if there is nothing to take back."""
    changes, names = [], set()
    for path in _paths(launcher, url, host):
        before = _read(path)
        own = list(_own(path, before))
        if before is None or not own:
            continue
        names |= {_upstream_name(value) for _, value in own}
        changes.append(ConfigChange(path, before, _undone(path, before, own)))
    still = {
        _upstream_name(value)
        for other in launchers().values()
        if other.name != launcher.name
        for path in _paths(other, url, host)
        for _, value in _own(path, _read(path))
    }
    return [*changes, *_without_upstreams(settings, names - still)]


def _undone(path: Path, before: str, own: list[tuple[KeyPath, str]]) -> str | None:
    """Return the text without the values of Prunus; None if only they were in the file."""
    copy = _read(_copy_of(path))
    if copy is not None:
        again = copy
        for key, value in own:
            again = _edited(path, again, key, value)
        if again == before:
            return copy
    after = before
    for key, _ in own:
        earlier = value_at(_parsed(path, copy or ""), key)
        after = _edited(path, after, key, earlier if isinstance(earlier, str) else None)
    return after if copy is not None or _parsed(path, after) else None


def _with_upstreams(settings: Path, wanted: list[str]) -> ConfigChange:
    before = _read(settings)
    known = _upstreams(settings, before)
    every = [*known, *(one for one in dict.fromkeys(wanted) if one not in known)]
    after = (before or "") if every == known else _edited(settings, before or "", _UPSTREAMS, every)
    return _change(settings, before, after)


def _without_upstreams(settings: Path, names: Iterable[str]) -> Iterable[ConfigChange]:
    before = _read(settings)
    known = _upstreams(settings, before)
    left = [one for one in known if one.partition("=")[0] not in set(names)]
    if before is None or left == known:
        return
    after = _edited(settings, before, _UPSTREAMS, left or None)
    copy = _read(_copy_of(settings))
    if copy is not None and _parsed(settings, copy) == _parsed(settings, after):
        after = copy
    empty = copy is None and not _parsed(settings, after)
    yield ConfigChange(settings, before, None if empty else after, copy if left else None)


def _upstreams(settings: Path, text: str | None) -> list[str]:
    known = value_at(_parsed(settings, text or ""), _UPSTREAMS)
    return list(map(str, known)) if isinstance(known, list) else []


def _change(path: Path, before: str | None, after: str) -> ConfigChange:
    """Return a change that makes a copy, or keeps the copy from before the file was changed by Prunus."""
    copy = _read(_copy_of(path))
    ours = bool(_own(path, before)) or path.stem == "prunus"
    return ConfigChange(path, before, after, copy if ours and copy is not None else before)


def _edited(path: Path, text: str, key: KeyPath, value: str | list[str] | None) -> str:
    """Return the text of a file with one value changed, or without it."""
    format = format_of(path)
    try:
        return format.without_value(text, key) if value is None else format.with_value(text, key, value)
    except ValueError as error:
        raise SettingsError(f"{path} cannot be changed: {error}") from error


def _parsed(path: Path, text: str) -> Any:
    try:
        return format_of(path).parse(text)
    except ValueError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error


def _own(path: Path, text: str | None) -> list[tuple[KeyPath, str]]:
    """Return the values that `prunus setup` wrote, with their keys."""
    return [(key, value) for key, value in strings(_parsed(path, text or "")) if is_own(value)]


def _paths(launcher: Launcher, url: str, host: Host) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(entry.path for entry in launcher.entries(url, host)))


def _copy_of(path: Path) -> Path:
    return path.with_name(path.name + _ENDING)


def _upstream_name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/@").partition("/")[0]


def _read(path: Path) -> str | None:
    """Return the text of a file with its own line ends; None if there is no file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} cannot be read: it is not UTF-8") from error


def _replace(path: Path, text: str, like: Path) -> None:
    """Write a file at once, with the rights of another one; a new file is readable by its owner only."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = like.stat().st_mode & 0o777 if like.exists() else 0o600
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:  # Also on Ctrl-C: the half-written file must not stay.
        Path(name).unlink(missing_ok=True)
        raise
