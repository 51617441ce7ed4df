"""The pages about installing Prunus agree with its package."""

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

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


def test_the_wheel_carries_the_data_that_commands_read() -> None:
    carried = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    data = [path for path in (ROOT / "src" / "prunus" / "data").rglob("*") if path.is_file()]
    assert len(data) > 12
    assert {path.relative_to(ROOT / "src").as_posix() for path in data} <= carried


def dist_script() -> ModuleType:
    """The script behind `make dist`."""
    spec = spec_from_file_location("dist", ROOT / "packaging" / "dist.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def description() -> str:
    """What a package index shows."""
    text = ProjectMetadata(str(ROOT), PluginManager()).core.readme
    assert isinstance(text, str)
    return text


def test_the_page_of_an_index_has_only_absolute_links_and_pictures(description: str) -> None:
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", description) == []
    assert re.findall(r"""(?:src|srcset|href)=["'](?!https://|#)""", description) == []
    assert re.findall(r"^\[[^\]]+\]:(?! https://)", description, re.MULTILINE) == []


def test_links_of_the_index_page_lead_to_files_of_the_project(description: str) -> None:
    home = PROJECT["urls"]["Homepage"]
    linked = re.findall(rf"\({re.escape(home)}/(?:blob|raw)/main/([^)#]+)", description)
    assert len(linked) > 10
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_all_pages_name_the_same_address_of_the_project() -> None:
    home = PROJECT["urls"]["Homepage"]
    assert {url for url in PROJECT["urls"].values() if not url.startswith(home)} == set()
    for path in (ROOT / "pyproject.toml", ROOT / "packaging" / "homebrew" / "prunus.rb"):
        assert home in path.read_text(encoding="utf-8")


def test_a_placeholder_or_another_tag_is_never_published() -> None:
    script = dist_script()
    problems = script.unreleasable(PROJECT, "v9.9.9")
    placeholder = script.PLACEHOLDER in PROJECT["urls"]["Homepage"]
    assert any(script.PLACEHOLDER in problem for problem in problems) == placeholder
    assert f"the tag is v9.9.9, the version {PROJECT['version']}" in problems
    assert script.unreleasable({**PROJECT, "version": "8.8.8"}, "")[-1] == "CHANGELOG.md has no heading for 8.8.8"


def test_the_formula_gets_the_version_and_the_hash() -> None:
    text = dist_script().formula("1.2.3", b"")
    assert "prunus-1.2.3.tar.gz" in text and "@" not in text.replace("python@", "")
    assert "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" in text


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").iterdir()), ids=lambda path: path.name)
def test_every_action_is_pinned_to_a_commit_and_names_its_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert used and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line) for line in used)


def test_only_the_publishing_job_may_publish() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    build, publish = text.split("\n  publish:\n")
    assert "\npermissions: {}\n" in build and "environment:" not in build
    assert "environment:\n      name: pypi" in publish and "contents:" not in publish
    assert "password" not in text and "secrets." not in text


def test_the_image_runs_without_root_and_copies_what_its_context_holds() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    final = lines[last:]
    [user] = [line.split()[1] for line in final if line.startswith("USER ")]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert not any(line.startswith("RUN") for line in final[final.index(f"USER {user}") :])
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {name for line in lines if re.match(r"COPY (?!--)", line) for name in line.split()[1:-1]}
    assert copied == allowed and all((ROOT / name).exists() for name in copied)
