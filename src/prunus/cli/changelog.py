"""`prunus changelog`: list the changes of a session to each file, and their purposes."""

from __future__ import annotations

import json
from pathlib import Path

import click

from prunus.cli.options import Failure


@click.command("changelog")
@click.argument("session", metavar="SESSION", type=click.Path(path_type=Path))
@click.option(
    "--format", "format_", type=click.Choice(["md", "json"]), default="md", show_default=True,
    help="Markdown, or everything as JSON.",
)  # fmt: skip
@click.option(
    "--since", metavar="TURN", type=click.IntRange(1), default=1, help="Only what was done from this turn on."
)
def command(session: Path, format_: str, since: int) -> None:
    """List what a recorded session changed, and why.

    Takes a recorded session of any agent that Prunus knows, or a request. Each file has one line per purpose with
    the lines added and removed. The purpose is the intent of the call, or else the text that the assistant wrote
    before the call, marked [inferred]. The list omits edits that failed or were reverted.

    A recording may hold several conversations, after a compaction or with sub-agents. The list treats them as one
    and counts their turns continuously.

    \b
    Examples:
      prunus changelog session.jsonl
      prunus changelog session.jsonl --since 40
      prunus changelog request.json --format json
    """
    from prunus.changelog import as_json, as_markdown, generate_changelog
    from prunus.clients.sessions import load

    try:
        log = generate_changelog(load(session), since)
    except OSError as error:
        raise Failure(f"{click.format_filename(session)}: {(error.strerror or str(error)).lower()}") from error
    if format_ == "json":
        click.echo(json.dumps(as_json(log), ensure_ascii=False, indent=2))
    else:
        click.echo(as_markdown(log), nl=False)
