"""What a driver says about its client."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

__all__ = ["Client", "Start"]


@dataclass(frozen=True, slots=True)
class Start:
    """One session: where it happens, what is asked, and which base URL the client is given (without `/v1`)."""

    program: Path
    home: Path
    project: Path
    url: str
    prompt: str
    again: bool = False
    """Whether the session of before goes on."""
    compacting: bool = False
    """Whether the client is to compact its history before it goes on."""


class Client(Protocol):
    """A real client: what installs it, how it is started, and where its answer is found."""

    @property
    def name(self) -> str:
        """What the test calls it."""

    @property
    def package(self) -> str:
        """Its name in `tests.e2e.install`."""

    @property
    def upstream(self) -> str:
        """The provider it speaks to: anthropic, openai or gemini."""

    @property
    def resumes(self) -> bool:
        """Whether it can go on with a session."""

    @property
    def compacts(self) -> tuple[str, ...] | None:
        """The prompts that make it compact its history; none where a low limit does it, None where nothing does."""

    def command(self, start: Start) -> list[str]:
        """The command line; writes the settings that the client reads from files."""

    def environment(self, start: Start) -> dict[str, str]:
        """What it needs beside PATH and HOME."""

    def answer(self, start: Start, output: str) -> str:
        """What the client showed as the last words of the model."""
