"""Find where quotes, substitutions and heredocs of a shell command end."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEREDOC = re.compile(r"<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([\w.-]+))")
_SUBSTITUTION = re.compile(r"\$\(|`")
_DEEPEST = 40


def heredoc_body(text: str, at: int, mark: str) -> tuple[str, int] | None:
    """The body of a heredoc that starts at a line, and where the line after the body starts."""
    found = _HEREDOC.match(mark)
    assert found is not None
    end = re.compile(rf"^[ \t]*{re.escape(found[1] or found[2] or found[3])}[ \t\r]*$", re.M).search(text, at)
    if end is None:
        return None
    return text[at : end.start()], min(end.end() + 1, len(text))


def closing(text: str, at: int, depth: int = 0) -> int:
    """The position behind the substitution or quoted string that starts here; -1 if it does not end."""
    if depth > _DEEPEST:
        return -1
    start = text[at]
    if start == "`":
        end = text.find("`", at + 1)
        return end + 1 if end > 0 else -1
    if start == '"':
        at += 1
        while at < len(text):
            char = text[at]
            if char == '"':
                return at + 1
            if char == "\\":
                at += 2
            elif text.startswith(("$(", "${"), at) or char == "`":
                at = closing(text, at, depth + 1)
                if at < 0:
                    return -1
            else:
                at += 1
        return -1
    if text.startswith("${", at):
        end = text.find("}", at)
        return end + 1 if end > 0 else -1
    return _closing_paren(text, at + 2, depth)


def _closing_paren(text: str, at: int, depth: int) -> int:
    """The position behind the parenthesis that closes a command substitution, or -1."""
    open_count, mark = 1, ""
    while at < len(text):
        char = text[at]
        if char == ")":
            open_count -= 1
            if not open_count:
                return at + 1
        elif char == "(":
            open_count += 1
        elif char == "\\":
            at += 1
        elif char == "'":
            at = text.find("'", at + 1)
            if at < 0:
                return -1
        elif char in '"`':
            at = closing(text, at, depth + 1) - 1
            if at < 0:
                return -1
        elif char == "<" and (found := _HEREDOC.match(text, at)):
            mark = found[0]
            at = found.end() - 1
        elif char == "\n" and mark:
            body = heredoc_body(text, at + 1, mark)
            if body is None:
                return -1
            mark, at = "", body[1] - 1
        at += 1
    return -1


def substitutions(text: str) -> Iterator[str]:
    """The commands inside `$( )` and backticks, the outermost ones."""
    at = 0
    while (found := _SUBSTITUTION.search(text, at)) is not None:
        end = closing(text, found.start())
        if not text.startswith("$((", found.start()):
            yield text[found.end() : end - 1] if end > 0 else text[found.end() :]
        if end < 0:
            return
        at = end
