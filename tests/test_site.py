"""The documentation as a site: `make site` builds it; here is what can be checked without mkdocs."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def script(name: str) -> ModuleType:
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_page_has_its_place_in_the_menu() -> None:
    menu = re.findall(r"([\w/-]+\.md)$", CONFIG.partition("\nnav:\n")[2], re.MULTILINE)
    assert len(menu) == len(set(menu))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert pages - set(menu) == set()
    assert set(menu) - pages == {"changelog.md", "contributing.md", "packages/README.md"}


def test_pictures_name_what_they_show_and_load_nothing() -> None:
    for path in (DOCS / "pictures").glob("*.svg"):
        text = path.read_text(encoding="utf-8")
        assert 'role="img"' in text and "<title" in text
        assert re.findall(r"(?:href|src)=|url\(|<script", text) == []


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ('<a href="b.html">b</a> <img src="p.svg">', []),
        ('<a href="b.html#here">b</a> <a href="#">top</a> <a href="/b.html">b</a>', []),
        ('<a href="https://x.example">x</a> <a href="mailto:a@b.example">m</a>', []),
        ('<a href="c.html">c</a>', ["a.html links to c.html, which is not there"]),
        ('<a href="b.html#gone">b</a>', ["a.html links to b.html#gone, and the page has no such place"]),
        ('<script src="https://cdn.example/x.js"></script>', ["a.html loads https://cdn.example/x.js"]),
        ('<link rel="stylesheet" href="//f.example/x.css">', ["a.html loads //f.example/x.css"]),
    ],
)
def test_dead_links_and_foreign_files_are_found(tmp_path: Path, page: str, says: list[str]) -> None:
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "b.html").write_text('<h1 id="here">B</h1>')
    (tmp_path / "p.svg").touch()
    assert script("site_check").problems(tmp_path) == says
