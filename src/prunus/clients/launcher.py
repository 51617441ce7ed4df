"""What is known of a client: where its requests go today, and how to send them through the proxy instead."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from prunus.clients.client import modules
from prunus.settings import jsonc

VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "ANTHROPIC_BASE_URL": ("anthropic", ""),
    "ANTHROPIC_API_BASE": ("anthropic", ""),
    "OPENAI_BASE_URL": ("openai", "/v1"),
    "OPENAI_API_BASE": ("openai", "/v1"),
    "GOOGLE_GEMINI_BASE_URL": ("gemini", ""),
    "GEMINI_API_BASE": ("gemini", "/v1beta"),
}
"""The usual variables: whose base URL each is, and the path that the base URL of the provider has."""


@dataclass(frozen=True, slots=True)
class Host:
    """Where a client is started: its environment, the home and the folder that it reads its files in."""

    environment: Mapping[str, str]
    home: Path
    folder: Path
    scratch: Path
    """For files of ours that only live as long as the client."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a client behind the proxy."""

    arguments: tuple[str, ...] = ()
    """To put before those of the user."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """To add to that of the user."""


class Launcher(Protocol):
    """An agent that can be pointed at the proxy."""

    @property
    def name(self) -> str: ...

    @property
    def provider(self) -> str:
        """The upstream for requests that do not show whose they are."""

    @property
    def install(self) -> str:
        """The command that installs it."""

    def upstreams(self, place: Host) -> dict[str, str]:
        """Where the client sends its requests today, where that is not the provider's own address."""

    def launch(self, url: str, place: Host) -> Launch:
        """How to start it so that its requests go to the proxy at `url`."""

    def problems(self, place: Host) -> Iterator[str]:
        """What keeps its requests from passing through the proxy, and what to do about it."""


def through(url: str, name: str, base: str) -> str:
    """The base URL at the proxy that stands for one elsewhere: the same path, below the name of its upstream."""
    return f"{url}/@{name}{urlsplit(base).path.rstrip('/')}"


def read_json(path: Path) -> dict[str, Any]:
    """A file of a client, comments allowed; nothing where there is none or it cannot be read."""
    try:
        value = jsonc.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_toml(path: Path) -> dict[str, Any]:
    """The same for TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


@dataclass(frozen=True, slots=True)
class AnyProgram:
    """Qwen Code, mini-swe-agent, Aider, and whatever else takes its base URL from the environment."""

    name: str
    install: str = ""
    provider: str = "openai"

    def upstreams(self, place: Host) -> dict[str, str]:
        return {
            name: origin(place.environment[variable])
            for variable, (name, _) in reversed(list(VARIABLES.items()))
            if place.environment.get(variable)
        }

    def launch(self, url: str, place: Host) -> Launch:
        return Launch(environment=variables(url, place))

    def problems(self, place: Host) -> Iterator[str]:
        yield from ()


def variables(url: str, place: Host) -> dict[str, str]:
    """The usual variables, set to the proxy; a base URL that was set already keeps its path."""
    bases = {
        name: base
        for variable, (name, _) in reversed(list(VARIABLES.items()))
        if (base := place.environment.get(variable))
    }
    return {
        variable: through(url, name, bases[name]) if name in bases else url + path
        for variable, (name, path) in VARIABLES.items()
    }


def origin(base: str) -> str:
    """The host of a base URL, without its path."""
    parts = urlsplit(base)
    return f"{parts.scheme}://{parts.netloc}"


def launchers() -> dict[str, Launcher]:
    """Every agent that `prunus run` knows how to start, by the name of its program."""
    return {module.LAUNCHER.name: module.LAUNCHER for module in modules("launch")}


def launcher_of(program: str) -> Launcher:
    """The launcher of a program, by the name of its file; an unknown program gets the usual variables."""
    name = program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    return launchers().get(name) or AnyProgram(name)
