"""`prunus run`: start a coding agent with a proxy that runs as long as the agent."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prunus.cli.options import ChosenSettings, Failure, agent_names, money_option, settings_options, upstream_option
from prunus.cli.proxy import cautions, no_hidden_tool, upstream_sets

if TYPE_CHECKING:
    from prunus.clients.launcher import Launch

_NOT_FOUND = 127
"""The exit code of shells for a missing program."""


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@upstream_option
@click.option("--shadow", is_flag=True, help="Change nothing, and say at the end what would have been done.")
@click.option("--agent", type=click.Choice(["hidden", "mcp", "off"]), help="How context_prune is offered.")
@click.option("--store", metavar="URL", help="sqlite:///PATH, postgresql://HOST/DATABASE, redis://HOST, or off.")
@money_option
@settings_options
@click.argument("client", metavar="CLIENT", shell_complete=agent_names)
@click.argument("arguments", metavar="[ARGS]...", nargs=-1, type=click.UNPROCESSED)
def command(
    upstreams: tuple[str, ...],
    shadow: bool,
    agent: str | None,
    store: str | None,
    money: bool,
    chosen: ChosenSettings,
    client: str,
    arguments: tuple[str, ...],
) -> None:
    """Start a coding agent behind Prunus.

    CLIENT is claude, codex, opencode, gemini, qwen, pi, mini, aider, or any program that takes its base URL from
    the usual environment variables. Prunus does not touch its files; options after CLIENT go to the client. If you
    have already set a base URL, Prunus forwards requests to it.

    \b
    Examples:
      prunus run claude
      prunus run --preset acp --schedule cache codex exec "fix the tests"
      prunus run -- python my_agent.py
    """
    from prunus.cli.live import RunSummary
    from prunus.clients.launcher import Host, launcher_of
    from prunus.proxy.serve import Background, check_packages
    from prunus.settings.describe import origins

    known = launcher_of(client)
    program = shutil.which(client)
    if program is None:
        hint = f": {known.install}" if known.install else ""
        click.echo(f"Error: {client} is not installed{hint}", err=True)
        raise SystemExit(_NOT_FOUND)
    with tempfile.TemporaryDirectory(prefix="prunus-") as scratch:
        place = Host(dict(os.environ), Path.home(), Path.cwd(), Path(scratch))
        found = tuple(f"{name}={url}" for name, url in known.upstreams(place).items())
        own = {"agent.offer": agent, "store.url": store, "proxy.shadow": "true" if shadow else None}
        loopback = {"proxy.host": "127.0.0.1", "proxy.port": 0, "proxy.token": "", "proxy.workers": 1}
        chosen = chosen.plus(*upstream_sets((*found, *upstreams))).having({**own, **loopback})
        loaded = chosen.load()
        settings, came = loaded.settings, origins(loaded, chosen.overrides)
        summary = RunSummary(settings.notification, replace(settings.money(), shown=money))
        check_packages()
        untold = no_hidden_tool(settings, known.provider)
        for problem in (*known.problems(place), *cautions(settings), untold):
            if problem:
                click.echo(f"prunus: {problem}", err=True)
        with summary.listening(), Background(settings, summary.add, known.provider, origins=came) as proxy:
            code = _run(program, arguments, known.launch(proxy.url, place), place.environment)
    for line in summary.lines():
        click.echo(line, err=True)
    raise SystemExit(code)


def _run(program: str, arguments: tuple[str, ...], launch: Launch, environment: Mapping[str, str]) -> int:
    """Run the client in this terminal, forward signals to it, and return its exit code."""
    # The terminal sends Ctrl-C to the client and to Prunus. Prunus ignores it, so that the client decides.
    # A handler, unlike SIG_IGN, is not inherited by the client.
    kept = {number: signal.signal(number, lambda *_: None) for number in _signals("SIGINT", "SIGQUIT")}
    started: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def hand_on(number: int, _: object) -> None:
        if started:
            started[0].send_signal(number)
        else:
            early.append(number)

    # Install these handlers before the client starts, so that no signal gets lost.
    kept |= {number: signal.signal(number, hand_on) for number in _signals("SIGTERM", "SIGHUP")}
    command = [program, *launch.arguments, *arguments]
    try:
        process = subprocess.Popen(command, env={**environment, **_direct(environment), **launch.environment})
        started.append(process)
        for number in early:
            process.send_signal(number)
        code = process.wait()
    except OSError as error:
        raise Failure(f"{program} cannot be started: {error.strerror}") from error
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def _signals(*names: str) -> list[signal.Signals]:
    """Return the named signals that exist on this system."""
    return [signal.Signals[name] for name in names if name in signal.Signals.__members__]


def _direct(environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables that make the client call Prunus directly, not through the network's HTTP proxy."""
    if not any(name.lower() in ("http_proxy", "all_proxy") and environment[name] for name in environment):
        return {}
    known = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    value = ",".join(part for part in (known, "127.0.0.1", "localhost") if part)
    return {"NO_PROXY": value, "no_proxy": value}
