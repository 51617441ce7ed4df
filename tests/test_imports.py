"""Names that code imports exist, also in tests and scripts that run only where other programs are installed."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.sources import python_files

ROOT = Path(__file__).parents[1]
HOMES = {"prunus": ROOT / "src", "tests": ROOT, "bench": ROOT}
"""The packages of the project, and the folders that hold them."""
FOLDERS = ("bench", "docs", "examples", "packaging", "src", "tests")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_imported_name_exists(folder: str) -> None:
    files = python_files(ROOT / folder)
    missing = {
        path.relative_to(ROOT).as_posix(): list(missing_names(path.read_text(encoding="utf-8"))) for path in files
    }
    assert {path: names for path, names in missing.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        "from prunus.integrations.google_adk import nothing",
        "from prunus.nowhere import Pruner",
        "import prunus.nowhere",
        "def f():\n    from tests import nothing",
    ],
)
def test_a_missing_name_is_found(line: str) -> None:
    assert list(missing_names(line))


@pytest.mark.parametrize(
    "line",
    [
        "from prunus import Pruner",
        "from prunus.integrations import google_adk",
        "from prunus.integrations.httpx import AsyncPruningTransport",
        "import tests.sources",
        "from elsewhere import nothing",
    ],
)
def test_a_name_that_exists_passes(line: str) -> None:
    assert list(missing_names(line)) == []


def missing_names(source: str) -> Iterator[str]:
    """The names that a source imports from the project and that the project does not have."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_ours(alias.name) and not file_of(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and is_ours(node.module):
            file = file_of(node.module)
            for alias in node.names:
                named = f"{node.module}.{alias.name}"
                if file is None or not (alias.name in names_of(file) or file_of(named)):
                    yield named


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in HOMES


def file_of(module: str) -> Path | None:
    """The file of a module, or the folder of a package without a file; None if there is neither."""
    parts = module.split(".")
    place = HOMES[parts[0]].joinpath(*parts)
    candidates = (place.with_name(f"{place.name}.py"), place / "__init__.py", place)
    return next((one for one in candidates if one.exists()), None)


@cache
def names_of(file: Path) -> frozenset[str]:
    """The names that a module assigns, defines or imports."""
    if file.is_dir():
        return frozenset()
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(ctx=ast.Store()):
                found.add(node.id)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.alias():
                found.add(node.asname or node.name)
    return frozenset(found)
