"""The analysis of a user's sessions as a web page: savings by agent, strategy and session.

The page is one HTML file with inline SVG. It needs neither scripts nor the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from prunus.lab.analysis import File, SessionResult, by_agent, share, strategies, total

LOOK: Final = """
:root { color-scheme: light dark;
  --ink: #1d1f23; --faint: #565d66; --grid: #e2e4e8; --paper: #ffffff; --mark: #8a2f5c }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e8ea; --faint: #a5acb5; --grid: #2d3136; --paper: #141618; --mark: #ee93bd }
}
body { font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Inter", "Roboto", sans-serif;
  font-variant-numeric: tabular-nums; color: var(--ink); background: var(--paper); margin: 2rem auto;
  padding: 0 1.2rem }
h1 { font-size: 1.5rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.2 }
h2 { margin: 2.4rem 0 .6rem; font-size: 1.02rem; font-weight: 650; letter-spacing: -.01em }
.table { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .36rem .9rem .36rem 0; text-align: right; border-bottom: 1px solid var(--grid);
  white-space: nowrap }
th { color: var(--faint); font-size: .82rem; font-weight: 500 }
th:first-child, td:first-child { text-align: left }
"""
"""The style that all pages of the lab share with the dashboard: colours, letters and tables."""
_STYLE: Final = """
.bars { display: grid; gap: .5rem; max-width: 760px }
.bars > div { display: grid; grid-template-columns: minmax(0, 11rem) minmax(0, 1fr) minmax(0, 12rem); gap: 0 .8rem;
  align-items: center }
.bars span { overflow-wrap: anywhere; line-height: 1.3 } .bars .words { color: var(--faint) }
@media (max-width: 40rem) {
  .bars > div { grid-template-columns: minmax(0, 1fr) auto } .bars svg { grid-column: 1 / -1; grid-row: 2 }
}
body { max-width: 960px }
.lead { font-size: 1.2rem }
svg { max-width: 100%; display: block } .curve { height: auto }
.whole { fill: var(--grid) } .part { fill: var(--mark) } .before { fill: var(--faint) }
.even { stroke: var(--faint); stroke-dasharray: 3 3 }
li { overflow-wrap: anywhere }
"""
_WIDTH: Final = 760


def html_page(title: str, style: str, content: str) -> str:
    """Return a page of the lab with a heading; `style` comes after the style that all pages share."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(title)}</title><style>{LOOK}{style}</style></head><body>
<h1>{escape(title)}</h1>
{content}
</body></html>
"""


def html_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table that scrolls inside itself where it is too wide."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


@dataclass(frozen=True, slots=True)
class PageSection:
    """A table with a heading and a note."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, or two bars on top of each other, with a name and a text."""

    name: str
    length: float
    """Its length; 1 is the whole."""
    words: str
    before: float | None = None
    """The length of a second bar above it."""


def page(files: Sequence[File], lead: str, sections: Sequence[PageSection], notes: Sequence[str] = ()) -> str:
    """Return the page for these files; `lead` is its first sentence."""
    rows = [row for file in files for row in file.rows]
    costs: list[Bar] = []
    sent: list[Bar] = []
    cached: list[Bar] = []
    for agent, group in by_agent(rows).items():
        one = total(group)
        cost = share(one.cost, one.unpruned)
        costs.append(Bar(agent, cost, f"{cost:.1%} of not pruning"))
        less = f"{short(one.unpruned_tokens)} to {short(one.tokens)}"
        sent.append(Bar(agent, share(one.tokens, one.unpruned_tokens), less))
        before, after = share(one.unpruned_cached, one.unpruned_tokens), share(one.cached, one.tokens)
        cached.append(Bar(agent, after, f"{before:.1%}, {after:.1%} with Prunus", before))
    found = strategies(rows)
    most = max((effect.kept for effect in found.values()), default=0)
    kept_out = [
        Bar(name, share(effect.kept, most), f"{short(effect.kept)} tokens") for name, effect in found.items()
    ]
    requests = sum(row.requests for row in rows)
    content = f"""<p class="lead">{escape(lead)}</p>
<p>{len(rows):,} sessions, {requests:,} requests, replayed on this machine; nothing was sent
anywhere.</p>
{_bars("Cost by agent", costs, even=True)}
{_bars("Tokens sent by agent", sent, even=True)}
{_bars("Tokens that come from the prompt cache", cached)}
{_bars("Tokens kept out of all requests, by strategy", kept_out)}
{_curve(rows)}
{"".join(map(_table, sections))}
{_list("Notes", notes)}
{_list("Files that could not be read, or not to their end", (file.failure for file in files if file.failure))}
{_list("Files with damaged records", (f"{file.path}: {file.skipped:,}" for file in files if file.skipped))}"""
    return html_page("What Prunus would have saved", _STYLE, content)


def short(number: float) -> str:
    """Format a number in few characters, as in 12.3M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def _bars(title: str, rows: Sequence[Bar], *, even: bool = False) -> str:
    """Return a heading and the bars; `even` shows the length of 1 behind each bar. Nothing for no bars."""
    if not rows:
        return ""
    longest = max(1.0, *(row.length for row in rows))
    drawn = "".join(
        f'<div><span>{escape(row.name)}</span><svg width="100%" height="15" role="img" '
        f'aria-label="{escape(f"{row.name}: {row.words}")}">{_rects(row, longest, even)}</svg>'
        f'<span class="words">{escape(row.words)}</span></div>'
        for row in rows
    )
    return f'<h2>{escape(title)}</h2><div class="bars">{drawn}</div>'


def _rects(row: Bar, longest: float, even: bool) -> str:
    def width(length: float) -> str:
        return f"{100 * max(0.0, length) / longest:.2f}%"

    if row.before is not None:
        return (
            f'<rect class="before" width="{width(row.before)}" height="7"/>'
            f'<rect class="part" y="8" width="{width(row.length)}" height="7"/>'
        )
    whole = f'<rect class="whole" width="{width(1.0)}" height="15"/>' if even else ""
    line = f'<line class="even" x1="{width(1.0)}" x2="{width(1.0)}" y1="0" y2="15"/>' if even else ""
    return f'{whole}<rect class="part" width="{width(row.length)}" height="15"/>{line}'


def _curve(rows: Sequence[SessionResult]) -> str:
    """Draw a thin bar for each session, from the largest savings to the smallest; the line marks no pruning."""
    costs = sorted((share(row.cost, row.unpruned), f"{row.session} ({row.agent})") for row in rows if row.unpruned)
    if not costs:
        return ""
    title = "Cost of each session, the largest gain first"
    height = 170
    highest = max(1.0, costs[-1][0])
    width = _WIDTH / len(costs)
    drawn = [
        f'<rect class="part" x="{i * width:.2f}" y="{height * (1 - cost / highest):.1f}" '
        f'width="{max(width * 0.85, 0.3):.2f}" height="{height * cost / highest:.1f}">'
        f"<title>{escape(name)}: {cost:.3f}</title></rect>"
        for i, (cost, name) in enumerate(costs)
    ]
    even = height * (1 - 1 / highest)
    drawn.append(f'<line class="even" x1="0" x2="{_WIDTH}" y1="{even:.1f}" y2="{even:.1f}"/>')
    svg = f'<svg class="curve" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" aria-label="{title}">'
    return f"<h2>{title}</h2>{svg}{''.join(drawn)}</svg><p>The dashed line is not pruning.</p>"


def _table(section: PageSection) -> str:
    note = f"<p>{escape(section.note)}</p>" if section.note else ""
    return f"<h2>{escape(section.title)}</h2>{html_table(section.headings, section.lines)}{note}"


def _list(title: str, items: Iterable[str]) -> str:
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<h2>{escape(title)}</h2><ul>{lines}</ul>" if lines else ""
