"""Texts that are one short piece many times, with something before and behind it."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["BEHIND", "MARKED", "PIECES", "Shape"]


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

BEHIND: Final = ("\0", "\n\0")
"""What may stand behind: a reader that tries all ways before it gives up gives up here."""

MARKED: Final = tuple(
    Shape(*parts)
    for parts in (
        (" ", "", "x"),
        ("\n", "", "x"),
        ("\t", "", "x"),
        ("a",),
        ("a ",),
        ("a\n",),
        ("'",),
        ('"',),
        ('\\"', '"'),
        ("\\",),
        ("`",),
        ("$(",),
        ("(a)", "", ":/x"),
        ("[",),
        ("{",),
        (";",),
        ("&&a ",),
        ("! ",),
        ("sudo ",),
        ("a=1 ",),
        ("<<a ",),
        ("@'\n",),
        ("<# ",),
        ("> a ",),
        ("| cat ",),
        ("```a\n",),
        ("<system-reminder>",),
        ("<system-reminder></system-reminder>\n",),
        ("[id abc",),
        ("\n[id abcdef]",),
        ("@@ -1 +1 @@\n-a\n+a\n",),
        ("*** Begin Patch\n",),
        ("*** Update File: a\n@@\n-a\n+b\n", "*** Begin Patch\n"),
        ("--- a\n+++ b\n",),
        ("[Prunus: a removed; the earlier a ",),
        ("[Prunus reminder: a]",),
        ("src/a.py:1: error\n",),
        ("1\t\n",),
        ("Note: a ",),
        ("def a(",),
        ("function a(a, ", "", "\n"),
        ("é\u2028",),
    )
)
"""Texts that repeat what readers look for, in commands, patches, results and notes."""
