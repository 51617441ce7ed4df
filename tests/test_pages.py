"""The pages name modules that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ANY = {"acme", "old_searches", "NAME/"}
"""What the walks in CONTRIBUTING.md add, and what stands for any folder."""


def named(page: Path) -> set[str]:
    """The modules and packages that a page names in backquotes: `engine/board.py`, `calls/`, `bench/lab.py`."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"`((?:[\w-]+/)*[\w-]+\.py|(?:[\w-]+/)+)`", text)
    return {name for name in found if not any(word in name for word in ANY)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_modules_that_exist(page: Path) -> None:
    package = ROOT / "src" / "prunus"
    homes = (package, ROOT, ROOT / "docs", package / "clients" / "codex")
    missing = [name for name in named(page) if not any((home / name).exists() for home in homes)]
    assert not missing


def test_every_package_is_listed_on_the_page_about_the_code() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    table = page.partition("\n## Packages\n")[2].partition("\n## ")[0]
    folders = [path for path in (ROOT / "src" / "prunus").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    assert [path.name for path in folders if f"`{path.name}`" not in table] == []
