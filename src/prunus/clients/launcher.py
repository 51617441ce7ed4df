"""How `prunus run` starts a program so that its requests pass through the proxy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from prunus.clients.client import ALL, Client
from prunus.config_edit import format_of

_VARIABLES: Final = {
    "ANTHROPIC_BASE_URL": ("anthropic", ""),
    "ANTHROPIC_API_BASE": ("anthropic", ""),
    "OPENAI_BASE_URL": ("openai", "/v1"),
    "OPENAI_API_BASE": ("openai", "/v1"),
    "GOOGLE_GEMINI_BASE_URL": ("gemini", ""),
    "GEMINI_API_BASE": ("gemini", "/v1beta"),
}
"""The usual variables for a base URL: the provider, and the path of that provider's own base URL."""


@dataclass(frozen=True, slots=True)
class Host:
    """The machine that a program starts on: its environment, the user's home and the current folder."""

    environment: Mapping[str, str]
    home: Path
    folder: Path
    scratch: Path
    """A folder for files that Prunus deletes when the program ends."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What to add to a program's command line and environment."""

    arguments: tuple[str, ...] = ()
    """Go before the user's arguments."""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A value in an agent's own settings file that sends its requests to the proxy, whoever starts the agent."""

    path: Path
    key: tuple[str, ...]
    value: str
    upstream: str = ""
    """`NAME=URL`, if the proxy must know an address that the user had set before."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """Starts any program that takes its base URL from the usual variables; agents that need more override this."""

    name: str
    install: str = ""
    """The command that installs the program."""
    provider: str = "openai"
    """The upstream for requests that do not show which provider they are for."""

    keys: ClassVar[tuple[str, ...]] = ()
    """Variables one of which holds the API key, if the program needs one to work unattended."""

    def bases(self, host: Host) -> dict[str, str]:
        """The base URL of each provider for which the user has set one; the first variable of a provider counts."""
        return {
            name: base
            for variable, (name, _) in reversed(_VARIABLES.items())
            if (base := host.environment.get(variable))
        }

    def upstreams(self, host: Host) -> dict[str, str]:
        """Where the program sends its requests now, for each provider whose address the user has changed.

        Base URLs that `prunus setup` has written are no upstreams.
        """
        return {name: origin(base) for name, base in self.bases(host).items() if not is_own(base)}

    def launch(self, url: str, host: Host) -> Launch:
        """How to start the program so that its requests go to the proxy at `url`."""
        bases = self.bases(host)
        return Launch(
            environment={
                variable: through(url, name, bases[name]) if name in bases else url + path
                for variable, (name, path) in _VARIABLES.items()
            }
        )

    def entries(self, url: str, host: Host) -> tuple[FileEntry, ...]:
        """What to write into the program's settings files, so that it stays behind the proxy; empty if unknown."""
        return ()

    def unattended(self, prompt: str, model: str, host: Host) -> Launch | None:
        """How to make the program do one task without a user; None if Prunus does not know how.

        The program runs every command without asking. An empty model is the program's own choice.
        """
        return None

    def problems(self, host: Host) -> Iterable[str]:
        """What keeps requests from passing through the proxy, and what the user can do about it."""
        return ()


def launchers() -> dict[str, Launcher]:
    """Every agent that `prunus run` knows, by the name of its program."""
    return {client.program: _launcher(client) for client in ALL if client.program}


def _launcher(client: Client) -> Launcher:
    module = client.module("launch")
    kind: type[Launcher] = module.LAUNCHER if module else Launcher
    return kind(client.program, client.install, client.provider)


def launcher_of(program: str) -> Launcher:
    """The launcher of a program, by the name of its file."""
    name = program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    return launchers().get(name) or Launcher(name)


def is_own(base: object) -> bool:
    """Whether `prunus setup` has written this base URL: on this machine, and with the name of an upstream."""
    if not isinstance(base, str):
        return False
    try:
        parts = urlsplit(base)
        return parts.hostname in ("127.0.0.1", "localhost", "::1") and parts.path.startswith("/@")
    except ValueError:
        return False


def origin(base: str) -> str:
    """The host of a base URL, without its path."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}"


def through(url: str, name: str, base: str) -> str:
    """The proxy's base URL for an upstream elsewhere: the same path, below the upstream's name."""
    path = urlsplit(base).path.rstrip("/")
    return url + path if is_own(base) else f"{url}/@{name}{path}"


def entry(path: Path, key: tuple[str, ...], url: str, default: str, base: object) -> FileEntry:
    """The entry for one base URL. `default` is the upstream's name and path if the user has set no other base."""
    if not isinstance(base, str) or not base.startswith("http"):
        return FileEntry(path, key, f"{url}/@{default}")
    if is_own(base):
        return FileEntry(path, key, url + urlsplit(base).path)
    name = urlsplit(base).netloc.rpartition("@")[2].replace(":", "-").strip("[]")
    return FileEntry(path, key, through(url, name, base), f"{name}={origin(base)}")


def as_dict(value: object) -> dict[str, Any]:
    """The object; an empty one if the value is something else."""
    return value if isinstance(value, dict) else {}


def read_settings(path: Path) -> Mapping[str, Any]:
    """A settings file of an agent, in the format that its name says; empty if the file is missing or damaged."""
    try:
        return format_of(path).parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
