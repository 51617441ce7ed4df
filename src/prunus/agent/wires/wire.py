"""What a reader of answers does, whatever the format.

The answer of one hop is fed to it as it comes, and what the client may see comes out. Calls of the hidden tools
are withheld, and with them the end of the message, until it is known whether the turn goes on. A further hop is
spliced into the message that the client is reading already.

Output tokens are added up over the hops. Input tokens stay those of the newest hop: clients take them for the size
of the context and would compact too early if they were added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

__all__ = ["BETWEEN", "HiddenCall", "Wire"]

BETWEEN: Final = "\n\n"
"""What a client sees between the words of two hops, where its format has one text for both."""


@dataclass(frozen=True, slots=True)
class HiddenCall:
    """A call that the client does not see."""

    id: str
    tool: str
    arguments: Mapping[str, Any] | str
    before: int
    """How many visible calls of the message stand before it."""
    block: Any = None
    """The call as the provider wrote it."""


class Wire(Protocol):
    """Reads the answers of one turn, hop by hop."""

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets for a chunk."""

    def finish(self) -> bytes:
        """The hop is over: what is left of it for the client, apart from the end of the message."""

    @property
    def hidden(self) -> list[HiddenCall]:
        """The hidden calls of this hop."""

    @property
    def visible(self) -> list[str]:
        """The ids of the visible calls of this hop."""

    @property
    def whole(self) -> bool:
        """Whether the hop came to its proper end."""

    def said(self) -> list[Any]:
        """The messages of this hop, hidden calls included, as they go back to the model."""

    def text(self) -> str:
        """The words that the client has seen in all hops."""

    def again(self) -> None:
        """A further hop follows."""

    def close(self) -> bytes:
        """The end of the message for the client."""
