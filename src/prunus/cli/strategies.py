"""`prunus strategies`: list the strategies, or show one in full."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from prunus.cli.options import ChosenSettings, Failure, settings_options
from prunus.cli.table import say, show

if TYPE_CHECKING:
    from prunus.settings import Settings
    from prunus.strategies.strategy import Strategy


@click.command("strategies")
@click.argument("name", required=False)
@settings_options
@click.option("--json", "in_json", is_flag=True, help="As JSON, with everything about each.")
def command(name: str | None, chosen: ChosenSettings, in_json: bool) -> None:
    """List the strategies, or show one in full.

    The order is the order of precedence: if two strategies want the same part, the first one gets it.

    \b
    Examples:
      prunus strategies
      prunus strategies --preset acp
      prunus strategies stale_reads
    """
    from prunus.strategies import ALL

    settings = chosen.load().settings
    if name is not None:
        page = _page(_named(name), settings)
        say(json.dumps(page, ensure_ascii=False, indent=2) if in_json else _in_words(page))
        return
    pages = [_page(strategy, settings) for strategy in ALL]
    if in_json:
        click.echo(json.dumps(pages, ensure_ascii=False, indent=2))
        return
    table = [(p["name"], p["seed"], "on" if p["on"] else "off", p["doc"].partition("\n")[0]) for p in pages]
    show(("name", "ACP key or rule", "", "finds"), table, flexible=(1, 3))


def _named(name: str) -> type[Strategy]:
    from prunus.strategies import ALL, strategy_named

    found = strategy_named(name.replace("-", "_"))
    if found is not None:
        return found
    names = [strategy.name for strategy in ALL]
    seeds = {word: s.name for s in ALL for word in s.seed.replace(",", " ").split() if word != "supersede"}
    close = get_close_matches(name, [*names, *seeds], n=1)
    guess = f"; did you mean {seeds.get(close[0], close[0])}?" if close else ""
    raise Failure(f"no strategy {name!r}{guess}\nThere are: {', '.join(names)}")


def _page(strategy: type[Strategy], settings: Settings) -> dict[str, Any]:
    """Return everything about one strategy as plain data."""
    from prunus.settings.describe import field_docs
    from prunus.settings.presets import PRESETS, strategies_of

    section = settings.dump()["strategies"][strategy.name]
    docs = field_docs(strategy)
    owner: Any = strategy
    return {
        "name": strategy.name,
        "seed": strategy.seed,
        "icon": strategy.icon,
        "on": strategy.name in {active.name for active in settings.active_strategies()},
        "presets": [preset for preset in PRESETS if strategy.name in strategies_of(preset, settings.level)],
        "doc": inspect.getdoc(strategy) or "",
        "fields": [
            {
                "name": field.name,
                "default": list(field.default) if isinstance(field.default, tuple) else field.default,
                "value": section[field.name],
                "doc": docs.get(field.name, ""),
            }
            for field in dataclasses.fields(owner)
        ],
    }


def _paragraphs(doc: str) -> Iterator[str]:
    """Yield a docstring with each paragraph on one line, so that a terminal of any width can fold it."""
    for number, block in enumerate(doc.split("\n\n")):
        yield from [""] * (number > 0)
        lines = block.splitlines()
        plain = all(line[:1].isalnum() or line[:1] == "`" for line in lines)
        yield " ".join(lines) if plain else block


def _in_words(page: dict[str, Any]) -> str:
    lines = [
        f"{page['name']}  {page['icon']}  {'on' if page['on'] else 'off'}",
        f"ACP key or rule: {page['seed'] or 'none'}",
        f"In the presets: {', '.join(page['presets']) or 'none'}",
        "",
        *_paragraphs(page["doc"]),
        "",
        f"Settings in strategies.{page['name']}:",
        f"  enabled = {json.dumps(page['on'])}",
    ]
    for field in page["fields"]:
        value, default = (json.dumps(field[key], ensure_ascii=False) for key in ("value", "default"))
        lines.append(f"  {field['name']} = {value}" + (f"  (default {default})" if value != default else ""))
        lines.append(f"      {field['doc']}")
    return "\n".join(lines)
