"""mini-swe-agent has one tool, a shell, and puts the exit code before the output, in tags or as JSON."""

from __future__ import annotations

import re
from typing import Final

from prunus.calls.meaning import Tool
from prunus.clients.dialect import Dialect, json_output

TOOLS: tuple[Tool, ...] = (Tool("bash", "shell", command="command"),)

_TAGGED: Final = re.compile(r"<returncode>-?\d+</returncode>\s*<output>\n?(.*?)\n?</output>\s*", re.S)
_CODE: Final = re.compile(r"\s*(\{\s*\"returncode\": ?-?\d+,|<returncode>-?\d+</returncode>)\s*")


def _output(text: str) -> str | None:
    if text.startswith("<returncode>"):
        found = _TAGGED.fullmatch(text)
        return found[1] if found else None
    return json_output(text) if text[:1] == "{" and '"returncode"' in text[:40] else None


def _headed(text: str) -> tuple[str, str] | None:
    found = _CODE.match(text)
    if found is None:
        return None
    output = _output(text)
    # An output that the agent has shortened stands in other fields, and is left among them.
    return " ".join(found[1].split()), text[found.end() :] if output is None or output is text else output


DIALECT: Final = Dialect(
    exit_code_first=r"\s*<returncode>(-?\d+)</returncode>|\s*\{\s*\"returncode\":\s*(-?\d+)",
    output=_output,
    headed=_headed,
    cut_first='"output_head":|<output_head>',
)
