"""`prunus dashboard`: open the pages of a running proxy in the browser."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import webbrowser
from typing import TYPE_CHECKING, Final

import click

from prunus.cli.options import ChosenSettings, Failure, settings_options

if TYPE_CHECKING:
    from prunus.settings import Settings

_WAIT: Final = 5.0
"""Seconds to wait for the proxy."""


@click.command("dashboard")
@click.option("--port", type=click.IntRange(1, 65_535), help="Port of the proxy, if not that of the settings.")
@click.option("--no-open", is_flag=True, help="Print the address and open nothing.")
@settings_options
def command(port: int | None, no_open: bool, chosen: ChosenSettings) -> None:
    """Open the dashboard of a running proxy in the browser.

    The dashboard shows what was saved, conversations with their bill, what was cut and why, strategies and
    settings. It is only reachable from this machine. If the proxy has a token, the printed address works once,
    within a minute; the browser stays signed in for twelve hours.

    \b
    Examples:
      prunus dashboard
      prunus dashboard --no-open --port 9000
    """
    settings = chosen.having({"proxy.port": port}).load().settings
    base = proxy_url(settings)
    address = f"{base}{_path(base, settings)}"
    if no_open or not webbrowser.open(address):
        click.echo(address)
    else:
        # The address may hold a code that signs in, so a terminal that others see gets the plain one.
        click.echo(f"Opened {base}/dashboard/ in the browser.")


def proxy_url(settings: Settings) -> str:
    """Return the URL of the proxy on this machine that the settings describe."""
    host = settings.proxy.host
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{settings.proxy.port}" if ":" in host else f"http://{host}:{settings.proxy.port}"


def _path(base: str, settings: Settings) -> str:
    """Return the path that lets a browser in. Raises Failure if no proxy with a dashboard answers."""
    token = settings.proxy.token.split(",")[0].strip()
    asked = urllib.request.Request(f"{base}/dashboard/code", b"", {"x-prunus-token": token}, method="POST")
    # The environment's HTTP proxy has no business with an address of this machine.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(asked, timeout=_WAIT) as answer:
            return str(json.loads(answer.read())["path"])
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 401:
            raise Failure(f"the proxy at {base} has another token than the settings (proxy.token)") from error
        raise Failure(
            f"{base} answers, but has no dashboard (status {error.code}); is it `prunus proxy`?"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failure(
            f"no proxy answers at {base}. Start one with `prunus proxy`, or name the port of a running one with "
            "--port."
        ) from error
