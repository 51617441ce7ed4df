"""`sed -i` done to what is known of a file.

A line that is not known may match a pattern or not. While no line moves because of it, the others stay known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from prunus.files.content import Content, Line
from prunus.files.patterns import effort, replacement_of, translated
from prunus.numbers import as_number
from prunus.shell.changers import bare, changed
from prunus.shell.programs import READERS
from prunus.shell.words import Simple, simples

__all__ = ["Address", "Stream", "apply_stream", "streams"]

_NUMBERS: Final = re.compile(r"(\d+|\$)(?:,\s*(\d+|\$))?\s*")
_SUBSTITUTE: Final = re.compile(r"s([/|#,@!~%])")
_FLAGS: Final = re.compile(r"g?I?|Ig")
_TEXT: Final = re.compile(r"([iac])(?:\s*\\\n?|\s*)")

_LONGEST: Final = 20_000
"""Characters of a script."""
_MOST: Final = 20_000_000
"""Steps that it may take to do a script to a file. Its expressions are the agent's, and some take for ever."""

Known = Callable[[str], str | None]
Matches = Literal["yes", "no", "perhaps"]


@dataclass(frozen=True, slots=True)
class Address:
    """The lines that a command is for; without anything set, all of them."""

    first: int | None = None
    """0 is the last line of the file."""
    last: int | None = None
    pattern: re.Pattern[str] | None = None
    negated: bool = False

    def matches(self, number: int, text: str | None, held: int, length: int | None) -> Matches:
        """Whether a line is meant, out of so many that are held."""
        found = self._matches(number, text, held, length)
        if self.negated and found != "perhaps":
            return "no" if found == "yes" else "yes"
        return found

    def _matches(self, number: int, text: str | None, held: int, length: int | None) -> Matches:
        if self.pattern is not None:
            if text is None or not _certain(self.pattern, text):
                return "perhaps"
            return "yes" if self.pattern.search(text) else "no"
        if self.first is None:
            return "yes"
        if self.first == 0:
            if length is None:
                return "perhaps" if number == held else "no"
            return "yes" if number == length else "no"
        last = self.first if self.last is None else self.last
        return "yes" if number == self.first or self.first <= number <= (last or number) else "no"


def _certain(pattern: re.Pattern[str], text: str) -> bool:
    """Whether it does not depend on the user's language what a pattern finds in a text."""
    return text.isascii() or _LITERAL.search(pattern.pattern) is None


_LITERAL: Final = re.compile(r"(?<!\\)[.\[*+?(]|\\[sSwWb]|(?-i:\(\?i)")


@dataclass(frozen=True, slots=True)
class Stream:
    """One command of a script."""

    verb: str
    """d, s, i, a, c or r."""
    address: Address
    pattern: re.Pattern[str] | None = None
    put: tuple[str | int, ...] = ()
    """What stands in place of a match."""
    every: bool = False
    text: str = ""
    """The lines that come, or the file that they are in."""


def streams(command: str) -> tuple[tuple[str, tuple[Stream, ...]], ...] | None:
    """The files that a command edits with `sed -i`, as spelled, and how; None if it changes anything else."""
    script = simples(command) if "sed" in command else None
    if script is None or any(simple.outputs or simple.conditional or simple.depth for simple in script):
        return None
    found: list[tuple[str, tuple[Stream, ...]]] = []
    for simple in script:
        words = bare(simple.words)
        name = words[0].text if words else ""
        if name == "sed" and changed(simple).files and simple.joint in ("", "&&", ";"):
            one = _of(simple)
            if one is None:
                return None
            found.append(one)
        elif words and (name not in READERS or name in _ACTIVE or changed(simple) != ((), False)):
            return None
    return tuple(found) or None


_ACTIVE: Final = frozenset({"git", "python", "python3", "node", "perl", "ruby", "xargs", "eval", "source", "find"})
_GNU: Final = re.compile(r"\\[a-zA-Z+?|]")


def _of(simple: Simple) -> tuple[str, tuple[Stream, ...]] | None:
    words = [word for word in simple.words if word.text]
    if len(words) < 4 or words[0].text != "sed" or not all(word.certain for word in words):
        return None
    texts = [word.text for word in words[1:]]
    flags = [text for text in texts if text.startswith("-")]
    if not {"-i", "-Ei", "-ri"} & set(flags) or not set(flags) <= {"-i", "-e", "-E", "-r", "-Ei", "-ri"}:
        return None
    rest = [text for text in texts if not text.startswith("-")]
    if len(rest) < 2 or (len(rest) > 2 and flags.count("-e") != len(rest) - 1):
        return None
    script = "\n".join(rest[:-1])
    if len(script) > _LONGEST:
        return None
    if len(words) < len(simple.words) and _GNU.search(script):
        # An empty word after -i is for the sed of BSD, which knows fewer escapes.
        return None
    extended = bool({"-E", "-r", "-Ei", "-ri"} & set(flags))
    found: list[Stream] = []
    for text in rest[:-1]:
        steps = _steps(text.strip(), extended)
        if steps is None:
            return None
        found += steps
    return rest[-1], tuple(found)


def _steps(script: str, extended: bool) -> list[Stream] | None:
    """The commands of a script, in order; None if one of them is not followed."""
    found: list[Stream] = []
    rest = script
    while rest:
        parsed = _address(rest, extended)
        if parsed is None:
            return None
        address, rest = parsed
        if rest[:1] == "!":
            address = Address(address.first, address.last, address.pattern, True)
            rest = rest[1:].lstrip()
        verb = rest[:1]
        if verb == "d":
            found.append(Stream("d", address))
            rest = rest[1:]
        elif opened := _SUBSTITUTE.match(rest):
            done = _substitution(rest[opened.end() :], opened[1], address, extended)
            if done is None:
                return None
            found.append(done[0])
            rest = done[1]
        elif verb == "r" and rest[1:].strip() and "\n" not in rest:
            found.append(Stream("r", address, text=rest[1:].strip()))
            rest = ""
        elif (opened := _TEXT.match(rest)) and not (verb == "c" and address.last is not None):
            text = rest[opened.end() :]
            if "\\" in text.replace("\\n", "").replace("\\\n", "") or not text:
                return None
            found.append(Stream(verb, address, text=text.replace("\\\n", "\n").replace("\\n", "\n")))
            rest = ""
        else:
            return None
        if rest and not re.match(r"\s*[;\n]", rest):
            return None
        rest = rest.lstrip(" ;\n")
    return found or None


def _address(text: str, extended: bool) -> tuple[Address, str] | None:
    if numbers := _NUMBERS.match(text):
        first, last = numbers[1], numbers[2]
        if first == "0" or (first == "$" and last):
            return None
        bounds = (
            0 if first == "$" else as_number(first),
            None if last is None else 0 if last == "$" else as_number(last),
        )
        return Address(*bounds), text[numbers.end() :]
    if not text.startswith("/"):
        return Address(), text
    end = _unescaped(text, "/", 1)
    if end < 0 or text[end + 1 : end + 2] in (",", "I"):
        return None
    pattern = translated(text[1:end].replace(r"\/", "/"), extended, exact=False)
    return None if pattern is None else (Address(pattern=pattern), text[end + 1 :].lstrip())


def _substitution(text: str, mark: str, address: Address, extended: bool) -> tuple[Stream, str] | None:
    middle = _unescaped(text, mark, 0)
    end = _unescaped(text, mark, middle + 1) if middle >= 0 else -1
    if end < 0:
        return None
    old, new = text[:middle], text[middle + 1 : end]
    if mark in "|" and "\\" + mark in old:
        return None
    tail = re.match(r"\w*", text[end + 1 :])
    assert tail is not None
    if _FLAGS.fullmatch(tail[0]) is None:
        return None
    pattern = translated(old.replace("\\" + mark, mark), extended, exact=True)
    put = replacement_of(new.replace("\\" + mark, mark))
    if pattern is None or put is None or any(isinstance(p, int) and p > pattern.groups for p in put):
        return None
    if "I" in tail[0]:
        pattern = re.compile(pattern.pattern, pattern.flags | re.I)
    return Stream("s", address, pattern, put, "g" in tail[0]), text[end + 1 + len(tail[0]) :]


def _unescaped(text: str, mark: str, at: int) -> int:
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == mark:
            return at
        at += 1
    return -1


def apply_stream(content: Content, steps: Sequence[Stream], known: Known = lambda path: None) -> list[Line] | None:
    """Do a script to every line; returns the lines that are new."""
    if _effort(content, steps) > _MOST:
        content.forget()
        return []
    out: list[Line | None] = []
    made: list[Line] = []
    lost = False
    for number, line in enumerate(content.lines, 1):
        done = _line(number, line, steps, content, known)
        if done is None:
            # From here on it is not known what stands where.
            content.lines, content.length, content.ended = out, None, None
            content.losses += 1
            return made
        made += (new for new in done if new is not None and new is not line)
        lost = lost or (line is not None and None in done)
        out += done
    content.losses += lost
    content.lines = out
    if any(step.verb != "s" for step in steps):
        content.ended = None
    if content.length is not None:
        content.length = len(out)
    return made


def _effort(content: Content, steps: Sequence[Stream]) -> float:
    """About how many steps it may take at most to do a script to every line."""
    patterns = [each for step in steps for each in (step.pattern, step.address.pattern) if each is not None]
    total = 20.0 * len(content.lines) * len(steps)
    for line in content.lines if total <= _MOST else ():
        if line is not None:
            total += sum(effort(pattern, line.text) for pattern in patterns)
        if total > _MOST:
            break
    return total


def _line(
    number: int, line: Line | None, steps: Sequence[Stream], content: Content, known: Known
) -> list[Line | None] | None:
    """What a script makes of one line; None if that may be more lines or fewer."""
    text = None if line is None else line.text
    before: list[str] = []
    after: list[str] = []
    for step in steps:
        matches = step.address.matches(number, text, len(content.lines), content.length)
        if matches == "no":
            continue
        if step.verb == "s":
            if text is None or not _certain(_pattern(step), text) or matches == "perhaps":
                if any(isinstance(piece, str) and "\n" in piece for piece in step.put):
                    return None
                text = None
            else:
                text = _substituted(step, text)
            continue
        if matches == "perhaps":
            return None
        match step.verb:
            case "d":
                return [Line(each) for each in (*before, *after)]
            case "c":
                return [Line(each) for each in (*before, *step.text.split("\n"), *after)]
            case "i":
                before += step.text.split("\n")
            case "a":
                after += step.text.split("\n")
            case _:
                put = known(step.text)
                if put is None or not put.endswith("\n"):
                    return None
                after += put.split("\n")[:-1]
    own: list[Line | None] = [line]
    if text is None:
        own = [None]
    elif line is not None and text != line.text:
        own = [Line(each) for each in text.split("\n")]
    return [*map(Line, before), *own, *map(Line, after)]


def _pattern(step: Stream) -> re.Pattern[str]:
    assert step.pattern is not None
    return step.pattern


def _substituted(step: Stream, text: str) -> str:
    return _pattern(step).sub(lambda match: _filled(step.put, match), text, 0 if step.every else 1)


def _filled(put: Sequence[str | int], match: re.Match[str]) -> str:
    return "".join(piece if isinstance(piece, str) else match[piece] or "" for piece in put)
