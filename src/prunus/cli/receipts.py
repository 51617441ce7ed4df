"""`prunus receipts`: list cut content, with the reason and the id to restore it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from prunus.cli.store import empty_message, existing_store, session_of, store_options, tenant_of
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.store import StoredReceipt

_HEADINGS: Final = (
    "id", "session", "request", "turn", "tool", "became", "tokens", "saved", "price", "strategy", "why",
)  # fmt: skip
_SHOWN: Final = 50


@click.command("receipts")
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help=f"All of them, not only the newest {_SHOWN}.")
@store_options
def command(session: str | None, everything: bool, url: str | None, tenant: str | None, in_json: bool) -> None:
    """List the cuts, their reasons, and how to restore them.

    Lists the edits of one session or of all sessions, newest first: the tool, the kind of edit, the tokens it saves
    in each request, and its share of the price of a cache break. For a shadow run it lists the edits that Prunus
    would have made, and says so.

    \b
    Examples:
      prunus receipts
      prunus receipts 3f9a --all
      prunus restore a1b2c3
    """
    with existing_store(url) as store:
        found: list[StoredReceipt] = []
        if store is not None:
            name = tenant_of(store, tenant)
            chosen = "" if session is None else session_of(store, name, session).id
            found = store.receipts(name, chosen, None if everything else _SHOWN + 1)
            empty = not store.sessions(name, 1)
    shown = found if everything else found[:_SHOWN]
    if in_json:
        click.echo(json.dumps([asdict(receipt) for receipt in shown], indent=2))
    elif store is None or empty:
        say(empty_message(url))
    elif not found:
        click.echo("Nothing was cut yet.")
    else:
        show(_HEADINGS, [_cells(receipt) for receipt in shown], right=(2, 3, 6, 7, 8), flexible=(9, 10))
        more = f"The newest {_SHOWN} are shown; --all shows all of them. " if len(shown) < len(found) else ""
        shadow = any(receipt.shadow for receipt in shown)
        says = "`prunus restore ID` shows what was cut." if not all(receipt.shadow for receipt in shown) else ""
        apart = "Of shadow runs: nothing was cut, this would have been." if shadow else ""
        say(f"{more}{' '.join(filter(None, (says, apart)))}")


def _cells(receipt: StoredReceipt) -> tuple[str, ...]:
    return (
        receipt.id,
        receipt.conversation[:8],
        str(receipt.request),
        str(receipt.turn),
        receipt.tool or "-",
        f"{receipt.what} (shadow)" if receipt.shadow else receipt.what,
        f"{receipt.tokens_before:,}",
        f"{receipt.saved:,}",
        f"{receipt.price:,.0f}",
        receipt.strategy,
        f"{receipt.reason} (asked for again)" if receipt.asked_again else receipt.reason,
    )
