"""`prunus prune` and `prunus explain`: prune one request, or show the decision about each of its parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click

from prunus.cli.body import located_error, read_request, turn_option, write_body
from prunus.cli.options import ChosenSettings, Failure, format_option, settings_options
from prunus.cli.table import say, show

_HEADINGS: Final = ("part", "role", "turn", "kind", "what", "tokens", "priority", "guide", "fate", "why")


@click.command("prune")
@click.argument("source", metavar="FILE|-")
@format_option
@settings_options
@turn_option
@click.option(
    "-o", "--output", metavar="OUT", type=click.Path(path_type=Path), help="Write to a file, not standard output."
)
@click.option(
    "--report", type=click.Choice(["text", "json", "none"]), default="text", show_default=True,
    help="Form of the report on standard error.",
)  # fmt: skip
def command(
    source: str,
    format_: str | None,
    chosen: ChosenSettings,
    turn: int | None,
    output: Path | None,
    report: str,
) -> None:
    """Prune one request.

    Reads the JSON of a request, as an agent sends it to its provider, and writes the pruned request to
    standard output and a report to standard error. Messages without an edit keep their bytes. From a recorded
    session it takes the last request, or that of --turn; FILE#2 means the second session of a file.

    \b
    Examples:
      prunus prune request.json > pruned.json
      prunus prune - --preset acp --set schedule=cache < request.json
      prunus prune request.json -o pruned.json --report json 2> report.json
      prunus prune session.jsonl --turn 12 > pruned.json
    """
    from prunus.providers import frame
    from prunus.pruner import Pruner
    from prunus.report.request_report import record, text_report

    settings = chosen.load().settings
    body = read_request(source, format_, turn, settings.limits.body)
    outcome = Pruner(settings).prune(body, format=format_)
    if outcome.error is not None:
        kind, _, message = outcome.error.partition(": ")
        if kind == "FormatError":
            wrong = located_error(source, body, message)
            if report != "json":
                raise Failure(wrong)
            click.echo(json.dumps({**record(outcome), "error": wrong}, ensure_ascii=False, indent=2), err=True)
            raise SystemExit(Failure.exit_code)
        raise click.ClickException(f"this is a fault of Prunus, nothing was written: {outcome.error}")
    write_body(outcome.body, output)
    if report == "json":
        click.echo(json.dumps(record(outcome), ensure_ascii=False, indent=2), err=True)
    elif report == "text":
        idle = frame(body, format_).closed or ("" if settings.active_strategies() else "no strategy is on")
        say(text_report(outcome, settings.notification, idle), err=True)


@click.command("explain")
@click.argument("source", metavar="FILE|-")
@format_option
@settings_options
@turn_option
@click.option("--json", "in_json_", is_flag=True, help="Every part as JSON.")
@click.option("--all", "everything", is_flag=True, help="Also the parts that nothing was proposed for.")
def explain_command(
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
