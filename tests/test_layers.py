"""The layers of the code: a module imports from the layers before its own, never from those after it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import python_files

SOURCE = Path(__file__).parent.parent / "src" / "prunus"

LAYERS = (
    "errors",
    "value",
    "text",
    "json",
    "history",
    "edits",
    "tokens",
    "tally",
    "notes",
    "providers",
    "calls.paths",
    "calls.touches",
    "calls.changes",
    "shell",
    "calls.shown",
    "calls.meaning",
    "clients.client",
    "clients.dialect",
    "clients.system_reminders",
    "clients.*.__init__",
    "calls",
    "view",
    "files",
    "proposals",
    "outlines",
    "reuse",
    "requested",
    "strategies",
    "reuse.learning",
    "guards",
    "invariants",
    "schedule",
    "apply",
    "settings",
    "config_edit",
    "engine",
    "outcome",
    "conversations",
    "pruner",
    "explain",
    "histories",
    "projections",
    "intent",
    "changelog",
    "clients",
    "spending",
    "corpus",
    "lab",
    "store",
    "report",
    "agent",
    "dashboard",
    "proxy",
    "integrations",
    "ab",
    "cli",
    "__main__",
)
"""Packages and modules in the order of their layers. A dotted entry, in which `*` is any name, puts some modules of
a package on another layer: `calls` uses the clients' tables and dialects, and their sessions use providers."""

PROVIDER_SDKS = ("anthropic", "openai", "google", "litellm", "langchain")


def layer_of(module: str) -> str:
    """The entry of LAYERS that names the module, or its package, most precisely; empty if there is none."""
    names = module.split(".")
    fitting = [
        layer
        for layer in LAYERS
        if len(parts := layer.split(".")) <= len(names)
        and all(part in ("*", name) for part, name in zip(parts, names, strict=False))
    ]
    return max(fitting, key=lambda layer: layer.count("."), default="")


def modules(package: Path) -> Iterator[tuple[str, Path]]:
    """Every module of the package with its dotted name, apart from the package's own `__init__`."""
    for path in python_files(package):
        name = ".".join(path.relative_to(package).with_suffix("").parts)
        if name != "__init__":
            yield name, path


def imports(package: Path, path: Path) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of whatever the module imports, also inside functions."""
    parents = (package.name, *path.relative_to(package).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = parents[: len(parents) - level + 1] if level else ()
                origin = ".".join((*start, module) if module else start)
                yield from ((node.lineno, f"{origin}.{name.name}") for name in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, name


def complaints(package: Path) -> list[str]:
    """One sentence for each layer that is not on the list and each import that goes upward."""
    found = []
    for module, path in modules(package):
        where = path.relative_to(package.parent).as_posix()
        layer = layer_of(module)
        if not layer:
            name = module.partition(".")[0]
            found.append(f"{where}: the layer '{name}' is not on the list; give it a place in LAYERS")
            continue
        for line, name in imports(package, path):
            top, _, rest = name.partition(".")
            target = layer_of(rest)
            if top != package.name or target == layer:
                continue
            if not target:
                found.append(f"{where}:{line}: '{name}' is in no layer; import from the layer that defines it")
            elif LAYERS.index(target) > LAYERS.index(layer):
                found.append(f"{where}:{line}: '{layer}' may not import from '{target}', which comes later")
    return found


def sdk_imports(package: Path) -> list[str]:
    """Where a provider's SDK, or a package of its family such as `langchain_core`, is imported.

    Only the integrations may: each of them serves one package, and nothing else imports an integration.
    """
    return [
        f"{path.relative_to(package.parent).as_posix()}:{line}: imports {name}"
        for path in python_files(package)
        if not path.is_relative_to(package / "integrations")
        for line, name in imports(package, path)
        if name.partition(".")[0].partition("_")[0] in PROVIDER_SDKS
    ]


def write_package(root: Path, files: dict[str, str]) -> Path:
    """A package `prunus` below root, made of these files."""
    package = root / "prunus"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return package


def test_no_module_imports_from_a_later_layer() -> None:
    found = complaints(SOURCE)
    assert not found, "\n".join(found)


def test_no_provider_sdk_is_imported_outside_of_the_integrations() -> None:
    found = sdk_imports(SOURCE)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "upward",
    [
        "import prunus.view",
        "from prunus import view",
        "from prunus.view import View",
        "from .view import View",
        "from . import view",
        "def f():\n    from prunus.view import View",
        "import importlib\nview = importlib.import_module('prunus.view.view')",
    ],
)
def test_an_upward_import_is_caught_however_it_is_written(tmp_path: Path, upward: str) -> None:
    [complaint] = complaints(write_package(tmp_path, {"edits.py": upward}))
    assert "'edits' may not import from 'view'" in complaint


@pytest.mark.parametrize("upward", ["from ..view import View", "from .. import view"])
def test_an_upward_import_is_caught_inside_a_folder(tmp_path: Path, upward: str) -> None:
    [complaint] = complaints(write_package(tmp_path, {"calls/codex.py": upward}))
    assert complaint.startswith("prunus/calls/codex.py:1: 'calls' may not import from 'view'")


def test_downward_and_neighbouring_imports_pass(tmp_path: Path) -> None:
    package = write_package(
        tmp_path,
        {
            "__init__.py": "from prunus.cli import main",
            "history.py": "import json\nfrom prunus.errors import FormatError",
            "calls/codex.py": "from prunus.history import Call\nfrom .shell import table\nfrom . import x",
        },
    )
    assert complaints(package) == []


@pytest.mark.parametrize("module", ["clients/pi/__init__.py", "clients/client.py", "calls/toolbox.py"])
@pytest.mark.parametrize(
    "upward", ["from prunus.clients.pi.sessions import load", "from prunus.clients import sessions"]
)
def test_a_low_module_of_a_package_may_not_import_from_the_rest(tmp_path: Path, module: str, upward: str) -> None:
    [complaint] = complaints(write_package(tmp_path, {module: upward}))
    assert complaint.endswith("may not import from 'clients', which comes later")


def test_a_low_module_of_a_package_is_open_to_the_layers_above_it(tmp_path: Path) -> None:
    package = write_package(
        tmp_path,
        {
            "calls/toolbox.py": "from prunus.clients.dialect import words\nfrom prunus.clients.client import ALL",
            "clients/pi/__init__.py": "from prunus.calls.meaning import Tool",
            "clients/pi/sessions.py": "from prunus.clients.pi import TOOLS\nfrom prunus.view import View",
        },
    )
    assert complaints(package) == []


@pytest.mark.parametrize("line", ["import prunus", "from prunus import Pruner", "from . import Pruner"])
def test_no_module_imports_from_the_package_root(tmp_path: Path, line: str) -> None:
    [complaint] = complaints(write_package(tmp_path, {"cli.py": line}))
    assert "is in no layer" in complaint


def test_a_layer_off_the_list_is_named(tmp_path: Path) -> None:
    [complaint] = complaints(write_package(tmp_path, {"unlisted/module.py": ""}))
    assert "the layer 'unlisted' is not on the list" in complaint


@pytest.mark.parametrize(
    "line", ["import openai", "from google import genai", "from langchain_core.messages import AIMessage"]
)
def test_a_provider_sdk_is_caught(tmp_path: Path, line: str) -> None:
    files = {"__init__.py": line, "proxy/upstream.py": line, "proxy/app.py": "", "integrations/sdk.py": line}
    package = write_package(tmp_path, files)
    assert [found.partition(":")[0] for found in sdk_imports(package)] == [
        "prunus/__init__.py",
        "prunus/proxy/upstream.py",
    ]
