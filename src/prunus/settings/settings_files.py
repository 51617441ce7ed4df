"""Read settings from files.

In one directory, later files of this list override earlier ones:

    dcp.json, dcp.jsonc, acp.json, acp.jsonc
                            the files of the plugins DCP and ACP; their preset is acp unless they name another
    pyproject.toml          its table [tool.prunus], if it has one
    prunus.json, prunus.jsonc, prunus.toml

The files of the project override those of the user's directory, and the options of a run override both. A later
preset replaces an earlier preset. Explicit values override every preset.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from prunus.settings import jsonc
from prunus.settings.acp import translate
from prunus.settings.layers import MISSING, Layer, merge

NAMES: Final = (
    "dcp.json", "dcp.jsonc", "acp.json", "acp.jsonc",
    "pyproject.toml", "prunus.json", "prunus.jsonc", "prunus.toml",
)  # fmt: skip
"""The names of settings files, in the order of reading."""

_AT: Final = re.compile(r"(?<!\s)\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def read(path: Path) -> Layer | None:
    """Read one file; return None for a pyproject.toml without a table [tool.prunus]."""
    layer = Layer(str(path), path)
    if path.suffix not in (".toml", ".json", ".jsonc"):
        expected = "expected a file that ends in .toml, .json or .jsonc"
        layer.complain("", MISSING, expected if os.path.lexists(path) else "no such file or directory")
        return layer
    raw = _parse(path, layer)
    if layer.problems:
        return layer
    if path.name == "pyproject.toml":
        tool = raw.get("tool")
        if not isinstance(tool, Mapping) or "prunus" not in tool:
            return None
        raw, layer.origin = tool["prunus"], f"{path} [tool.prunus]"
    if not isinstance(raw, Mapping):
        layer.complain("", raw, "expected a table of settings")
        return layer
    layer = translate(raw, layer.origin)
    layer.path = path
    if path.stem in ("acp", "dcp"):
        layer.values.setdefault("preset", "acp")
    return layer


def read_directory(directory: Path) -> Iterator[Layer]:
    """Read the settings files of a directory, in order."""
    for name in NAMES:
        path = directory / name
        layer = read(path) if _present(path) else None
        if layer is not None:
            yield layer


def project_directory(start: Path) -> Path | None:
    """Return the nearest directory with settings, from `start` up to the repository root or the home directory."""
    here = start.resolve()
    home = _home()
    for directory in (here, *here.parents):
        if next(read_directory(directory), None) is not None:
            return directory
        if (directory / ".git").exists() or directory == home:
            return None
    return None


def user_directory() -> Path:
    """Return the directory of the user's settings."""
    from platformdirs import user_config_path

    return user_config_path("prunus", appauthor=False)


def from_options(options: Sequence[str]) -> Layer:
    """Return a layer from options such as `strategies.old_errors.turns=2`; later options override earlier ones."""
    raw: dict[str, Any] = {}
    malformed = []
    for option in options:
        key, equals, text = option.partition("=")
        if not equals or not all(steps := key.strip().split(".")):
            malformed.append(option)
            continue
        value: Any = _value(text.strip())
        for step in reversed(steps):
            value = {step: value}
        raw = merge(raw, value)
    layer = translate(raw, "option")
    for option in malformed:
        layer.complain(option, MISSING, "expected key=value")
    return layer


def _present(path: Path) -> bool:
    """Return whether a file exists. An inaccessible file counts, so that reading it reports the reason."""
    try:
        return path.is_file()
    except OSError:
        return True


def _home() -> Path | None:
    """Return the home directory; None if the process runs as an unknown user."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def _parse(path: Path, layer: Layer) -> Any:
    """Return the content of a file; if it is unreadable, return None and add a problem to the layer."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text)
    except OSError as error:
        layer.complain("", MISSING, (error.strerror or str(error)).lower())
    except UnicodeDecodeError as error:
        layer.complain("", MISSING, f"not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        layer.origin = f"{path}:{error.lineno}:{error.colno}"
        layer.complain("", MISSING, error.msg)
    except RecursionError:
        layer.complain("", MISSING, "nested too deeply")
    except ValueError as error:
        message = str(error)
        at = _AT.search(message)
        if at is not None:
            end = text.count("\n") + 1, len(text) - text.rfind("\n")
            layer.origin = f"{path}:{at[1] or end[0]}:{at[2] or end[1]}"
        layer.complain("", MISSING, message[: at.start()] if at else message)
    return None


def _value(text: str) -> Any:
    """Return the value of a JSON or TOML text; any other text is the value itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except (ValueError, RecursionError):
        return text
