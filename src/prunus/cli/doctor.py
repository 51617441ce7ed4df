"""`prunus doctor`: check the installation, and say how to fix problems."""

from __future__ import annotations

import os
import shutil
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import click

from prunus.cli.options import ChosenSettings, settings_options
from prunus.cli.proxy import cache_notes, no_cache_life, no_hidden_tool
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.clients.launcher import Host, Launcher
    from prunus.settings import Loaded, Settings

_WAIT: Final = 5.0
"""Seconds to wait for the answer of a provider."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    what: str
    state: str
    """ok, none, or problem."""
    says: str
    advice: str = ""


@click.command("doctor")
@click.option("--offline", is_flag=True, help="Do not ask the upstreams.")
@settings_options
def command(offline: bool, chosen: ChosenSettings) -> None:
    """Check clients, settings and upstreams.

    Exits with code 1 if there is a problem, and says how to fix it.
    """
    from prunus.clients.launcher import Host

    loaded = chosen.load()
    with tempfile.TemporaryDirectory(prefix="prunus-") as scratch:
        place = Host(dict(os.environ), Path.home(), Path.cwd(), Path(scratch))
        findings = [
            *_packages(),
            *_settings(loaded),
            *_store(loaded.settings),
            *_clients(place, loaded.settings),
            *_port(loaded.settings),
            *([] if offline else _upstreams(loaded.settings, place)),
        ]
    show(("what", "state", ""), [(one.what, one.state, one.says) for one in findings], flexible=(2,))
    todo = [one for one in findings if one.advice]
    if todo:
        click.echo("\nTo do:")
        for one in todo:
            say(f"  {one.what}: {one.advice}")
    if any(one.state == "problem" for one in findings):
        raise SystemExit(1)


def _packages() -> Iterator[Finding]:
    from prunus.errors import PrunusError
    from prunus.proxy.serve import check_packages

    try:
        check_packages()
    except PrunusError as error:
        yield Finding("proxy", "problem", str(error), str(error).rpartition(": ")[2])
        return
    if find_spec("uvloop") is None:
        yield Finding("proxy", "ok", "works, slower without uvloop", "pip install uvloop")
    else:
        yield Finding("proxy", "ok", "all packages are installed")


def _settings(loaded: Loaded) -> Iterator[Finding]:
    settings = loaded.settings
    where = ", ".join(map(str, loaded.sources)) or "no file, the defaults"
    count = len(settings.active_strategies())
    level = f" ({settings.level})" if settings.base == "auto" else ""
    says = f"{where}; preset {settings.base}{level}, {count} strategies, schedule {settings.schedule}"
    if not count:
        yield Finding("settings", "problem", says, "nothing is pruned: choose a preset, such as --preset auto")
    else:
        yield Finding("settings", "ok", says)
    for note in cache_notes(settings):
        yield Finding("cache", "ok", note)


def _store(settings: Settings) -> Iterator[Finding]:
    from prunus.errors import PrunusError
    from prunus.store import NoStore, default_path, open_store
    from prunus.store.url import is_server

    if settings.store.url == "off":
        yield Finding("store", "ok", "off: nothing is kept")
        return
    url = settings.store.url
    path = Path(url.removeprefix("sqlite:///")).expanduser() if url else default_path()
    if not is_server(url) and not path.exists():
        if _can_be_made(path):
            yield Finding("store", "ok", f"{path}: not there yet, the proxy will make it")
        else:
            yield Finding("store", "problem", f"{path}: cannot be made", "choose another place with --store")
        return
    try:
        store = open_store(url, settings, wait=5.0, existing=True)
        info = store.info()
        store.close()
    except NoStore as error:
        yield Finding("store", "ok", f"{error} yet, the proxy will make it")
        return
    except PrunusError as error:
        yield Finding("store", "problem", str(error), "see `prunus store info`, or choose another with --store")
        return
    yield Finding("store", "ok", f"{info.url}: {info.conversations} conversations, {info.size // 1024} KB")


def _can_be_made(path: Path) -> bool:
    """Return whether this user may create a file at a path, together with the folders that are missing."""
    nearest = next((folder for folder in path.parents if folder.exists()), path)
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _clients(place: Host, settings: Settings) -> Iterator[Finding]:
    from prunus.clients.launcher import launchers

    for name, client in launchers().items():
        program = shutil.which(name)
        if program is None:
            yield Finding(name, "none", f"not installed ({client.install})")
            continue
        problems = [*client.problems(place), *_setup_problems(client, place)]
        for problem in problems:
            yield Finding(name, "problem", problem, problem.rpartition("; ")[2])
        if not problems:
            elsewhere = client.upstreams(place)
            now = "".join(f"; {upstream} is {url}" for upstream, url in elsewhere.items())
            yield Finding(name, "ok", f"{program}: prunus run {name}{now}")
        if unheard := no_hidden_tool(settings, client.provider):
            yield Finding(name, "problem", unheard, unheard.rpartition("; ")[2])
        if idle := no_cache_life(settings, client.provider):
            yield Finding(name, "none", idle)


def _setup_problems(client: Launcher, place: Host) -> Iterator[str]:
    """Yield the addresses in the client's settings file at which no proxy listens."""
    from prunus.clients.permanent import setup_state

    for url in setup_state(client, "http://127.0.0.1", place).urls:
        if answers(f"{url}/healthz") != "200":
            says = f"its settings send requests to {url}, where no proxy listens"
            yield f"{says}; start `prunus proxy`, or run `prunus setup {client.name} --undo`"


def _port(settings: Settings) -> Iterator[Finding]:
    from prunus.errors import PrunusError
    from prunus.proxy.serve import bind

    where = f"{settings.proxy.host}:{settings.proxy.port}"
    try:
        bind(settings).close()
    except PrunusError as error:
        if answers(f"http://{where}/healthz") == "200":
            yield Finding("port", "ok", f"a proxy listens on {where}")
        else:
            yield Finding("port", "problem", str(error), "stop what listens there, or use another --port")
    else:
        yield Finding("port", "ok", f"{where} is free for `prunus proxy`")


def _upstreams(settings: Settings, place: Host) -> Iterator[Finding]:
    from prunus.clients.launcher import launcher_of

    addresses = settings.upstreams.addresses() | launcher_of("").upstreams(place)
    for name, url in addresses.items():
        said = answers(url)
        if said.isdigit():
            yield Finding(f"upstream {name}", "ok", f"{url} answers")
        else:
            advice = f"check the network and HTTPS_PROXY, or set --upstream {name}=URL"
            yield Finding(f"upstream {name}", "problem", f"{url}: {said}", advice)


def answers(url: str) -> str:
    """Return the HTTP status of a URL, or the reason why it does not answer."""
    # The network's HTTP proxy cannot reach an address of this machine.
    local = urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
    opener = urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))
    try:
        with opener.open(urllib.request.Request(url, method="HEAD"), timeout=_WAIT) as response:
            return str(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return str(error.code)
    except urllib.error.URLError as error:
        return str(error.reason)
    except (OSError, ValueError) as error:
        return str(error)
