"""The site also shows pages that lie outside of docs/, and links that lead out of docs/ lead to them.

mkdocs calls the functions whose names begin with `on_`. A link to a file that is not on the site fails the build.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
ADDED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "packages/README.md": "packages/README.md",
    **{
        path.relative_to(ROOT).as_posix(): f"packages/{path.parent.name}.md"
        for path in sorted(ROOT.glob("packages/*/README.md"))
    },
}
"""Files of the project, and the pages that show them."""
HOMES = {page: source for source, page in ADDED.items()}
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?(?=\))")
CODE = re.compile(r"(^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\2`*[ \t]*$|`[^`\n]+`)", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie elsewhere."""
    for source, page in ADDED.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Make links between files of the project links between pages."""
    here = page.file.src_uri
    source = HOMES.get(here, f"docs/{here}")
    pieces = CODE.split(markdown)
    # Three pieces in turn: text, code, and the fence of the code.
    pieces[0::3] = [LINK.sub(lambda found: _moved(found, source, here), text) for text in pieces[0::3]]
    del pieces[2::3]
    return "".join(pieces)


def _moved(found: re.Match[str], source: str, here: str) -> str:
    """Return a link of the file `source` as a link of the page `here`."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[1]))
    candidates = (target, posixpath.join(target, "README.md"))
    page = "index.md" if target == "README.md" else next((ADDED[one] for one in candidates if one in ADDED), "")
    if not page and target.startswith("docs/"):
        page = target.removeprefix("docs/")
    if not page:
        raise PluginError(f"{source} links to {target}, which is not on the site")
    return posixpath.relpath(page, posixpath.dirname(here) or ".") + (found[2] or "")
