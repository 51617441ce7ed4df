"""`prunus context`: show what fills the context of a conversation."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from prunus.cli.body import is_file, located_error, name_of, read_request
from prunus.cli.options import ChosenSettings, Failure, format_option, settings_options
from prunus.cli.store import (
    empty_message,
    existing_store,
    local_time,
    session_of,
    store_option,
    tenant_of,
    tenant_option,
)
from prunus.cli.table import fold, say
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.conversations.context import Context
    from prunus.report.funnel import Funnel
    from prunus.schedule.budget import Budget
    from prunus.settings import Settings
    from prunus.store import StoredSession

_BAR: Final = 30
_WIDTH: Final = 80


@dataclass(frozen=True, slots=True)
class _Context:
    """Token counts of a context."""

    name: str
    used: int
    before: int
    """Tokens without pruning."""
    window: int
    level: str
    advice: str
    """The advice for this level of pressure."""
    budget: int
    """Tokens that the context may take before a summary is due."""
    headroom: int
    """The rest of the budget; negative if the context exceeds it."""
    categories: dict[str, int]
    allowed: dict[str, int]
    """Tokens that each category may take."""
    priorities: dict[str, int]
    guide: dict[str, int]
    """The remaining tokens under each action of the content type guide."""
    leaving: int
    """The number of parts that the agent or the user could prune."""
    leaving_tokens: int
    rest: str
    """The budget as a sentence."""
    note: str
    """What the tables count, where that is not what `used` counts."""
    funnel: Funnel | None


@click.command("context")
@click.argument("source", metavar="[FILE|SESSION]", required=False)
@format_option
@settings_options
@store_option
@tenant_option
@click.option("--json", "in_json", is_flag=True, help="The same as JSON.")
def command(
    source: str | None,
    format_: str | None,
    chosen: ChosenSettings,
    url: str | None,
    tenant: str | None,
    in_json: bool,
) -> None:
    """Show what fills the context of a conversation.

    For a request or a recorded session, shows its tokens after pruning by category and by priority, how full the
    model's window is, the pruning funnel, and the parts that could go. For a conversation behind the proxy (the
    newest if you name none), shows the same for its newest request; the store keeps numbers for this, no messages.

    \b
    Examples:
      prunus context session.jsonl
      prunus context request.json --preset acp
      prunus context 3f9a
    """
    settings = chosen.load().settings
    if source is not None and is_file(source):
        found = _of_file(source, format_, settings)
    else:
        found = _of_store(source, url, tenant, settings)
    if in_json:
        click.echo(json.dumps(_record(found), indent=2))
    else:
        say(_text_of(found))


def _of_file(source: str, format_: str | None, settings: Settings) -> _Context:
    from prunus.agent.inspection import inspect, most_of
    from prunus.conversations.context import context_of
    from prunus.errors import FormatError
    from prunus.report.funnel import funnel_of
    from prunus.schedule.pressure import advice

    raw = read_request(source, format_, None, settings.limits.body)
    try:
        look = inspect(raw, settings, format_)
    except FormatError as error:
        raise Failure(located_error(source, raw, str(error))) from error
    leaving, report = look.could_go(), look.outcome.report
    level = look.pressure.level(look.used, look.window)
    return _Context(
        name_of(source),
        look.used,
        look.around + look.engine.view.tokens,
        look.window,
        level,
        advice(level, most_of(leaving)),
        **_filled(context_of(look.engine, look.around), look.used, look.window, look.budget),
        leaving=len(leaving),
        leaving_tokens=sum(row.tokens for row in leaving),
        note="",
        funnel=funnel_of(report.tokens_before, report.tokens_after, report.strategies),
    )


def _filled(context: Context, used: int, window: int, budget: Budget) -> dict[str, Any]:
    """Return what fills a context, and what its budget allows."""
    from prunus.schedule.budget import headroom

    total = budget.total(window)
    return {
        "budget": total,
        "headroom": total - used,
        "categories": dict(context.categories),
        "allowed": {str(name): tokens for name, tokens in budget.allowed(window).items()},
        "priorities": dict(context.priorities),
        "guide": dict(context.guide),
        "rest": headroom(used, window, budget),
    }


def _of_store(source: str | None, url: str | None, asked: str | None, settings: Settings) -> _Context:
    from prunus.conversations.context import Context
    from prunus.report.context_note import context_note
    from prunus.report.funnel import funnel_of_all
    from prunus.schedule.pressure import advice

    with existing_store(url) as store:
        if store is None:
            unknown = f"{source}: no such file, and no store. " if source is not None else ""
            raise Failure(unknown + empty_message(url))
        tenant = tenant_of(store, asked)
        newest = store.sessions(tenant, 1)
        if not newest:
            raise Failure(empty_message(url))
        session: StoredSession = newest[0] if source is None else session_of(store, tenant, source)
        known = store.contexts(tenant, session.id)
    window = settings.window_of(session.model)
    used = session.tokens_before if session.shadow else session.tokens_after
    level = settings.active_pressure().level(used, window)
    context = known[0] if known else Context()
    filled = _filled(context, used, window, settings.active_budget())
    if not filled["categories"]:
        filled["allowed"] = {}
    return _Context(
        ", ".join(filter(None, (session.id[:8], session.model, local_time(session.last)))),
        used,
        session.tokens_before,
        window,
        level,
        advice(level),
        **filled,
        leaving=0,
        leaving_tokens=0,
        note=context_note(session, context),
        funnel=funnel_of_all(known),
    )


def _record(found: _Context) -> dict[str, Any]:
    from prunus.report.funnel import funnel_record

    values = {key: getattr(found, key) for key in found.__slots__}
    return {**values, "funnel": None if found.funnel is None else funnel_record(found.funnel)}


def _text_of(found: _Context) -> str:
    from prunus.report.funnel import funnel_box
    from prunus.schedule.priorities import MARKS

    share = found.used / found.window if found.window else 0.0
    block, empty = ("█", "·") if _draws() else ("#", ".")
    filled = min(_BAR, round(share * _BAR))
    lines = [
        printable(found.name),
        f"{block * filled}{empty * (_BAR - filled)}  {found.used:,} of {found.window:,} tokens, {share:.0%}; "
        f"pressure is {found.level}",
    ]
    if found.before > found.used:
        lines.append(
            f"{found.before - found.used:,} tokens are left out; without pruning it would be {found.before:,}"
        )
    lines += [*fold(found.advice, _WIDTH), found.rest, *([found.note] if found.note else [])]
    allowed = {name: f" of {tokens:>9,}" for name, tokens in found.allowed.items()}
    marks: dict[str, str] = {str(name): mark for name, mark in MARKS.items()} if _draws() else {}
    for title, rows in (
        ("by category, and what each may take", found.categories),
        ("by priority", found.priorities),
        ("by the content type guide", found.guide),
    ):
        most = max(rows.values(), default=0)
        if most:
            lines += ["", title]
            lines += (
                f"  {f'{marks[name]} {name}' if name in marks else name:<{16 - (name in marks)}}{tokens:>10,}"
                f"{allowed.get(name, '')}  {block * round(tokens / most * _BAR)}".rstrip()
                for name, tokens in rows.items()
            )
    if found.funnel is not None and found.before > found.used:
        lines += ["", funnel_box(found.funnel, "")]
    if found.leaving:
        parts = f"{found.leaving} part{'s' * (found.leaving > 1)}"
        lines += ["", f"{parts} of {found.leaving_tokens:,} tokens could go on request."]
    return "\n".join(lines)


def _draws() -> bool:
    return (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
