"""`prunus replay`: replay recorded sessions through policies, and show cost and loss."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.corpus import corpus_options, measure_corpus, show_summaries
from prunus.cli.options import Failure, own_settings

if TYPE_CHECKING:
    from prunus.lab.run import Measured, Measurement

_POLICIES = ("none", "safe", "balanced", "lean", "mask:10", "mask:10:30000", "clear:100000:3")


@click.command("replay")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--policy", "policies", metavar="P", multiple=True,
    help="Policy to compare; may be repeated. By default: " + ", ".join(_POLICIES) + ".",
)  # fmt: skip
@click.option(
    "--prices", metavar="READ/WRITE", multiple=True,
    help="Price of a cached and of a newly cached token, or own: those of each session's model. May be repeated. "
    "By default own and six rows.",
)  # fmt: skip
@click.option(
    "--json", "json_", metavar="OUT", type=click.Path(path_type=Path), help="Write all rows as JSON lines."
)
@click.option("--html", metavar="OUT", type=click.Path(path_type=Path), help="Draw cost against retention.")
@click.option(
    "--min-requests", metavar="N", type=click.IntRange(1), default=1, show_default=True,
    help="Leave out shorter conversations.",
)  # fmt: skip
@corpus_options
def command(
    paths: tuple[Path, ...],
    policies: tuple[str, ...],
    prices: tuple[str, ...],
    json_: Path | None,
    html: Path | None,
    min_requests: int,
    out: Path | None,
    shard: str | None,
    workers: int,
) -> None:
    """Replay recorded sessions through policies: cost and loss.

    Takes recorded sessions: files, folders, patterns such as 'logs/**/*.jsonl', tar and zip archives, and traces
    as JSON lines or Parquet. Sends every request through each policy, and shows the cost relative to no pruning,
    at each price of the prompt cache. hard is the share of later-used content that the pruned requests still
    show: the lines that edits replace and the files that calls name. soft is the share of later-used names that
    still appear in an unchanged line or in a path; it counts names that only few parts show. lost/1000 is the
    number of requests in 1,000 whose answer edits lines that were gone, with a 95 % interval over conversations.
    effective is the cost including one more request for each part that the agent must then read again. With
    clairvoyant, the bound that knows the future, it also shows the cost of each policy relative to its bound.

    \b
    Examples:
      prunus replay ~/.claude/projects
      prunus replay session.jsonl --policy auto --policy mask:10 --prices 0.1/1.25
      prunus replay sessions/ --policy auto --policy clairvoyant --policy oracle
      prunus replay sessions/ --json rows.jsonl --html picture.html
      prunus replay traces.parquet --policy none --policy balanced --shard 3/16 --out rows/3.parquet
    """
    import msgspec

    from prunus.cli.table import say
    from prunus.corpus.find import recordings
    from prunus.lab.cost import price_row
    from prunus.lab.picture import picture
    from prunus.lab.policies import installed
    from prunus.lab.run import OWN, Study, run
    from prunus.lab.summary import summarise
    from prunus.schedule.prices import NAMED_ROWS

    able, reasons = installed(dict.fromkeys(policies or _POLICIES))
    rows_asked = tuple(dict.fromkeys(prices or (OWN, *NAMED_ROWS)))
    for row in rows_asked:
        if row != OWN:
            price_row(row)
    for reason in reasons:
        say(f"left out: {reason}", err=True)
    if out is None and shard is not None:
        raise click.UsageError("--shard needs --out")
    if out is not None and (json_ or html):
        raise click.UsageError("--out takes the place of --json and --html")
    if not able:
        raise Failure("none of these policies can be replayed here")
    study = Study(able, rows_asked, min_requests, limit=None, once=out is None)
    if out is not None:
        measure_corpus(paths, study, out, shard, workers, own_settings().money())
        return
    started = time.perf_counter()
    found = run(recordings(paths), study, workers=workers)
    for one in found:
        if one.failure:
            say(f"skipped: {one.failure}", err=True)
    rows = tuple(row for one in found for row in one.rows)
    if not rows and all(one.failure for one in found):
        raise Failure("no recorded session could be read")
    if json_ is not None:
        json_.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    summaries = summarise(rows)
    if html is not None:
        html.write_text(picture(summaries), encoding="utf-8")
    say(_counted(found, rows, min_requests, time.perf_counter() - started))
    if rows:
        show_summaries(summaries, rows_asked)


def _counted(found: tuple[Measured, ...], rows: tuple[Measurement, ...], minimum: int, took: float) -> str:
    """Return one line on the number of replayed conversations, and on those left out."""
    from prunus.text.numbers import counted

    requests = sum(row.requests for row in rows if (row.policy, row.prices) == (rows[0].policy, rows[0].prices))
    measured = sum(one.conversations for one in found)
    short = sum(one.short for one in found)
    damaged = sum(one.skipped for one in found)
    copies = sum(one.copies for one in found)
    said = f"{counted(measured, 'conversation')}, {requests:,} requests in {took:.1f} s"
    if short:
        said += f"; {short:,} with fewer than {minimum} requests left out"
    if damaged:
        said += f"; {damaged:,} damaged records skipped"
    if copies:
        said += f"; {copies:,} that other files repeat left out"
    return said
