"""`prunus ab`: let a coding agent do tasks without Prunus and behind it, and compare what it cost."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from prunus.cli.options import ChosenSettings, Failure, Interruption, settings_options, upstream_option
from prunus.cli.proxy import upstream_sets
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.ab.exchanges import Meter
    from prunus.ab.results import PlannedRun, RunResult
    from prunus.ab.trial import Trial
    from prunus.clients.launcher import Host, Launcher
    from prunus.settings import Settings


class _FiniteRange(click.FloatRange):
    """A range without nan and inf: no sum is ever larger than these, so they would limit nothing."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} limits nothing; give a number.", param, ctx)
        return number


@click.command("ab")
@click.option(
    "--agent", metavar="NAME", default="claude", show_default=True, help="claude, codex, mini, or a program."
)
@click.option("--model", metavar="NAME", default="", help="The model that the agent uses.")
@click.option("--tasks", "names", metavar="NAMES", default="", help="Names of tasks with commas; all if not given.")
@click.option(
    "--instances", metavar="FOLDER", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="SWE-bench style instances instead of the bundled tasks.",
)  # fmt: skip
@click.option(
    "--repeat", metavar="N", type=click.IntRange(1), default=1, show_default=True,
    help="Runs of each task in each arm.",
)  # fmt: skip
@click.option(
    "--out", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False), default=Path("prunus-ab"),
    show_default=True, help="Where results and transcripts go; a second call goes on there.",
)  # fmt: skip
@click.option(
    "--budget", metavar="DOLLARS", type=_FiniteRange(0), help="Stop when so much is spent; needed to run."
)
@click.option(
    "--minutes", metavar="N", type=_FiniteRange(0, min_open=True), default=60, show_default=True,
    help="The most that one run may take.",
)  # fmt: skip
@upstream_option
@click.option(
    "--price", "prices", metavar="[PATTERN=]IN,READ,WRITE,OUT", multiple=True,
    help="Dollars per million tokens of a model that the table does not know; may be repeated.",
)  # fmt: skip
@click.option("--json", "json_", is_flag=True, help="Print all results as JSON.")
@click.option("--dry-run", is_flag=True, help="Say what would run and what it may cost, and stop.")
@settings_options
@click.argument("arguments", metavar="[-- ARGS]...", nargs=-1, type=click.UNPROCESSED)
def command(
    agent: str,
    model: str,
    names: str,
    instances: Path | None,
    repeat: int,
    out: Path,
    budget: float | None,
    minutes: float,
    upstreams: tuple[str, ...],
    prices: tuple[str, ...],
    json_: bool,
    dry_run: bool,
    chosen: ChosenSettings,
    arguments: tuple[str, ...],
) -> None:
    """Compare an agent with and without Prunus, using a real model.

    The agent does each task twice in fresh folders: once alone and once behind Prunus. Both arms go through a
    relay that counts what the provider charges for. The report pairs the arms by task: solved, dollars, requests,
    re-reads, each with the interval that 95 of 100 resampled sets of tasks fall into.

    This costs real money, and the agent runs commands without asking: use a container. A run that ends is kept;
    call the same line again to go on. Twelve tasks come with Prunus; docs/ab.md says how to read the report.

    ARGS are arguments for an agent that Prunus does not know, with {prompt} and {model} in them.

    \b
    Examples:
      prunus ab --dry-run --model claude-sonnet-4-5
      prunus ab --agent claude --model claude-sonnet-4-5 --budget 40
      prunus ab --agent codex --model gpt-5.5 --tasks ledger,router --repeat 3 --budget 60
      prunus ab --agent ./my_agent.py --model m --price 1,0.1,1,4 --budget 5 -- --task {prompt}
    """
    from prunus.ab.agent_run import AgentSetup, Stopped
    from prunus.ab.tasks import bundled, named_tasks, read_instances
    from prunus.ab.trial import Trial, announcement
    from prunus.clients.launcher import launcher_of
    from prunus.proxy.serve import check_packages
    from prunus.schedule.dollars import read_tariff
    from prunus.settings.describe import mapped
    from prunus.settings.layers import without_secrets

    def settings(addresses: tuple[str, ...], more: tuple[str, ...]) -> Settings:
        return chosen.plus(*upstream_sets(addresses), *more).load().settings

    known = launcher_of(agent)
    check_packages()
    every = bundled() if instances is None else read_instances(instances)
    tasks = named_tasks(every, (name.strip() for name in names.split(",") if name.strip()))
    tariffs = tuple(map(read_tariff, prices))
    addresses = _addresses(known, upstreams, settings)
    # Runs happen in other folders, where a relative path would lead nowhere.
    program = str(Path(shutil.which(agent) or agent).absolute())
    setup = AgentSetup(known, program, arguments, model, addresses, settings, 60 * minutes, tariffs)
    own = settings((), ()).model_dump(mode="json", exclude_defaults=True, exclude={"upstreams"})
    compared = {
        "agent": known.name,
        "arguments": arguments,
        "model": model,
        "upstreams": addresses,
        # They are written to a file that people show to others.
        "settings": mapped(own, without_secrets),
    }
    trial = Trial(setup, tasks, repeat, out, budget, compared)
    for line in announcement(trial):
        click.echo(line, err=True)
    if dry_run:
        return
    _refuse_what_cannot_run(trial, agent)
    try:
        _go_on(trial)
        stopped = ""
    except Stopped as reason:
        stopped = f"Stopped: {reason}. Call again to go on."
    except KeyboardInterrupt:
        raise Interruption("the same call goes on") from None
    _report(trial, json_)
    if stopped:
        click.echo(stopped, err=True)
        raise SystemExit(3)


def _addresses(
    known: Launcher, upstreams: tuple[str, ...], settings: Callable[[tuple[str, ...], tuple[str, ...]], Settings]
) -> dict[str, str]:
    """The address of each provider: from options, from variables of the environment, or the usual one."""
    found = known.upstreams(_bare_host())
    given = (*(f"{name}={url}" for name, url in found.items()), *upstreams)
    return settings(given, ()).upstreams.addresses()


def _bare_host() -> Host:
    """This machine without the user's files, as every run finds it."""
    from prunus.clients.launcher import Host

    nowhere = Path(os.devnull)
    return Host(dict(os.environ), nowhere, nowhere, nowhere)


def _refuse_what_cannot_run(trial: Trial, agent: str) -> None:
    """Raise Failure if the runs cannot begin: nothing is started and nothing spent."""
    from prunus.schedule.dollars import tariff_of

    known, model = trial.setup.launcher, trial.setup.model
    if trial.budget is None:
        raise Failure("--budget DOLLARS is needed: the runs cost real money")
    if shutil.which(agent) is None:
        raise Failure(f"{agent} is not installed{f': {known.install}' if known.install else ''}")
    for problem in known.problems(_bare_host()):
        raise Failure(problem)
    if known.keys and not trial.setup.arguments and not any(os.environ.get(key) for key in known.keys):
        raise Failure(
            f"no API key for {known.name}: set {' or '.join(known.keys)}. A login in the agent's own settings does "
            "not count, because every run starts with an empty home folder."
        )
    if model and tariff_of(model, trial.setup.tariffs) is None:
        raise Failure(f"no dollar price is known for the model {model}: give --price IN,READ,WRITE,OUT")


def _go_on(trial: Trial) -> None:
    """Make the remaining runs, with a progress bar or with one line for each."""
    with _progress(len(trial.runs), len(trial.runs) - len(trial.remaining)) as (starting, finished):
        for result in trial.go_on(starting):
            finished(result)


@contextmanager
def _progress(
    total: int, done: int
) -> Iterator[tuple[Callable[[PlannedRun, Meter], None], Callable[[RunResult], None]]]:
    """What to call before and after each run, so that the user sees how far the trial is."""
    from prunus.ab.trial import result_line

    if not sys.stderr.isatty():
        yield (lambda run, meter: None), (lambda result: click.echo(result_line(result), err=True))
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        shown = bar.add_task("", total=total, completed=done)

        def starting(run: PlannedRun, meter: Meter) -> None:
            bar.update(shown, description=f"{run.task} {run.repeat} {run.arm}, ${meter.spent:.2f} so far")

        def finished(result: RunResult) -> None:
            bar.console.print(result_line(result), highlight=False)
            bar.advance(shown)

        yield starting, finished


def _report(trial: Trial, json_: bool) -> None:
    """Print both arms side by side, and write the same as JSON beside the runs."""
    import msgspec

    from prunus.ab.trial import compare, comparison_table, legend
    from prunus.schedule.dollars import SOURCE

    found = trial.finished
    compared = compare(found)
    whole: dict[str, Any] = {
        "compared": trial.compared, "spent": trial.spent, "prices": SOURCE, "comparison": compared, "runs": found,
    }  # fmt: skip
    written = msgspec.json.format(msgspec.json.encode(whole))
    (trial.out / "report.json").write_bytes(written + b"\n")
    if json_:
        click.echo(written.decode())
        return
    if compared is None:
        say("No pair of runs is complete yet.")
        return
    headings, rows = comparison_table(compared)
    show(headings, rows, right=(1, 2, 3, 4))
    say(legend(compared))
    say(f"Spent in all: ${trial.spent:.2f}. Prices: {SOURCE}. Results and transcripts: {trial.out}")
