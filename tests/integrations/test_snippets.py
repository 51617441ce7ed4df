"""The pages about integrations show files that are tested, and versions that are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.e2e.install import PACKAGES
from tests.integrations.frameworks import FRAMEWORKS

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "integrations"
LANGUAGES = {".py": "python", ".yaml": "yaml", ".js": "js", ".json": "json"}
SNIPPETS = sorted(path for path in PAGES.iterdir() if path.suffix in LANGUAGES)
TESTS = ("tests/integrations/test_*.py", "tests/packages/*.py", "packages/*/tests/*.test.js")


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name)
def test_a_page_shows_its_snippet_as_it_is(snippet: Path) -> None:
    shown = f"```{LANGUAGES[snippet.suffix]}\n{snippet.read_text(encoding='utf-8')}```\n"
    assert any(shown in page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.name)
def test_a_snippet_is_run_by_some_test(snippet: Path) -> None:
    tests = (path.read_text(encoding="utf-8") for pattern in TESTS for path in ROOT.glob(pattern))
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


@pytest.mark.parametrize("name", ["opencode", "pi", "claude-agent-sdk", "codex-sdk", "claude"])
def test_the_list_of_packages_names_the_versions_of_the_clients(name: str) -> None:
    package, _, version = PACKAGES[name].requirements[0].replace("==", "@").rpartition("@")
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    assert f" {package.rpartition('/')[2]} {version} |" in text


def test_the_list_of_packages_names_the_versions_of_the_ai_sdk() -> None:
    needed = json.loads((ROOT / "packages" / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    versions = [needed[name].removeprefix("npm:ai@") for name in ("ai-v6", "ai-v7")]
    assert f" ai {', '.join(versions)} |" in (PAGES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_an_extra_that_begins_with_the_lowest_version(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package, _, version = FRAMEWORKS[name].lowest[0].replace("[proxy]", "").partition("==")
    extra = [line.partition(";")[0] for line in project["optional-dependencies"][name]]
    assert f"{package}>={version}" in extra


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_tests(name: str) -> None:
    assert (ROOT / FRAMEWORKS[name].file).exists()
