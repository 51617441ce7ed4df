"""`prunus store`: show, shrink or clear the store. Other commands find the store with the functions here."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from prunus.cli.options import Failure, own_settings
from prunus.cli.table import say
from prunus.text.numbers import counted

if TYPE_CHECKING:
    from prunus.store import Info, Store, StoredSession
    from prunus.store.records import KnownConversation

_LISTED: Final = 10
"""The most sessions that a command lists before it acts on them."""
_Command = TypeVar("_Command", bound=Callable[..., Any])

store_option = click.option(
    "--store", "url", metavar="URL",
    help="Store to look at: sqlite:///PATH, postgresql://HOST/DATABASE or redis://HOST; by default that of the "
    "settings.",
)  # fmt: skip
tenant_option = click.option(
    "--tenant", metavar="NAME", help="User whose data to use, if the proxy has several tokens."
)
json_option = click.option("--json", "in_json", is_flag=True, help="As JSON.")


def store_options(command: _Command) -> _Command:
    """Add --store, --tenant and --json to a command."""
    return store_option(tenant_option(json_option(command)))


@contextmanager
def existing_store(url: str | None) -> Iterator[Store | None]:
    """Open the store if there is one, without creating or repairing it. Raises Failure if it is unusable."""
    from prunus.errors import SettingsError
    from prunus.store import NoStore, StoreError, open_store

    settings = own_settings()
    try:
        store = open_store(settings.store.url if url is None else url, settings, wait=5.0, existing=True)
        try:
            try:
                store.info()
            except NoStore:
                yield None
            else:
                yield store
        finally:
            store.close()
    except (SettingsError, StoreError) as error:
        raise Failure(str(error)) from error


def empty_message(url: str | None) -> str:
    """Return a message that the store is empty, with a hint how to fill it."""
    from prunus.store import default_path
    from prunus.store.url import without_password

    settings = own_settings()
    where = (settings.store.url if url is None else url) or f"sqlite:///{default_path()}"
    if where == "off":
        return "The store is off, so nothing is kept. Set store.url, or give --store sqlite:///PATH."
    place = without_password(where)
    return f"Nothing is stored yet in {place}.\nStart an agent behind Prunus, for example: prunus run claude"


def tenant_of(store: Store, asked: str | None) -> str:
    """Return the requested tenant, or the only one in the store."""
    tenants = store.info().tenants
    if asked is not None:
        if asked not in tenants:
            raise Failure(f"no tenant {asked!r} in the store; there is {_listed(tenants)}")
        return asked
    if len(tenants) > 1 and "" not in tenants:
        raise Failure(f"several tenants are in the store; say which with --tenant: {_listed(tenants)}")
    return "" if "" in tenants or not tenants else tenants[0]


def session_of(store: Store, tenant: str, asked: str) -> StoredSession:
    """Return the only session whose id starts with `asked`. Raises Failure if there are none or several."""
    sessions = store.sessions(tenant)
    found = [session for session in sessions if session.id.startswith(asked.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        listed = "\n".join(f"  {session.id}  {local_time(session.last)}  {session.model}" for session in found)
        raise Failure(f"{len(found)} sessions begin with {asked}:\n{listed}")
    raise Failure(f"no session {asked}; `prunus sessions --all` lists them")


def conversation_of(store: Store, tenant: str, asked: str) -> KnownConversation:
    """Return the only conversation whose id starts with `asked`. Raises Failure if there are none or several."""
    found = store.conversations(tenant, asked.lower(), limit=_LISTED + 1)
    if len(found) == 1:
        return found[0]
    if found:
        listed = "\n".join(f"  {one.id}  {local_time(one.last)}" for one in found[:_LISTED])
        raise Failure(f"several sessions begin with {asked}:\n{listed}")
    raise Failure(f"no session {asked} in the store")


def local_time(at: float) -> str:
    """Return a time in local time, as `2026-01-31 12:30`."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at else "-"


@click.group("store")
def command() -> None:
    """Show, shrink or clear the store.

    The store holds conversations, receipts of cuts with their originals, and the numbers of each request. It never
    holds API keys. The settings store.size and store.days limit its size and age.

    \b
    Examples:
      prunus store info
      prunus store vacuum
      prunus store forget 3f9a
      prunus store forget --older-than 30d
      prunus store clear --yes
    """


@command.command("info")
@store_option
@json_option
def info_command(url: str | None, in_json: bool) -> None:
    """Show where the store is and how much is in it."""
    with existing_store(url) as store:
        found = store.info() if store is not None else None
    if in_json:
        click.echo(json.dumps(asdict(found) if found is not None else None, indent=2))
    elif found is None or found.url == "off":
        click.echo(empty_message(url))
    else:
        say("\n".join(f"{label:<15}{value}" for label, value in _rows(found)))


@command.command("vacuum")
@store_option
@json_option
def vacuum_command(url: str | None, in_json: bool) -> None:
    """Remove data beyond the limits of age and size, and free the space."""
    with existing_store(url) as store:
        if store is None:
            _print_result({"before": 0, "after": 0}, empty_message(url), in_json)
            return
        before = store.info().size
        store.vacuum()
        after = store.info().size
    _print_result({"before": before, "after": after}, f"{_bytes(before)} before, {_bytes(after)} now", in_json)


@command.command("clear")
@store_option
@json_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def clear_command(url: str | None, in_json: bool, yes: bool) -> None:
    """Remove everything: conversations, receipts, originals, statistics.

    Agents that run behind Prunus go on; their next request may miss the provider's cache once.
    """
    with existing_store(url) as store:
        if store is None:
            _print_result({"conversations": 0, "receipts": 0}, empty_message(url), in_json)
            return
        found = store.info()
        sessions, receipts = found.conversations, found.receipts
        removed = counted(sessions, "conversation")
        if found.keeps_receipts:
            removed += f" and {counted(receipts, 'receipt')}"
        if not yes:
            click.confirm(f"Remove {removed} from {found.url}?", abort=True, err=True)
        store.clear()
    record = {"conversations": sessions, **({"receipts": receipts} if found.keeps_receipts else {})}
    _print_result(record, f"Removed {removed}.", in_json)


@command.command("forget")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--older-than", "age", metavar="AGE", help="Sessions without a request for so long: 12h, 30d, 4w.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@store_options
def forget_command(
    ids: tuple[str, ...],
    age: str | None,
    dry_run: bool,
    yes: bool,
    url: str | None,
    tenant: str | None,
    in_json: bool,
) -> None:
    """Remove some sessions: their ledgers, receipts and originals.

    ID is the beginning of a session's id. Sums of all time stay. With --older-than, hidden exchanges that no
    request has used for that time go too; they belong to no known session.

    \b
    Examples:
      prunus store forget 3f9a 77c0
      prunus store forget --older-than 30d --dry-run
    """
    if bool(ids) == (age is not None):
        raise click.UsageError("say which sessions: ids, or --older-than AGE")
    before = None if age is None else time.time() - _seconds(age)
    with existing_store(url) as store:
        if store is None:
            _print_result({"conversations": 0}, empty_message(url), in_json)
            return
        name = tenant_of(store, tenant)
        if before is None:
            found = list(dict.fromkeys(conversation_of(store, name, id) for id in ids))
        else:
            found = store.conversations(name, before=before)
        removed = counted(len(found), "session")
        if not in_json:
            _list_conversations(found)
        if dry_run:
            _print_result({"conversations": len(found)}, f"{removed} would be removed.", in_json)
            return
        if found and not yes:
            click.confirm(f"Remove {removed} from {store.info().url}?", abort=True, err=True)
        store.forget(name, [one.id for one in found])
        if before is not None:
            store.forget_hidden(name, before)
    _print_result({"conversations": len(found)}, f"Removed {removed}.", in_json)


def _list_conversations(found: Sequence[KnownConversation]) -> None:
    for one in found[:_LISTED]:
        click.echo(f"  {one.id}  {local_time(one.last)}")
    if len(found) > _LISTED:
        click.echo(f"  and {len(found) - _LISTED:,} more")


def _seconds(age: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([hdw])", age)
    if match is None:
        raise click.UsageError(f"--older-than {age}: expected a number and h, d or w, such as 30d")
    return int(match[1]) * {"h": 3_600.0, "d": 86_400.0, "w": 604_800.0}[match[2]]


def _print_result(record: dict[str, int], words: str, in_json: bool) -> None:
    click.echo(json.dumps(record) if in_json else words)


def _rows(info: Info) -> Iterator[tuple[str, str]]:
    yield "store", info.url
    if info.limit:
        yield "size", f"{_bytes(info.size)} of at most {_bytes(info.limit)}, {_bytes(info.free)} of it free"
    else:
        yield "size", f"{_bytes(info.size)} of memory for all data of the server"
    yield "kept for", f"{counted(info.days, 'day')} after the last request"
    yield "conversations", f"{info.conversations:,}"
    if info.conversations:
        yield "from", f"{local_time(info.oldest)} to {local_time(info.newest)}"
    if info.keeps_receipts:
        yield "requests", f"{info.exchanges:,}"
        yield "receipts", f"{info.receipts:,}"
        yield "originals", f"{info.originals:,}, {_bytes(info.originals_text)} in {_bytes(info.originals_size)}"
    else:
        yield "receipts", "not kept, nor are requests, originals and totals"
    if info.hidden:
        yield "hidden", f"{info.hidden:,} exchanges of the agent's own tool"
    if info.tenants not in ((), ("",)):
        yield "tenants", _listed(info.tenants)


def _listed(tenants: tuple[str, ...]) -> str:
    return ", ".join(tenant or "(none)" for tenant in tenants) or "none"


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.1f}".removesuffix(".0") + f" {unit}"
        size /= 1024
    return f"{size:.1f} GB"
