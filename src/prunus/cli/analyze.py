"""`prunus analyze`: what Prunus would have saved in the sessions on this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.failure import Failure

if TYPE_CHECKING:
    from prunus.lab.analysis import File, Row, Total
    from prunus.lab.money import Money
    from prunus.lab.page import Section


@click.command("analyze")
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--json", "json_", metavar="OUT", type=click.Path(path_type=Path), help="Write a JSON line for each session."
)
@click.option("--html", metavar="OUT", type=click.Path(path_type=Path), help="Write a page with plots.")
@click.option(
    "--limit", metavar="N", type=click.IntRange(1), default=200, show_default=True,
    help="Replay at most so many files, the newest ones.",
)  # fmt: skip
@click.option(
    "--input-price", "input_prices", metavar="[MODEL=]USD", multiple=True,
    help="Price of a million uncached input tokens, of every model or of those that a pattern such as 'claude*' "
    "matches, to say costs in dollars; may be repeated.",
)  # fmt: skip
def command(
    paths: tuple[Path, ...], json_: Path | None, html: Path | None, limit: int, input_prices: tuple[str, ...]
) -> None:
    """Say what Prunus would have saved in your own sessions.

    Finds the sessions that agents recorded on this machine, or takes files and folders of them, replays each
    as it came and through Prunus, and compares: by agent, by strategy, what the prompt cache would have done, and
    in which sessions it gained least. A session that was resumed or forked is counted once. Nothing is changed and
    nothing is sent anywhere.

    \b
    Examples:
      prunus analyze
      prunus analyze ~/.claude/projects --html saved.html
      prunus analyze --limit 20 --input-price 3 --json sessions.jsonl
      prunus analyze --input-price 'claude*=3' --input-price 'gpt-5*=1.25'
    """
    from prunus.cli.table import say
    from prunus.errors import SettingsError
    from prunus.lab.analysis import total
    from prunus.lab.appraisal import analyse
    from prunus.lab.money import Money

    try:
        money = Money.read(input_prices)
    except SettingsError as error:
        raise Failure(str(error)) from error
    files, older = _newest(paths, limit)
    if not files and not paths:
        _nothing_here("No recorded sessions were found on this machine.")
        return
    started = time.perf_counter()
    found = analyse(files, workers=max(2, os.cpu_count() or 1))
    took = time.perf_counter() - started
    for one in found:
        if one.failure:
            say(f"unreadable: {one.failure}", err=True)
        if one.skipped:
            say(f"damaged: {one.path}: {_counted(one.skipped, 'record')} skipped", err=True)
    rows = tuple(row for one in found for row in one.rows)
    if not rows:
        said = f"no recorded session in {_counted(len(files), 'file')}"
        if paths:
            raise Failure(said)
        _nothing_here(f"There is {said}.")
        return
    everything = total(rows)
    lead = _lead(rows, money)
    sections = _sections(rows, money)
    notes = _notes(rows, money)
    _print(_scope(found, everything, took, older), lead, sections, notes)
    _write(found, json_, html, lead, sections, notes)


def _newest(paths: Sequence[Path], limit: int) -> tuple[tuple[Path, ...], int]:
    """The files to replay, the newest first, and how many are left out."""
    from prunus.clients.finder import find
    from prunus.lab.run import recordings

    files = tuple(sorted(recordings(paths), key=_age)) if paths else tuple(file.path for file in find())
    return files[:limit], max(0, len(files) - limit)


def _age(path: Path) -> float:
    return -path.stat().st_mtime if path.exists() else 0.0


def _nothing_here(said: str) -> None:
    """Where sessions would have been, and what to try instead."""
    from prunus.clients.finder import looked_in

    click.echo(f"{said} Looked in:")
    for agent, folder in looked_in():
        click.echo(f"  {agent:15} {folder}{'' if folder.exists() else ' (does not exist)'}")
    click.echo("\nGive the path of a recorded session, or try `prunus demo`: it brings its own.")


def _lead(rows: Sequence[Row], money: Money) -> str:
    """The answer in a sentence or two."""
    from prunus.lab.analysis import share, total

    everything = total(rows)
    cost = share(everything.cost, everything.unpruned)
    sent = share(everything.tokens, everything.unpruned_tokens)
    gained = f"saved {1 - cost:.1%} of" if cost <= 1 else f"added {cost - 1:.1%} to"
    fewer = f"{1 - sent:.1%} fewer" if sent <= 1 else f"{sent - 1:.1%} more"
    said = (
        f"Prunus would have {gained} the cost of input and sent {fewer} tokens: "
        f"{everything.unpruned:,.0f} to {everything.cost:,.0f} in units of uncached input tokens."
    )
    priced = [row for row in rows if money.of(row.model) is not None]
    if priced:
        known = "" if len(priced) == len(rows) else f" ({_counted(len(priced), 'session')} with a price)"
        said += f" In dollars{known}: {_dollars(priced, money, 'unpruned')} to {_dollars(priced, money, 'cost')}."
    return said


def _dollars(rows: Sequence[Row], money: Money, field: str) -> str:
    """A cost in dollars, of the sessions whose price is known; a dash where there is none."""
    known = [(price, row) for row in rows if (price := money.of(row.model)) is not None]
    return f"${sum(price * getattr(row.total, field) for price, row in known):,.2f}" if known else "-"


def _scope(found: Sequence[File], everything: Total, took: float, older: int) -> str:
    """One line: how much was replayed, and what was not."""
    unreadable = sum(bool(one.failure) for one in found)
    damaged = sum(bool(one.skipped) for one in found)
    said = (
        f"{_counted(everything.sessions, 'session')} in {_counted(len(found), 'file')}, "
        f"{_counted(everything.requests, 'request')}, replayed in {took:.1f} s"
    )
    if unreadable:
        said += f"; {_counted(unreadable, 'file')} unreadable"
    if damaged:
        records = sum(one.skipped for one in found)
        said += f"; {_counted(records, 'damaged record')} skipped in {_counted(damaged, 'file')}"
    copies = sum(one.copies for one in found)
    if everything.copied or copies:
        said += "; what resumed sessions repeat is counted once"
        if copies:
            said += f" ({_counted(copies, 'session')} left out)"
    if older:
        said += f"; {_counted(older, 'older file')} left out (--limit)"
    return said


def _sections(rows: Sequence[Row], money: Money) -> tuple[Section, ...]:
    from prunus.lab.analysis import by_agent, total
    from prunus.lab.page import Section

    agents = by_agent(rows)
    groups = {**agents, "all": total(rows)} if len(agents) > 1 else agents
    members = {name: [row for row in rows if name in (row.agent, "all")] for name in groups}
    paid = ("$ before" if money.prices else "cost before", "after")
    return (
        Section(
            "By agent",
            ("agent", "sessions", "requests", "tokens before", "after", *paid, "cost", "hard", "soft"),
            tuple(_sums(name, one, members[name], money) for name, one in groups.items()),
            "Cost is a share of not pruning"
            + ("." if money.prices else ", before and after are in uncached input tokens.")
            + " Hard and soft are the shares of lines and files, and of names, used later that were still shown.",
        ),
        Section(
            "Prompt cache",
            ("agent", "cached before", "after", "breaks", "per 100 requests"),
            tuple(_cache(name, one) for name, one in groups.items()),
            "Cached are shares of the tokens sent. Breaks are those of a warm cache that Prunus causes.",
        ),
        Section(
            "By strategy",
            ("strategy", "edits", "tokens", "in all requests", "saved"),
            _by_strategy(rows, money),
            "Edits in the last request of each session and the tokens that they keep out of it; tokens that were "
            "kept out of all requests; what that saved, breaks of the cache paid, "
            + ("in dollars." if money.prices else "in uncached input tokens."),
        ),
        Section(
            "Gained least",
            ("session", "agent", "model", "requests", "tokens before", "saved", "cost"),
            _gained_least(rows, money),
        ),
    )


def _by_strategy(rows: Sequence[Row], money: Money) -> tuple[tuple[str, ...], ...]:
    from prunus.lab.analysis import strategies

    lines = []
    for name, effect in strategies(rows).items():
        saved = f"{effect.saved:,.0f}"
        if money.prices:
            parts = [(money.of(row.model), row.strategies[name].saved) for row in rows if name in row.strategies]
            known = [price * part for price, part in parts if price is not None]
            saved = f"${sum(known):,.2f}" if known else "-"
        lines.append((name, f"{effect.edits:,}", f"{effect.tokens:,}", f"{effect.kept:,}", saved))
    return tuple(lines)


def _gained_least(rows: Sequence[Row], money: Money) -> tuple[tuple[str, ...], ...]:
    from prunus.lab.analysis import least, share

    lines = []
    for row in least(rows):
        saved, price = row.total.unpruned - row.total.cost, money.of(row.model)
        sign = "-" * (saved < 0)
        said = (
            f"{saved:,.0f}" if not money.prices else "-" if price is None else f"{sign}${abs(saved) * price:,.2f}"
        )
        lines.append(
            (
                row.session,
                row.agent,
                row.model or "-",
                f"{row.total.requests:,}",
                f"{row.total.unpruned_tokens:,}",
                said,
                f"{share(row.total.cost, row.total.unpruned):.3f}",
            )
        )
    return tuple(lines)


def _sums(name: str, one: Total, rows: Sequence[Row], money: Money) -> tuple[str, ...]:
    from prunus.lab.analysis import share

    paid = (f"{one.unpruned:,.0f}", f"{one.cost:,.0f}")
    if money.prices:
        paid = (_dollars(rows, money, "unpruned"), _dollars(rows, money, "cost"))

    return (
        name,
        f"{one.sessions:,}",
        f"{one.requests:,}",
        f"{one.unpruned_tokens:,}",
        f"{one.tokens:,}",
        *paid,
        f"{share(one.cost, one.unpruned):.3f}",
        f"{share(one.hard_kept, one.hard):.3f}" if one.hard else "-",
        f"{share(one.soft_kept, one.soft):.3f}" if one.soft else "-",
    )


def _cache(name: str, one: Total) -> tuple[str, ...]:
    from prunus.lab.analysis import share

    return (
        name,
        f"{share(one.unpruned_cached, one.unpruned_tokens):.1%}",
        f"{share(one.cached, one.tokens):.1%}",
        f"{one.breaks:,}",
        f"{100 * share(one.breaks, one.requests):.1f}",
    )


def _notes(rows: Sequence[Row], money: Money) -> tuple[str, ...]:
    """What has to be known to read the numbers."""
    from prunus.lab.analysis import total
    from prunus.lab.appraisal import PRESET
    from prunus.schedule.prices import DEFAULT

    notes = [
        f'Replayed with preset = "{PRESET}".',
        "Answers are not counted: they cost the same either way. Each session is paid by its model's cache prices.",
        "System text and tools count only where the agent recorded them.",
        f"`prunus replay --policy {PRESET} --prices own` gives the same cost, and compares it with other policies.",
    ]
    if not money.prices:
        notes.append(
            "The price table holds ratios and no dollars; --input-price USD per million tokens says them too."
        )
    without = sorted({row.model or "no name" for row in rows if money.of(row.model) is None})
    if money.prices and without:
        notes.append(f"No dollars were given for {', '.join(without)}: the sums are without them.")
    hours = sum(bool(row.lifetime) for row in rows)
    if hours:
        notes.append(f"{_counted(hours, 'session')} cached for an hour, as recorded, at that write's price.")
    unknown = sorted({row.model or "no name" for row in rows if not row.known})
    if unknown:
        notes.append(
            f"No price is known for {', '.join(unknown)}: read {DEFAULT.read:g}, write {DEFAULT.write:g} assumed."
        )
    everything = total(rows)
    if everything.refused:
        notes.append(f"{_counted(everything.refused, 'request')} could not be pruned and went out unchanged.")
    if everything.invalid:
        notes.append(f"{_counted(everything.invalid, 'pruned request')} would be refused: please report this.")
    return tuple(notes)


def _print(scope: str, lead: str, sections: Sequence[Section], notes: Sequence[str]) -> None:
    from prunus.cli.table import say, show
    from prunus.printable import printable

    say(f"{scope}\n\n{lead}")
    for section in sections:
        if not section.lines:
            continue
        click.echo(f"\n{section.title}")
        words = {"session", "agent", "model", "strategy"}
        numbers = [i for i, heading in enumerate(section.headings) if heading not in words]
        show(section.headings, section.lines, right=numbers, flexible=(0,))
        if section.note:
            say(section.note)
    click.echo()
    for note in notes:
        say(printable(note))


def _write(
    found: Sequence[File],
    json_: Path | None,
    html: Path | None,
    lead: str,
    sections: Sequence[Section],
    notes: Sequence[str],
) -> None:
    """The files that were asked for, after all is said, so that a wrong path loses nothing."""
    import msgspec

    from prunus.lab.analysis import record
    from prunus.lab.page import page

    try:
        if json_ is not None:
            json_.write_bytes(
                b"".join(msgspec.json.encode(record(row)) + b"\n" for one in found for row in one.rows)
            )
        if html is not None:
            html.write_text(page(found, lead, sections, notes), encoding="utf-8")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}") from error


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
