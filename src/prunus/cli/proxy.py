"""`prunus proxy`: prune the requests of any agent with a configurable base URL.

`prunus run`, `doctor` and `config check` print the same warnings about settings with unexpected effects.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from prunus.cli.options import ChosenSettings, Failure, money_option, settings_options, upstream_option
from prunus.providers import APIS

if TYPE_CHECKING:
    from prunus.settings import Loaded, Settings


@click.command("proxy")
@click.option("--host", metavar="ADDRESS", help="Address to listen on; others than 127.0.0.1 need a token.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on; 0 takes a free one.")
@upstream_option
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Processes that share the port; 1 by default.")
@click.option("--shadow", is_flag=True, help="Change nothing, and report what would have been done.")
@click.option("--agent", type=click.Choice(["hidden", "mcp", "off"]), help="How context_prune is offered.")
@click.option("--store", metavar="URL", help="sqlite:///PATH, postgresql://HOST/DATABASE, redis://HOST, or off.")
@click.option(
    "--routing-key", "balancer", type=click.Choice(["headers", "nginx", "haproxy", "envoy"]), is_flag=False,
    flag_value="headers", help="Print what a load balancer hashes on, or a configuration for one, and end.",
)  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Log every edit; plain lines even in a terminal.")
@money_option
@settings_options
def command(
    host: str | None,
    port: int | None,
    upstreams: tuple[str, ...],
    workers: int | None,
    shadow: bool,
    agent: str | None,
    store: str | None,
    balancer: str | None,
    verbose: bool,
    money: bool,
    chosen: ChosenSettings,
) -> None:
    """Serve any agent that can be pointed at a base URL.

    The proxy prunes requests to Anthropic, OpenAI and Gemini, and forwards everything else unchanged. Point the
    agent at the printed address, for example:

    \b
      ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude
      OPENAI_BASE_URL=http://127.0.0.1:8787/v1 qwen
      GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787 gemini

    Clients reach an upstream that you name yourself, such as --upstream groq=https://api.groq.com/openai, at
    http://127.0.0.1:8787/@groq. `prunus run CLIENT` does all of this by itself.
    """
    if balancer is not None:
        _print_routing(balancer)
        return
    from prunus.cli.live import LiveTable
    from prunus.proxy.configuration import Configuration
    from prunus.proxy.faults import LOGGER
    from prunus.proxy.log import log_to_stderr
    from prunus.proxy.serve import base_url, bind, check_packages, serve
    from prunus.proxy.tracing import check_tracing
    from prunus.settings.describe import origins
    from prunus.store import open_store

    own = {
        "proxy.host": host,
        "proxy.port": port,
        "proxy.workers": workers,
        "agent.offer": agent,
        "store.url": store,
        "proxy.shadow": "true" if shadow else None,
        "proxy.verbose": "true" if verbose else None,
    }
    chosen = chosen.plus(*upstream_sets(upstreams)).having(own)

    def configured(loaded: Loaded) -> Configuration:
        return Configuration(loaded.settings, origins(loaded, chosen.overrides))

    configuration = configured(chosen.load())
    settings = configuration.settings
    check_packages()
    check_tracing(settings.proxy.otlp)
    says = cautions(settings)
    open_store(settings.store.url, settings).close()
    listener = bind(settings)
    url = base_url(listener)
    notes = ("shadow: nothing is changed",) if settings.proxy.shadow else ()
    shown = f"what it does is shown at {url}/dashboard/ (`prunus dashboard`)"
    proxy = settings.proxy
    table = sys.stdout.isatty() and not proxy.verbose and proxy.log == "text" and proxy.workers <= 1
    # A terminal that is closed sends SIGHUP too, and then the proxy must end.
    load = None if _has_terminal() else lambda: configured(chosen.read())
    # The server has already shut down cleanly when Ctrl-C arrives here.
    with listener, suppress(KeyboardInterrupt):
        if table:
            board = LiveTable(url, (*notes, *says, shown), replace(settings.money(), shown=money))
            with board.shown():
                log_to_stderr(logging.WARNING)
                serve(configuration, listener, board.add, load=load)
            return
        log_to_stderr(logging.DEBUG if proxy.verbose else logging.INFO, proxy.log)
        head = f"Prunus listens on {url}{''.join(f' ({note})' for note in notes)}"

        def tell() -> None:
            if proxy.log == "json":
                for line in (head, *says, shown):
                    LOGGER.info("%s", line)
                return
            click.echo(head, err=True)
            for line in (*says, shown):
                click.echo(f"prunus: {line}", err=True)

        serve(configuration, listener, ready=tell, load=load)


def _has_terminal() -> bool:
    """Whether the process belongs to a terminal; where there are no terminals, it does."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return not hasattr(signal, "SIGHUP")
    return True


def _print_routing(balancer: str) -> None:
    """Print the routing headers and who sends them, or the configuration of a load balancer."""
    from prunus.proxy.balancers import BALANCERS
    from prunus.proxy.routing import routing_headers

    if balancer in BALANCERS:
        click.echo(BALANCERS[balancer](), nl=False)
        return
    for name, client in routing_headers():
        click.echo(f"{name}\t{client or 'any client'}")


def upstream_sets(upstreams: tuple[str, ...]) -> list[str]:
    """Return the settings for options `--upstream NAME=URL`."""
    sets, more = [], []
    for given in upstreams:
        name, _, url = given.partition("=")
        if not name or not url.startswith(("http://", "https://")):
            raise Failure(f"--upstream {given!r}: expected NAME=URL, as in anthropic=https://api.anthropic.com")
        if any(name == api.upstream for api in APIS):
            sets.append(f"upstreams.{name}={url}")
        else:
            more.append(given)
    return [*sets, *([f"upstreams.more={json.dumps(more)}"] if more else [])]


def cautions(settings: Settings) -> tuple[str, ...]:
    """Return warnings about costs and credentials. Raises SettingsError for an invalid provider address."""
    from prunus.proxy.address import credential_notes

    return (*_cost_warning(settings), *credential_notes(settings.upstreams.addresses()))


def _cost_warning(settings: Settings) -> tuple[str, ...]:
    """Return a warning about an expensive schedule and a better choice, if there is reason to warn."""
    if settings.schedule != "eager" or not settings.active_strategies():
        return ()
    preset = settings.base
    return (
        f"preset {preset} with schedule eager makes every edit at once and breaks the provider's prompt cache each "
        "time, which often costs more than no pruning",
        f"better: --preset {preset} --schedule cache makes the same edits when they pay"
        + ("" if preset == "auto" else "; --preset auto saves most"),
    )


def no_hidden_tool(settings: Settings, provider: str) -> str:
    """Return why a provider's clients cannot get a hidden `context_prune`, or an empty string if they can."""
    shown = any(api.upstream == provider and not api.hides_tools for api in APIS)
    if settings.agent.offer != "hidden" or not shown:
        return ""
    return "context_prune cannot be hidden in Gemini's format, so it is not offered; use --agent mcp"


def cache_notes(settings: Settings) -> tuple[str, ...]:
    """Return where the settings for the life of the provider's cache have no effect."""
    named = _cache_settings(settings)
    if not named:
        return ()
    if settings.proxy.shadow:
        return (f"{named}: no effect in shadow mode, which changes no request",)
    able = sorted({api.upstream for api in APIS if api.lifetimes})
    return (f"{named}: takes effect only in the proxy, and only for requests to {', '.join(able)}",)


def no_cache_life(settings: Settings, provider: str) -> str:
    """Return why the life of the cache cannot be set for a provider's clients, or an empty string if it can."""
    named = _cache_settings(settings)
    if not named or any(api.upstream == provider and api.lifetimes for api in APIS):
        return ""
    return f"{named}: no effect, the API of {provider} has no lifetime that a request could ask for"


def _cache_settings(settings: Settings) -> str:
    """Return the names of the settings in force that make the cache live longer."""
    named = {"cache.lifetime": settings.cache.lifetime != "as sent", "cache.keep_alive": settings.cache.keep_alive}
    return " and ".join(name for name, given in named.items() if given)
