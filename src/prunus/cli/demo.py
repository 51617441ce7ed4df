"""`prunus demo`: prune a bundled session and show the result."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click

from prunus.cli.options import own_name
from prunus.cli.table import say
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.edits import Edit
    from prunus.history import History
    from prunus.outcome import Outcome


@click.command("demo")
def command() -> None:
    """Prune a bundled session and show what went and why.

    The session is invented: a coding agent repairs a small pantry program. No key, no network.

    \b
    Example:
      prunus demo
    """
    from prunus.providers import read
    from prunus.pruner import prune
    from prunus.report.funnel import effectiveness
    from prunus.report.request_report import change
    from prunus.report.status import status_line

    body = files("prunus").joinpath("data", "demo.json").read_bytes()
    started = time.perf_counter()
    outcome = prune(body)
    took = time.perf_counter() - started
    report = outcome.report
    kept, same = _unchanged(body, outcome)
    again = prune(outcome.body).body == outcome.body
    lines = [
        f"A made-up session, a coding agent at work: {report.messages} messages, {len(body):,} bytes.",
        "",
        status_line(report),
        f"{change(report.tokens_before, report.tokens_after)} in {took * 1000:.0f} ms",
        "",
        effectiveness(report.strategies),
        "",
        *_examples(read(body, report.format), outcome),
        f"Untouched: {same} of {kept} messages without an edit kept every byte, of {report.messages} in all.",
        f"Pruned again: {'nothing changes' if again else 'it changes'}.",
        "",
        *_next_steps(),
    ]
    say("\n".join(lines))
    if outcome.error is not None or same != kept or not again:
        raise click.ClickException(outcome.error or "the checks above do not hold")


def _next_steps() -> Iterator[str]:
    """Yield commands that work here as they are printed."""
    from prunus.clients.client import ALL

    name = own_name()
    installed = [client.program for client in ALL if client.program and shutil.which(client.program)]
    steps = {"analyze": "what it would have saved in your own sessions"}
    if installed:
        steps[f"run {installed[0]}"] = "your agent behind Prunus"
    steps["setup"] = "keep an agent behind Prunus for good"
    steps["strategies"] = "what can go, and what does by default"
    commands = [f"{name} {step}" for step in steps]
    width = max(map(len, commands))
    yield "What next:"
    for command, what in zip(commands, steps.values(), strict=True):
        yield f"  {command:<{width}}   {what}" if width < 50 else f"  {command}\n    {what}"
    if name != "prunus" and _in_checkout():
        yield "To type only prunus: uv tool install . (or: pipx install .)"


def _in_checkout() -> bool:
    """Return whether the current directory is a checkout of Prunus."""
    return Path("pyproject.toml").is_file() and Path("src/prunus/cli/demo.py").is_file()


def _unchanged(body: bytes, outcome: Outcome[bytes]) -> tuple[int, int]:
    """Return the number of messages without an edit, and how many of them kept all bytes."""
    from prunus.providers import frame

    before, after = frame(body), frame(outcome.body)
    edited = {edit.target.message for edit in outcome.edits}
    kept = [i for i in range(len(before.starts)) if i not in edited]
    if len(before.starts) != len(after.starts):
        return len(kept), 0
    return len(kept), sum(before.raw(i) == after.raw(i) for i in kept)


def _examples(history: History, outcome: Outcome[bytes]) -> Iterator[str]:
    """Yield lines on three edits by three strategies, each with the text before and after."""
    yield "What became what:"
    for edit in islice(_best(outcome.edits), 3):
        before, after = _texts(history, edit)
        tokens = f"{edit.tokens_before:,} -> {edit.tokens_after:,} tokens"
        yield f"  message {edit.target.message}, {edit.strategy}: {edit.reason} ({tokens})"
        yield f"    - {_clip(before)}"
        yield fill(_clip(after, 200), 80, initial_indent="    + ", subsequent_indent="      ")
    yield ""


def _best(edits: tuple[Edit, ...]) -> Iterator[Edit]:
    """Yield the largest edit of each strategy that leaves a text, stale reads first."""
    from prunus.edits import Note, Shorter

    best: dict[str, Edit] = {}
    for edit in edits:
        known = best.get(edit.strategy)
        if isinstance(edit.replacement, Note | Shorter) and (known is None or edit.saved > known.saved):
            best[edit.strategy] = edit
    yield from sorted(best.values(), key=lambda edit: (edit.strategy != "stale_reads", -edit.saved))


def _texts(history: History, edit: Edit) -> tuple[str, str]:
    """Return the text before an edit, and the new text."""
    before = str(getattr(history.part(edit.target), "text", ""))
    after = str(getattr(edit.replacement, "text", ""))
    new = [line for line in after.splitlines() if line and line not in before]
    return before, " ".join(new) or after


def _clip(text: str, most: int = 74) -> str:
    flat = printable(" ".join(text[: 2 * most].split()))
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
