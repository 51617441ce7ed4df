"""The analysis of a user's sessions as a web page: savings by agent, strategy and session.

The page is one HTML file with inline SVG. It needs neither scripts nor the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from prunus.lab.analysis import File, SessionResult, by_agent, share, strategies, total
from prunus.lab.bars import BARS_STYLE, Bar, bars
from prunus.lab.look import LOOK

_WIDTH: Final = 760

_STYLE: Final = (
    f"{LOOK}{BARS_STYLE}body {{ max-width: 960px }}"
    + """
.lead { font-size: 1.2rem }
svg { max-width: 100%; display: block } .curve { height: auto }
.whole { fill: var(--grid) } .part { fill: var(--mark) } .before { fill: var(--faint) }
.even { stroke: var(--faint); stroke-dasharray: 3 3 }
li { overflow-wrap: anywhere }
"""
)


@dataclass(frozen=True, slots=True)
class PageSection:
    """A table with a heading and a note."""

    title: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    note: str = ""


def page(files: Sequence[File], lead: str, sections: Sequence[PageSection], notes: Sequence[str] = ()) -> str:
    """Return the page for these files; `lead` is its first sentence."""
    rows = [row for file in files for row in file.rows]
    costs = [
        Bar(agent, share(one.cost, one.unpruned), f"{share(one.cost, one.unpruned):.1%} of not pruning")
        for agent, one in by_agent(rows).items()
    ]
    sent = [
        Bar(agent, share(one.tokens, one.unpruned_tokens), f"{short(one.unpruned_tokens)} to {short(one.tokens)}")
        for agent, one in by_agent(rows).items()
    ]
    found = strategies(rows)
    most = max((effect.kept for effect in found.values()), default=0)
    kept_out = [
        Bar(name, share(effect.kept, most), f"{short(effect.kept)} tokens") for name, effect in found.items()
    ]
    cached = [
        Bar(agent, after, f"{before:.1%}, {after:.1%} with Prunus", before)
        for agent, one in by_agent(rows).items()
        for before, after in ((share(one.unpruned_cached, one.unpruned_tokens), share(one.cached, one.tokens)),)
    ]
    everything = total(rows)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What Prunus would have saved</title><style>{_STYLE}</style></head><body>
<h1>What Prunus would have saved</h1>
<p class="lead">{escape(lead)}</p>
<p>{everything.sessions:,} sessions, {everything.requests:,} requests, replayed on this machine; nothing was sent
anywhere.</p>
{bars("Cost by agent", costs, even=True)}
{bars("Tokens sent by agent", sent, even=True)}
{bars("Tokens that come from the prompt cache", cached)}
{bars("Tokens kept out of all requests, by strategy", kept_out)}
{_curve(rows)}
{"".join(map(_table, sections))}
{_list("Notes", notes)}
{_list("Files that could not be read, or not to their end", (file.failure for file in files if file.failure))}
{_list("Files with damaged records", (f"{file.path}: {file.skipped:,}" for file in files if file.skipped))}
</body></html>
"""


def short(number: float) -> str:
    """Format a number in few characters, as in 12.3M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def _curve(rows: Sequence[SessionResult]) -> str:
    """Draw a thin bar for each session, from the largest savings to the smallest; the line marks no pruning."""
    costs = sorted(
        (share(row.total.cost, row.total.unpruned), f"{row.session} ({row.agent})")
        for row in rows
        if row.total.unpruned
    )
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
    return f"<h2>{title}</h2>{_svg(title, height, drawn)}<p>The dashed line is not pruning.</p>"


def _svg(title: str, height: float, drawn: Iterable[str]) -> str:
    return (
        f'<svg class="curve" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" '
        f'aria-label="{escape(title)}">{"".join(drawn)}</svg>'
    )


def _table(section: PageSection) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in section.headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in section.lines
    )
    note = f"<p>{escape(section.note)}</p>" if section.note else ""
    return (
        f'<h2>{escape(section.title)}</h2><div class="table"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{note}"
    )


def _list(title: str, items: Iterable[str]) -> str:
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<h2>{escape(title)}</h2><ul>{lines}</ul>" if lines else ""
