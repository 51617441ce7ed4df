"""`prunus stats`: show the savings in tokens and money."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from prunus.cli.options import load_settings
from prunus.cli.store import empty_message, existing_store, session_of, store_options, tenant_of
from prunus.cli.table import say

if TYPE_CHECKING:
    from prunus.settings import Settings
    from prunus.store import StoredSession


@click.command("stats")
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help="All sessions together instead of the newest.")
@store_options
def command(session: str | None, everything: bool, url: str | None, tenant: str | None, in_json: bool) -> None:
    """Show what was saved, in tokens and money.

    Shows the newest session, or the given one, and the sums of all sessions. Savings are net: the cost that the
    session would have had without Prunus, with its own prompt cache, minus its actual cost, which includes cache
    breaks.

    \b
    Examples:
      prunus stats
      prunus stats 3f9a
      prunus stats --all --json
    """
    from prunus.report.funnel import funnel_of_all
    from prunus.report.regret import agents_record, learned_lines
    from prunus.report.totals_box import stats_box, totals_record

    if session is not None and everything:
        raise click.UsageError("give a session or --all, not both")
    with existing_store(url) as store:
        sessions = store.sessions(name := tenant_of(store, tenant), 1) if store is not None else []
        if store is None or not (sessions or store.totals(name).requests):
            say("{}" if in_json else empty_message(url))
            return
        shown = None
        if sessions and not everything:
            shown = sessions[0] if session is None else session_of(store, name, session)
        real = store.totals(name)
        in_shadow = store.totals(name, shadow=True)
        shadow = shown.shadow if shown is not None else not real.requests and in_shadow.requests > 0
        ever = in_shadow if shadow else real
        one = store.totals(name, shown.id, shadow=shadow) if shown is not None else None
        every = store.contexts(name)
        newest = store.contexts(name, shown.id) if shown is not None else []
        agents = store.experiences(name)
    settings = load_settings(None, None, ()).settings
    allowed = settings.allowed_asks()
    funnel = funnel_of_all(
        newest if shown is not None else [context for context in every if context.shadow == shadow]
    )
    room, words = _headroom(shown, settings) if shown is not None else ({}, "")
    if in_json:
        record = {
            "session": shown and one and {"id": shown.id, "shadow": shadow, **totals_record(one, funnel), **room},
            "all": totals_record(real, funnel_of_all(context for context in every if not context.shadow)),
            "agents": agents_record(agents, allowed),
            "shadow": totals_record(in_shadow, funnel_of_all(context for context in every if context.shadow)),
        }
        click.echo(json.dumps(record, indent=2))
        return
    about = "" if shown is None else ", ".join(filter(None, (shown.id, shown.client, shown.model)))
    learned = list(learned_lines(agents, allowed)) if allowed is not None and not shadow else []
    box = stats_box(one, ever, about, shadow=shadow, funnel=funnel, learned=learned)
    say("\n\n".join(filter(None, (box, words))))


def _headroom(session: StoredSession, settings: Settings) -> tuple[dict[str, int], str]:
    """Return the tokens that the newest request leaves before a summary is due, as data and as text."""
    from prunus.schedule.budget import headroom

    window, budget = settings.window_of(session.model), settings.active_budget()
    used = session.tokens_before if session.shadow else session.tokens_after
    total = budget.total(window)
    return {"budget": total, "headroom": total - used}, headroom(used, window, budget)
