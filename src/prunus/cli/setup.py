"""`prunus setup`: keep an agent behind Prunus by its own settings file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.dashboard import proxy_url
from prunus.cli.options import Failure, agent_names, own_command, own_name, own_settings
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.clients.launcher import Host
    from prunus.clients.permanent import ConfigChange


@click.command("setup")
@click.argument("client", metavar="[CLIENT]", required=False, shell_complete=agent_names)
@click.option("--undo", is_flag=True, help="Take the change back.")
@click.option("--service", is_flag=True, help="Start `prunus proxy` when you log in (systemd, launchd).")
@click.option("-y", "--yes", is_flag=True, help="Make the change without asking.")
def command(client: str | None, undo: bool, service: bool, yes: bool) -> None:
    """Route every session of an agent through the proxy.

    Prunus changes the base URL in the settings file of CLIENT (claude, codex, opencode, gemini, pi or mini). Its
    requests then go to `prunus proxy`, which must be running. You see the change first. A copy of the file stays
    beside it. Without CLIENT, Prunus lists the agents and where their settings point now.

    \b
    Examples:
      prunus setup
      prunus setup claude
      prunus setup claude --undo
      prunus setup --service
    """
    from prunus.clients.launcher import Host

    host = Host(dict(os.environ), Path.home(), Path.cwd(), Path.cwd())
    if service:
        if client:
            raise Failure("--service sets up the proxy, not an agent: leave out the name")
        _service(host, undo=undo, yes=yes)
    elif client:
        _client(client, host, undo=undo, yes=yes)
    elif undo:
        raise Failure("name the agent: prunus setup CLIENT --undo")
    else:
        _list(host)


def _client(name: str, host: Host, *, undo: bool, yes: bool) -> None:
    from prunus.clients.launcher import launchers
    from prunus.clients.permanent import plan_setup, plan_undo

    launcher = launchers().get(name)
    url = _url()
    known = [one for one, each in launchers().items() if each.entries(url, host)]
    if launcher is None or name not in known:
        reason = "has no settings file that Prunus can change" if launcher else "is not an agent that Prunus knows"
        raise Failure(f"{name} {reason}: choose {', '.join(known)}, or start it by `prunus run {name}`")
    plan = plan_undo if undo else plan_setup
    changes = plan(launcher, url, host, _own_settings())
    if not changes:
        click.echo(f"{name}: {'nothing to undo' if undo else f'is behind Prunus already ({url})'}")
    elif _agreed(changes, yes):
        for change in changes:
            change.write()
        click.echo(f"{name} {'is as it was' if undo else f'now sends its requests to {url}'}")
    if not undo:
        for problem in launcher.problems(host):
            click.echo(f"prunus: {problem}", err=True)
        for elsewhere in launcher.upstreams(host).values():
            first = "settings of this folder, or a variable, come first"
            click.echo(f"prunus: requests still go to {elsewhere}: {first}", err=True)
        _tell_about_proxy(url)


def _service(host: Host, *, undo: bool, yes: bool) -> None:
    from prunus.clients.permanent import ConfigChange
    from prunus.proxy.service import service_file

    file = service_file(sys.platform, host.home, [*own_command(), "proxy"], host.environment)
    before = file.path.read_text(encoding="utf-8") if file.path.exists() else None
    change = ConfigChange(file.path, before, None if undo else file.text)
    if change.before == change.after:
        click.echo(f"{file.path}: nothing to {'undo' if undo else 'change'}")
    elif undo:
        click.echo("First stop it:\n" + "\n".join(f"  {line}" for line in file.stop))
    if change.before != change.after and _agreed([change], yes):
        change.write()
    if not undo and file.path.exists():
        click.echo("Start it, now and whenever you log in:\n" + "\n".join(f"  {line}" for line in file.start))


def _agreed(changes: Sequence[ConfigChange], yes: bool) -> bool:
    """Show the changes and ask for consent."""
    for change in changes:
        say(change.diff())
    if yes or click.confirm("Make this change?", default=True):
        return True
    click.echo("Nothing was changed.")
    return False


def _list(host: Host) -> None:
    from prunus.clients.launcher import launchers
    from prunus.clients.permanent import setup_state

    url = _url()
    rows = []
    for name, launcher in launchers().items():
        state = setup_state(launcher, url, host)
        if state.urls:
            says = f"behind Prunus ({', '.join(state.urls)})"
        elif not state.paths:
            says = f"only by prunus run {name}"
        else:
            says = "not set up"
        installed = "yes" if shutil.which(name) else "no"
        rows.append((name, installed, says, ", ".join(map(str, state.paths))))
    show(("agent", "installed", "state", "settings file"), rows, flexible=(3,))
    _tell_about_proxy(url)


def _tell_about_proxy(url: str) -> None:
    from prunus.cli.doctor import answers

    if answers(f"{url}/healthz") == "200":
        say(f"A proxy listens on {url}.")
    else:
        name = own_name()
        say(f"No proxy listens on {url}: start `{name} proxy`, or see `{name} setup --service`.")


def _url() -> str:
    """Return the address of the proxy that the user's settings describe."""
    settings = own_settings()
    if not settings.proxy.port:
        raise Failure("proxy.port is 0, which is another port at each start: set a port")
    if settings.proxy.token:
        raise Failure("proxy.token is set, and agents cannot send it by themselves: set up the agent by hand")
    return proxy_url(settings)


def _own_settings() -> Path:
    """Return the user's settings file of Prunus; the one that counts most, or the one to make."""
    from prunus.settings.settings_files import user_directory

    names = ("prunus.toml", "prunus.jsonc", "prunus.json")
    paths = [user_directory() / name for name in names]
    return next((path for path in paths if path.exists()), paths[0])
