"""`prunus prune`: prune one request."""

from __future__ import annotations

import json
from pathlib import Path

import click

from prunus.cli.body import located_error, read_request, turn_option, write_body
from prunus.cli.options import ChosenSettings, Failure, format_option, settings_options
from prunus.cli.table import say


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
    from prunus.providers import frame, read
    from prunus.pruner import Pruner
    from prunus.report.request_report import record, text_report, tool_names

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
        detailed = settings.notification == "detailed" and outcome.edits
        tools = tool_names(read(body, outcome.report.format), outcome.edits) if detailed else ()
        idle = frame(body, format_).closed or ("" if settings.active_strategies() else "no strategy is on")
        say(text_report(outcome, settings.notification, tools, idle), err=True)
