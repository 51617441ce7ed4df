"""Texts that are one short piece many times, with something before and behind it."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["BEHIND", "PIECES", "Shape"]


class Shape(NamedTuple):
    """A text of any length."""

    piece: str
    front: str = ""
    back: str = ""

    def text(self, size: int) -> str:
        """The text with about `size` characters."""
        return self.front + self.piece * max(1, size // max(1, len(self.piece))) + self.back

    def __str__(self) -> str:
        return " + ".join(repr(part[:60]) for part in (self.front, self.piece + "*", self.back) if part)


PIECES: Final = (
    " ", "\n", "\t", "\r\n", "a", "1", "A", "_", ".", "/", "-", "+", "=", ",", ";", ":", "&", "|", "@", "*", "#",
    "'", '"', "\\", "`", "$", "<", ">", "[", "(", "{", "]", ")", "}", "a ", "a\n", " \n", "\n ", "1\n", "a/", "a.",
    "a,", "a=", "a: ", "(a)", "[a", "()", "{}", '\\"', "\\'", "\\\n", '"\\', "'a' ", '"a" ', "`a` ", "$a ", "$(",
    "${", "$[", "--", "-a ", "```\n", "```a\n", "<a>", "</a>", "<!--", "/*", "//", "é", "\u2028",
)  # fmt: skip
"""Pieces that mean something to one reader or another."""

BEHIND: Final = ("", "\0", "\n\0")
"""What may stand behind: a reader that tries all ways before it gives up gives up here."""
