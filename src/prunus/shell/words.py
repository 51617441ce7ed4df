"""Read a command of sh and its relatives as simple commands and words.

The reader knows quotes, escapes, redirections, heredocs, groups, loops and plain variables. It says of each word
whether the text of the word is certain.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from prunus.shell.brackets import closing, heredoc_body


class Word(NamedTuple):
    """One word of a command."""

    text: str
    certain: bool = True
    """False if the word holds an expansion whose value is not known, or a pattern."""


class Simple(NamedTuple):
    """One simple command: a program with its arguments and redirections."""

    joint: str
    """The operator before the command: "" | ; && || &."""
    words: tuple[Word, ...]
    outputs: tuple[Word, ...] = ()
    """Files that `>` and `>>` of standard output write."""
    others: tuple[Word, ...] = ()
    """Files that another stream, such as `2>`, writes."""
    inputs: tuple[Word, ...] = ()
    """Files that `<` reads."""
    heredoc: str | None = None
    depth: int = 0
    """How many parentheses are open."""
    conditional: bool = False
    """The command is in a loop, a condition, a group or the background: it may run never, often or later."""
    appends: bool = False
    """A redirection is `>>`, so that the file keeps what it held."""
    verbatim: bool = False
    """The shell passes the heredoc on exactly as it is written."""


_TOKEN = re.compile(
    r"""
    (?P<space>(?:[ \t\r]|\\\r?\n)+)
  | (?P<heredoc><<-?[ \t]*(?:'[^'\n]+'|"[^"\n]+"|\\?[\w.-]+))
  | (?P<redirect>&>>?|\d*(?:<<<|<>|>>|>\||[<>]&|[<>]))
  | (?P<operator>&&|\|\||\|&|;;|[;|&\n()])
  | (?P<plain>[^\s'"\\$`|&;<>()\#*?{}\[\]]+)
  | (?P<single>'[^']*')
  | (?P<ansi>\$'(?:[^'\\]|\\.)*')
  | (?P<double>"(?:[^"\\$`]|\\.|\$\{\w+\}|\$(?![({]))*")
  | (?P<variable>\$(?:\w+|\{\w+\}|env:\w+|[@*\#?$!-]))
  | (?P<open>\$\(|`|"|\$\{)
  | (?P<escape>\\.)
  | (?P<hash>\#)
  | (?P<pattern>[*?{}])
  | (?P<rest>.)
    """,
    re.X | re.S,
)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\}|env:\w+|([@*#?$!-]))")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_UNESCAPE = re.compile(r'\\(["\\$`]|\r?\n)')
_EXPANDS = re.compile(r"[$`\\]")
_KEEPS_BACKSLASH = re.compile(r"\\[\w.@~-]")
_KNOWN = frozenset({"HOME", "USER", "TMPDIR"})
_OPENERS = frozenset({"if", "for", "while", "until", "case", "select", "{"})
_CLOSERS = frozenset({"fi", "done", "esac", "}"})
_FILLERS = frozenset({"then", "do", "else", "elif", "!", "time"})
_BEFORE_PAREN = _OPENERS | _FILLERS
_DECLARES = frozenset({"export", "local", "readonly", "read", "unset", "declare"})


def simples(command: str) -> tuple[Simple, ...] | None:
    """The simple commands of a script in order; None if the script cannot be read."""
    return _WordReader(command).read()


class _WordReader:
    """Reads one script from front to back."""

    __slots__ = ("appends", "at", "blocks", "certain", "depth", "found", "heredoc", "heredocs", "inputs", "joint",
                 "others", "outputs", "parts", "text", "variables", "verbatim", "want", "words")  # fmt: skip

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[Simple] = []
        self.joint = ""
        self.words: list[Word] = []
        self.outputs: list[Word] = []
        self.others: list[Word] = []
        self.inputs: list[Word] = []
        self.appends = False
        self.heredoc: str | None = None
        self.verbatim = False
        self.heredocs: list[str] = []
        self.parts: list[str] | None = None
        self.certain = True
        self.want = ""
        self.depth = 0
        self.blocks = 0
        self.variables: dict[str, str] = {}

    def read(self) -> tuple[Simple, ...] | None:
        text, match, size = self.text, _TOKEN.match, len(self.text)
        while self.at < size:
            token = match(text, self.at)
            if token is None:
                return None
            self.at = token.end()
            piece, kind = token.group(), token.lastgroup
            if kind == "plain":
                self.add(piece)
            elif kind == "space":
                self.end_word()
            elif kind == "single":
                self.add(piece[1:-1])
            elif kind == "double":
                self.add_quoted(piece[1:-1])
            elif kind == "operator":
                if not self.operate(piece):
                    return None
            elif kind == "redirect":
                self.end_word()
                self.want = piece
            elif kind == "heredoc":
                self.end_word()
                self.heredocs.append(piece)
            elif kind == "variable":
                self.add_quoted(piece)
            elif kind == "escape":
                # A backslash before a letter is a Windows path, not an escape that anyone meant.
                self.add(piece if _KEEPS_BACKSLASH.match(piece) else piece[1:])
            elif kind == "hash" and self.parts is None:
                end = text.find("\n", self.at)
                self.at = size if end < 0 else end
            elif kind == "open":
                end = closing(text, token.start())
                if end < 0:
                    return None
                self.at = end
                self.add(text[token.start() : end], certain=False)
            elif kind == "ansi" or (kind == "pattern" and not (piece in "{}" and self.alone())):
                self.add(piece, certain=False)
            elif kind == "rest" and piece in "'\"\\":
                return None
            else:
                self.add(piece)
        self.end_simple("")
        return None if self.depth else tuple(self.found)

    def alone(self) -> bool:
        return self.parts is None and (self.at == len(self.text) or self.text[self.at] in " \t\r\n;")

    def add(self, text: str, certain: bool = True) -> None:
        if self.parts is None:
            self.parts = [text]
        else:
            self.parts.append(text)
        if not certain:
            self.certain = False

    def add_quoted(self, text: str) -> None:
        if "\\" in text:
            text = _UNESCAPE.sub(lambda m: m[1].strip(), text)
        if "$" not in text:
            self.add(text)
            return
        certain = True

        def value(found: re.Match[str]) -> str:
            nonlocal certain
            name = found[1] or found[2] or found[3]
            if name in self.variables:
                return self.variables[name]
            certain = certain and (name is None or name in _KNOWN)
            return found[0]

        text = _VARIABLE.sub(value, text)
        self.add(text, certain)

    def end_word(self) -> None:
        if self.parts is None:
            return
        word = Word("".join(self.parts), self.certain)
        self.parts, self.certain = None, True
        want, self.want = self.want, ""
        if not want:
            self.words.append(word)
        elif want.endswith("&") and (word.text == "-" or word.text.isdigit()):
            pass
        elif want == "<":
            self.inputs.append(word)
        elif "<" in want:
            self.heredoc = word.text
        elif word.text not in ("/dev/null", "/dev/stderr", "/dev/stdout", "$null", "NUL", "nul"):
            (self.others if want[0] in "023456789" else self.outputs).append(word)
            self.appends = self.appends or ">>" in want

    def operate(self, operator: str) -> bool:
        """End the word and the command; false if a heredoc has no end."""
        self.end_word()
        if operator == "\n" and self.heredocs and not self.take_heredocs():
            return False
        if operator == "(":
            if self.words and not self.found_keyword():
                self.words.append(Word("(", certain=False))
            self.depth += 1
            return True
        if operator == ")":
            self.end_simple(";")
            self.depth = max(0, self.depth - 1)
            return True
        self.end_simple({"\n": ";", ";;": ";", "|&": "|"}.get(operator, operator))
        return True

    def found_keyword(self) -> bool:
        return bool(self.words) and self.words[-1].text in _BEFORE_PAREN

    def take_heredocs(self) -> bool:
        for mark in self.heredocs:
            body = heredoc_body(self.text, self.at, mark)
            if body is None:
                return False
            self.heredoc, self.at = body
            literal = re.search(r"['\"\\]", mark) is not None or _EXPANDS.search(self.heredoc) is None
            self.verbatim = literal and not mark.startswith("<<-")
        self.heredocs = []
        return True

    def end_simple(self, joint: str) -> None:
        self.end_word()
        words, at = self.words, 0
        conditional = self.blocks > 0 or self.depth > 0 or joint == "&"
        while at < len(words) and words[at].certain:
            first = words[at].text
            if first in _OPENERS:
                self.blocks += 1
                conditional = True
                if first in ("for", "select", "case") and at + 1 < len(words):
                    self.variables.pop(words[at + 1].text, None)
                    at = len(words)
            elif first in _CLOSERS:
                self.blocks = max(0, self.blocks - 1)
            elif first not in _FILLERS:
                break
            at += 1
        words = self.assign(words[at:], conditional)
        if words or self.outputs or self.inputs or self.heredoc is not None:
            self.found.append(
                Simple(self.joint, tuple(words), tuple(self.outputs), tuple(self.others),
                       tuple(self.inputs), self.heredoc, self.depth, conditional, self.appends, self.verbatim)
            )  # fmt: skip
            self.joint = joint
        elif joint and (self.found or joint != ";"):
            self.joint = joint
        self.words, self.heredoc, self.appends, self.verbatim = [], None, False, False
        if self.outputs or self.others or self.inputs:
            self.outputs, self.others, self.inputs = [], [], []

    def assign(self, words: list[Word], conditional: bool) -> list[Word]:
        """Drop leading assignments; remember those that stand alone."""
        count = 0
        while count < len(words) and _ASSIGNMENT.match(words[count].text):
            count += 1
        declares = bool(words) and words[0].text in _DECLARES
        if declares or count == len(words):
            for word in words[1:] if declares else words:
                name, sign, value = word.text.partition("=")
                if sign and word.certain and not conditional:
                    self.variables[name] = value
                else:
                    self.variables.pop(name, None)
        return words[count:]
