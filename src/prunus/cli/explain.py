"""`prunus explain`: show the decision about every part of a request."""

from __future__ import annotations

import json
from typing import Final

import click

from prunus.cli.body import located_error, read_request, turn_option
from prunus.cli.options import ChosenSettings, Failure, format_option, settings_options
from prunus.cli.table import say, show

_HEADINGS: Final = ("part", "role", "turn", "kind", "what", "tokens", "priority", "guide", "fate", "why")


@click.command("explain")
@click.argument("source", metavar="FILE|-")
@format_option
@settings_options
@turn_option
@click.option("--json", "in_json_", is_flag=True, help="Every part as JSON.")
@click.option("--all", "everything", is_flag=True, help="Also the parts that nothing was proposed for.")
def command(
    source: str,
    format_: str | None,
    chosen: ChosenSettings,
    turn: int | None,
    in_json_: bool,
    everything: bool,
) -> None:
    """Explain what happens to every part of a request.

    Lists each part with its message, role, kind and priority, the advice of the content type guide, and whether it
    stays; with the strategy or guard that decided and its reason, and the edits that wait for a later turn. From a
    recorded session it takes the last request, or that of --turn; FILE#2 means the second session of a file.

    \b
    Examples:
      prunus explain request.json
      prunus explain request.json --all --preset acp | grep thinking
      prunus explain - --json < request.json
      prunus explain session.jsonl --turn 12
    """
    from prunus.errors import FormatError
    from prunus.explain import explain
    from prunus.providers import frame
    from prunus.report.request_report import in_json, rows, summary

    settings = chosen.load().settings
    body = read_request(source, format_, turn, settings.limits.body)
    try:
        parts = explain(body, settings, format_)
    except FormatError as error:
        raise Failure(located_error(source, body, str(error))) from error
    if in_json_:
        click.echo(json.dumps(in_json(parts), ensure_ascii=False, indent=2))
        return
    shown = list(rows(parts, everything=everything))
    if shown:
        show(_HEADINGS, [(*row[:-1], "; ".join(row.why)) for row in shown], right=(2, 5), flexible=(4, 7, 9))
        click.echo()
    say(summary(parts, len(shown)))
    closed = frame(body, format_).closed
    if closed:
        say(f"Nothing may be pruned here: {closed}")
