"""`prunus sessions`: list the conversations that the proxy has seen."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

import click

from prunus.cli.options import money_option, own_settings
from prunus.cli.store import empty_message, existing_store, local_time, store_options, tenant_of
from prunus.cli.table import say, show
from prunus.text.numbers import dollars, percent, short

if TYPE_CHECKING:
    from prunus.schedule.dollars import Money
    from prunus.store import StoredSession

_HEADINGS: Final = ("session", "last", "client", "model", "requests", "tokens", "sent", "cuts", "saved", "")
_SHOWN: Final = 20


@click.command("sessions")
@click.option("--all", "everything", is_flag=True, help=f"All of them, not only the newest {_SHOWN}.")
@money_option
@store_options
def command(everything: bool, money: bool, url: str | None, tenant: str | None, in_json: bool) -> None:
    """List the conversations that the proxy has seen.

    Lists them newest first, with client and model, the number of requests, the tokens of the newest request before
    and after pruning, the number of cuts, and what was saved: dollars of input, and the share of the cost.

    \b
    Examples:
      prunus sessions
      prunus sessions --all --json
    """
    with existing_store(url) as store:
        limit = None if everything else _SHOWN + 1
        found = store.sessions(tenant_of(store, tenant), limit) if store is not None else []
    prices = replace(own_settings().money(), shown=money)
    shown = found if everything else found[:_SHOWN]
    if in_json:
        click.echo(json.dumps([_record(session, prices) for session in shown], indent=2))
        return
    if not found:
        say(empty_message(url))
        return
    show(_HEADINGS, [_cells(session, prices) for session in shown], right=range(4, 10), flexible=(3,))
    if len(shown) < len(found):
        say(f"The newest {_SHOWN} are shown; --all shows all of them.")


def _record(session: StoredSession, prices: Money) -> dict[str, object]:
    price = prices.of(session.model)
    paid = None if price is None else {"cost": price * session.cost, "unpruned": price * session.cost_unpruned}
    return {**asdict(session), "dollars": paid}


def _cells(session: StoredSession, prices: Money) -> tuple[str, ...]:
    saved = session.cost_unpruned - session.cost
    share = percent(abs(saved), session.cost_unpruned)
    return (
        session.id,
        local_time(session.last),
        session.client or "-",
        session.model or "-",
        f"{session.requests:,}",
        short(session.tokens_before),
        short(session.tokens_after),
        f"{session.receipts:,}",
        dollars(saved * price) if (price := prices.of(session.model)) is not None else "-",
        f"{'-' if saved < 0 else ''}{share}{' (shadow)' if session.shadow else ''}",
    )
