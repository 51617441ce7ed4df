"""The pages about integrations show files that are tested, and versions that are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.integrations.frameworks import FRAMEWORKS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "integrations"
SNIPPETS = sorted(path for path in PAGES.iterdir() if path.suffix in (".py", ".yaml"))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name)
def test_a_page_shows_its_snippet_as_it_is(snippet: Path) -> None:
    language = {".py": "python", ".yaml": "yaml"}[snippet.suffix]
    shown = f"```{language}\n{snippet.read_text(encoding='utf-8')}```\n"
    assert any(shown in page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name)
def test_a_snippet_is_run_by_some_test(snippet: Path) -> None:
    tests = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert any(f'"{snippet.name}"' in text for text in tests)


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_the_list_of_pages_names_the_versions_that_are_tested(name: str) -> None:
    framework = FRAMEWORKS[name]
    pairs = (
        (low.split("==")[1], high.split("==")[1])
        for low, high in zip(framework.lowest[:1], framework.newest[:1], strict=True)
    )
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    for low, high in pairs:
        assert (f" {low} to {high} |" if low != high else f" {low} |") in text


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_an_extra_that_begins_with_the_lowest_version(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package, _, version = FRAMEWORKS[name].lowest[0].replace("[proxy]", "").partition("==")
    extra = [line.partition(";")[0] for line in project["optional-dependencies"][name]]
    assert f"{package}>={version}" in extra


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_tests(name: str) -> None:
    assert (ROOT / FRAMEWORKS[name].file).exists()
