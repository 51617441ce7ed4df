"""`prunus sweep`: cut the newest results of a conversation at its next request."""

from __future__ import annotations

import json

import click

from prunus.cli.options import Failure
from prunus.cli.store import (
    conversation_of,
    empty_message,
    existing_store,
    local_time,
    store_options,
    tenant_of,
)


@click.command("sweep")
@click.argument("count", metavar="[N]", required=False, type=click.IntRange(1))
@click.option("--session", metavar="ID", help="Which session; the newest if not given.")
@store_options
def command(count: int | None, session: str | None, url: str | None, tenant: str | None, in_json: bool) -> None:
    """Cut the newest results of a conversation at its next request.

    Cuts the newest N results, or all since your last message. Results of protected tools stay.

    \b
    Examples:
      prunus sweep
      prunus sweep 5 --session 3f9a
      prunus restore a1b2c3
    """
    what = "sweep" if count is None else f"sweep {count}"
    with existing_store(url) as store:
        if store is None:
            raise Failure(empty_message(url))
        name = tenant_of(store, tenant)
        if session is not None:
            chosen = conversation_of(store, name, session)
        else:
            newest = store.conversations(name, limit=1)
            if not newest:
                raise Failure(empty_message(url))
            chosen = newest[0]
        store.ask(name, chosen.id, what)
        about = next(iter(store.sessions(name, 1, id=chosen.id)), None) if store.keeps_receipts else None
    if in_json:
        click.echo(json.dumps({"session": chosen.id, "asked": what}, indent=2))
        return
    results = "all results since your last message" if count is None else f"the newest {count} results"
    client = f" ({about.client}, {local_time(about.last)})" if about is not None and about.client else ""
    click.echo(f"The next request of {chosen.id[:8]}{client} goes without {results}.")
