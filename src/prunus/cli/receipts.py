"""`prunus receipts`, `restore` and `sweep`: list what was cut, show the original of a cut, and cut more."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

import click

from prunus.cli.options import Failure, own_settings
from prunus.cli.store import (
    conversation_of,
    empty_message,
    existing_store,
    local_time,
    session_of,
    store_options,
    tenant_of,
)
from prunus.cli.table import say, show
from prunus.text.printable import printable

if TYPE_CHECKING:
    from prunus.store import Store, StoredReceipt

_HEADINGS: Final = (
    "id", "session", "request", "turn", "tool", "became", "tokens", "saved", "price", "strategy", "why",
)  # fmt: skip
_SHOWN: Final = 50
_NEAR: Final = 2_000
"""The number of newest receipts to search for similar ids."""


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


@click.command("restore")
@click.argument("id", required=False)
@click.option("--session", metavar="ID", help="Only look in this session.")
@click.option(
    "--full-diff", "path", metavar="PATH",
    help="Show all edits of a file that were cut, as one diff; needs --session.",
)  # fmt: skip
@store_options
def restore_command(
    id: str | None, session: str | None, path: str | None, url: str | None, tenant: str | None, in_json: bool
) -> None:
    """Show the original of a cut, byte for byte.

    ID is the id of a receipt (`prunus receipts`) or its first digits. Files and pipes get the exact bytes; a
    terminal gets visible marks for control characters. Content that is more than text, such as an image, appears
    as JSON.

    \b
    Examples:
      prunus restore a1b2c3
      prunus restore a1b2c3 > original.txt
      prunus restore a1b2c3 | jq -r .source.data | base64 -d > image.png
      prunus restore --full-diff src/config.py --session 5f2a
    """
    if (id is None) == (path is None):
        raise click.UsageError("give the ID of a receipt, or --full-diff PATH with --session")
    if path is not None and session is None:
        raise click.UsageError("--full-diff needs --session")
    with existing_store(url) as store:
        if store is None:
            raise Failure(empty_message(url))
        name = tenant_of(store, tenant)
        within = "" if session is None else session_of(store, name, session).id
        if path is not None:
            click.echo("\n".join(printable(line, keep="\t") for line in full_diff(store, name, within, path)))
            return
        receipt = _found(store, name, (id or "").lower(), within)
        text = store.original(name, receipt.original) if receipt.original else None
    if text is None:
        raise Failure(f"what {receipt.id} took away is not kept any more, or was never kept (store.originals)")
    if not text:
        raise Failure(f"what {receipt.id} took away cannot be restored: it was no text, and only text was kept")
    if in_json:
        click.echo(json.dumps({**asdict(receipt), "original": text}, indent=2))
    elif sys.stdout.isatty():
        click.echo(printable(text, keep="\n\t"))
    else:
        click.echo(text.encode("utf-8", "surrogatepass"), nl=False)


def _found(store: Store, tenant: str, id: str, session: str) -> StoredReceipt:
    """Return the only receipt whose id starts with `id`. Raises Failure if there are none or several."""
    found = [one for one in store.find(tenant, id) if session in ("", one.conversation)]
    found = [one for one in found if one.id == id] or found
    found = [one for one in found if not one.shadow] or found
    if not found:
        ids = dict.fromkeys(one.id for one in store.receipts(tenant, session, _NEAR))
        near = get_close_matches(id, ids, 5, 0.5)
        advice = f"near it are {', '.join(near)}" if near else "`prunus receipts` lists them"
        raise Failure(f"no receipt {id}; {advice}")
    # A fork cuts the same text under the same id, so any of these receipts will do.
    if len({(one.id, one.original) for one in found}) > 1:
        raise Failure(f"{len(found)} receipts are meant by {id}; give more digits, or --session:\n{_listed(found)}")
    if found[0].shadow:
        raise Failure(f"{found[0].id} is of a shadow run: it was not cut, and stands in the request as it was")
    return found[0]


def full_diff(store: Store, tenant: str, session: str, path: str) -> list[str]:
    """Return the diff lines of a file's cut edits in a session, in order. Raises Failure if none are kept."""
    import msgspec

    from prunus.calls.paths import join
    from prunus.files.at import edit_lines
    from prunus.history import Call

    toolbox, wanted = own_settings().toolbox(), join("", path)
    lines: list[str] = []
    cut = {
        (one.message, one.part): one
        for one in store.receipts(tenant, session)
        if one.what == "input" and not one.shadow
    }
    for _, one in sorted(cut.items()):
        text = store.original(tenant, one.original) if one.original else None
        try:
            given = msgspec.json.decode(text or "")
        except msgspec.DecodeError:
            given = text or ""
        meaning = toolbox.meaning(one.tool, given)
        if text and any(
            f"/{touch.path}".endswith(f"/{wanted}") for touch in meaning.touches if touch.kind != "read"
        ):
            lines += edit_lines(Call("", one.tool, given, text), meaning, one.turn)
    if not lines:
        raise Failure(f"no edit of {path} was cut in session {session} and kept; `prunus receipts` lists what was")
    return lines


def _listed(receipts: Sequence[StoredReceipt]) -> str:
    return "\n".join(
        f"  {one.id}  session {one.conversation}, request {one.request}, {one.tool or one.what}: {one.reason}"
        for one in receipts[:20]
    )


@click.command("sweep")
@click.argument("count", metavar="[N]", required=False, type=click.IntRange(1))
@click.option("--session", metavar="ID", help="Which session; the newest if not given.")
@store_options
def sweep_command(
    count: int | None, session: str | None, url: str | None, tenant: str | None, in_json: bool
) -> None:
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
