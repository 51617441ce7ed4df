"""What is said about installing Prunus is true of its package."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.sources import python_files

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(r"(?:\bprunus|'\.|\"\.)\[([a-z0-9, -]+)\]")
"""An extra as people write it: `prunus[mcp]`, `'.[mcp,tokens]'`."""


def extras(path: Path) -> set[str]:
    found = NAMED.findall(path.read_text(encoding="utf-8"))
    return {extra.strip() for group in found for extra in group.split(",")}


def test_hints_name_extras_that_exist() -> None:
    files = [*python_files(ROOT / "src" / "prunus"), *PAGES]
    known = set(PROJECT["optional-dependencies"])
    unknown = {path.relative_to(ROOT).as_posix(): extras(path) - known for path in files}
    assert {path: names for path, names in unknown.items() if names} == {}
    assert set().union(*map(extras, files)) >= {"mcp", "tokens", "langchain"}


@pytest.mark.parametrize("name", ["proxy", "ab"])
def test_a_plain_install_needs_no_extra_to_run_an_agent(name: str) -> None:
    assert PROJECT["optional-dependencies"][name] == []


def test_a_plain_install_has_what_the_proxy_imports() -> None:
    from prunus.proxy.serve import _NEEDED

    required = {re.split(r"[^\w-]", one)[0].replace("-", "_") for one in PROJECT["dependencies"]}
    assert set(_NEEDED) <= required
