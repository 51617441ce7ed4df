"""A program that reads the usual base-URL variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from prunus.cli.clients.client import VARIABLES, Launch, Place, through


@dataclass(frozen=True, slots=True)
class AnyProgram:
    """Qwen Code, mini-swe-agent, Aider, and whatever else takes its base URL from the environment."""

    name: str
    install: str = ""
    provider: str = "openai"

    def upstreams(self, place: Place) -> dict[str, str]:
        return {
            name: origin(place.environment[variable])
            for variable, (name, _) in reversed(list(VARIABLES.items()))
            if place.environment.get(variable)
        }

    def launch(self, url: str, place: Place) -> Launch:
        return Launch(environment=variables(url, place))

    def problems(self, place: Place) -> Iterator[str]:
        yield from ()


def variables(url: str, place: Place) -> dict[str, str]:
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
