"""A proxy that the system starts when you log in: a systemd unit on Linux, a launch agent on macOS."""

from __future__ import annotations

import plistlib
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prunus.errors import SettingsError

_LABEL: Final = "prunus.proxy"
_NETWORK: Final = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
_PASSED_ON: Final = (*_NETWORK, *map(str.lower, _NETWORK), "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CONFIG_HOME")
"""Variables that the proxy reads, and that a service does not inherit from your terminal."""


@dataclass(frozen=True, slots=True)
class ServiceFile:
    """A file that tells the system to run the proxy, and the commands that make it do so."""

    path: Path
    text: str
    start: tuple[str, ...]
    stop: tuple[str, ...]


def service_file(platform: str, home: Path, command: Sequence[str], environment: Mapping[str, str]) -> ServiceFile:
    """Return the service of a platform, as `sys.platform` names it. Raises SettingsError if it has none."""
    kept = {name: environment[name] for name in _PASSED_ON if environment.get(name)}
    if platform.startswith("linux"):
        folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "systemd" / "user"
        return ServiceFile(
            folder / "prunus.service",
            _unit(command, kept),
            ("systemctl --user daemon-reload", "systemctl --user enable --now prunus"),
            ("systemctl --user disable --now prunus",),
        )
    if platform == "darwin":
        path = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
        place = shlex.quote(str(path))
        text = _launch_agent(command, kept, home / "Library" / "Logs" / "prunus.log")
        return ServiceFile(path, text, (f"launchctl load -w {place}",), (f"launchctl unload -w {place}",))
    raise SettingsError(
        f"there is no service file for {platform}: start `prunus proxy` by the system's own task scheduler"
    )


def _unit(command: Sequence[str], environment: Mapping[str, str]) -> str:
    lines = [
        "[Unit]",
        "Description=Prunus, a proxy that prunes the history of LLM agents",
        "",
        "[Service]",
        f"ExecStart={' '.join(_quoted(word.replace('$', '$$')) for word in command)}",
        "ExecReload=/bin/kill -HUP $MAINPID",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in environment.items()),
        "Restart=on-failure",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    """Return a word as systemd reads it; a dollar sign begins a variable in commands only."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if any(sign in escaped for sign in " \t\"'\\;") else escaped


def _launch_agent(command: Sequence[str], environment: Mapping[str, str], log: Path) -> str:
    keys = {
        "Label": _LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(keys, sort_keys=False).decode()
