"""Tables, lists of figures and bars: the few shapes that all pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prunus.dashboard.markup import Child, Markup, element


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    number: bool = False
    """Its cells are numbers, which stand right-aligned."""
    spare: bool = False
    """A narrow screen leaves it out."""
    long: bool = False
    """Its cells are sentences, which may wrap."""

    @property
    def kind(self) -> str | None:
        """The class of its cells."""
        names = (("number", self.number), ("spare", self.spare), ("long", self.long))
        return " ".join(name for name, has in names if has) or None


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Child]], *, empty: str, id: str | None = None
) -> Markup:
    """Return a table that scrolls inside itself where it is too wide; `empty` stands in place of no rows."""
    lines = [
        element(
            "tr",
            [element("td", cell, class_=column.kind) for column, cell in zip(columns, row, strict=True)],
        )
        for row in rows
    ]
    head = [element("th", column.name, scope="col", class_=column.kind) for column in columns]
    if not lines and id is None:
        return element("p", empty, class_="empty")
    none = element("tr", element("td", empty, colspan=len(columns)), class_="none") if not lines else None
    return element(
        "div",
        element(
            "table",
            element("caption", caption, class_="hidden"),
            element("thead", element("tr", head)),
            element("tbody", lines, none, id=id),
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def figure(label: str, value: Child, note: Child = None, *, main: bool = False) -> Markup:
    """Return one number with its label."""
    return element(
        "div",
        element("dt", label),
        element("dd", value, class_="value"),
        element("dd", note, class_="note") if note else None,
        class_="figure main" if main else "figure",
    )


def figures(*shown: Markup, label: str) -> Markup:
    """Return figures side by side."""
    return element("dl", *shown, class_="figures", aria_label=label)


def bar(part: float, whole: float, label: str, kind: str = "") -> Markup:
    """Return a bar that fills a share of its length; what goes beyond the whole is marked."""
    share = part / whole if whole > 0 else 0.0
    name = f"bar {kind}".strip() + (" over" if share > 1 else "")
    return element(
        "svg",
        element("rect", class_="whole", width="100%", height="8", rx="2"),
        element("rect", class_="part", width=f"{100 * min(1.0, max(0.0, share)):.2f}%", height="8", rx="2"),
        class_=name,
        height="8",
        role="img",
        aria_label=label,
    )


def section(title: str, *content: Child, note: Child = None, id: str | None = None) -> Markup:
    """Return a part of a page with its heading."""
    lead = element("p", note, class_="note") if note else None
    return element("section", element("h2", title), lead, *content, id=id)


def pager(path: str, number: int, more: bool) -> Markup | None:
    """Return links to the page before and behind; `path` ends where the number of the page goes."""
    if number == 1 and not more:
        return None
    return element(
        "nav",
        element("a", "Newer", href=f"{path}{number - 1}", rel="prev") if number > 1 else None,
        element("span", f"Page {number}"),
        element("a", "Older", href=f"{path}{number + 1}", rel="next") if more else None,
        class_="pager",
        aria_label="Pages of this list",
    )


def page_number(given: str) -> int:
    """Return the number of a page in an address; the first one for anything else."""
    return max(1, int(given)) if given.isascii() and given.isdecimal() and len(given) < 7 else 1
