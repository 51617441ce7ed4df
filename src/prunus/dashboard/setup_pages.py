"""Pages on what runs: the strategies with what each has earned, and the settings in force with their origin."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

from prunus.dashboard.markup import Child, Markup, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, Sources, page
from prunus.dashboard.shapes import Column, bar, receipts_path, section, share, table, tokens, with_code
from prunus.report.spending import saved_by
from prunus.report.totals_box import learned_lines
from prunus.reuse.asked_again import Tried
from prunus.settings.describe import as_toml, flat, keys
from prunus.settings.layers import without_secrets
from prunus.spending import Earnings
from prunus.store.records import Totals
from prunus.strategies import ALL, strategy_named
from prunus.tally import Tally

_MANY: Final = 1_000
"""Conversations up to which the page says what each strategy saved without being asked."""


def strategies_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return the sums of all time by strategy, the one that removed most first."""
    store, settings = sources.store, sources.settings
    shadow = settings.proxy.shadow
    totals = store.totals(request.tenant, shadow=shadow)
    tallies, regrets = totals.strategies, totals.experience.strategies
    running = {one.name for one in settings.active_strategies()}
    most = max((tally.tokens for tally in tallies.values()), default=0)
    earned = _earned(request, sources, totals)

    def title(name: str) -> Child:
        off = None if name in running else [" ", element("span", "off", class_="tag")]
        return [element("a", element("code", name), href=receipts_path(strategy=name)), off]

    def length(name: str) -> Markup:
        return bar(tallies[name].tokens, most, f"{tallies[name].tokens:,} tokens removed")

    columns: list[Column[str]] = [
        ("Strategy", "", title),
        ("Prunes", "number", lambda name: f"{tallies[name].count:,}"),
        ("Tokens removed", "number", lambda name: tokens(tallies[name].tokens)),
        ("Beside the others", "spare", length),
        ("Saved", "number", lambda name: (earned or {}).get(name, "-")),
        ("Asked again", "number", lambda name: _asked(regrets.get(name, Tried()))[0]),
        ("Tokens asked again", "number spare", lambda name: _asked(regrets.get(name, Tried()))[1]),
        ("Finds", "long", _finds),
    ]
    if earned is None:
        del columns[4]
    cutting = sorted(
        (name for name, tally in tallies.items() if tally.count), key=lambda name: (-tallies[name].tokens, name)
    )
    idle = [one.name for one in ALL if one.name in running and not tallies.get(one.name, Tally()).count]
    off = [one.name for one in ALL if one.name not in running]
    allowed = settings.allowed_asks()
    learned = [] if allowed is None else list(learned_lines(store.experiences(request.tenant), allowed))
    would = " In shadow mode nothing is cut: the numbers say what would have been." if shadow else ""
    return page(
        "Strategies",
        element("p", f"What each strategy has cut since the store began.{would}", class_="lead"),
        table("Strategies and what they removed", cutting, columns, empty="No strategy has cut anything yet."),
        section("What new conversations learn", element("ul", [element("li", line) for line in learned]))
        if learned
        else None,
        _ask_for_money() if earned is None else None,
        _listed("On, and nothing cut yet", idle),
        _listed("Off", off),
        tab="strategies",
    )


def _earned(request: PageRequest, sources: Sources, totals: Totals) -> dict[str, str] | None:
    """Return what each strategy saved in money, net of its cache breaks; None if finding out takes long."""
    if totals.conversations > _MANY and "money" not in request.query:
        return None
    groups: dict[str, list[Earnings]] = {}
    for one in sources.store.earnings(request.tenant, shadow=sources.settings.proxy.shadow):
        groups.setdefault(one.strategy, []).append(one)
    return {name: str(saved_by(group, sources.settings.money())) for name, group in groups.items()}


def _ask_for_money() -> Child:
    link = element("a", "Show what each of them saved in money", href=f"{HOME}strategies?money=yes")
    return element("p", link, " (with many conversations this takes some seconds).", class_="note")


def _listed(title: str, names: Sequence[str]) -> Child:
    """Return a list of strategies and what they find; nothing if there are none."""
    if not names:
        return None
    lines = [[element("dt", element("code", name)), element("dd", _finds(name))] for name in names]
    return section(title, element("dl", lines, class_="terms"))


def _finds(name: str) -> Child:
    """Return the first line of a strategy's page."""
    found = strategy_named(name)
    return with_code((inspect.getdoc(found) or "").partition("\n")[0]) if found is not None else ""


def _asked(tried: Tried) -> tuple[Child, Child]:
    if not tried.cut:
        return "-", "-"
    return f"{tried.asked:,} of {tried.cut:,} ({share(tried.asked, tried.cut)})", tokens(tried.tokens)


def settings_page(sources: Sources) -> PageAnswer:
    """Return all settings; those that somebody chose come first."""
    preset = f"preset {sources.settings.base}"
    meanings = {key.name: key.doc for key in keys()}
    columns: tuple[Column[tuple[str, Any]], ...] = (
        ("Setting", "", lambda row: element("code", row[0])),
        ("Value", "long", lambda row: element("code", as_toml(without_secrets(*row)))),
        ("From", "", lambda row: sources.origins.get(row[0], "built in")),
        ("Meaning", "spare long", lambda row: with_code(meanings.get(row[0], ""))),
    )
    rows = [(".".join(place), value) for place, value in flat(sources.settings.dump())]
    given = {name for name, origin in sources.origins.items() if origin not in ("built in", preset)}
    own = [row for row in rows if row[0] in given]
    words = (
        f"Preset {sources.settings.base}, level {sources.settings.level}, schedule {sources.settings.schedule}. "
        "These are the settings that this proxy was started with."
    )
    return page(
        "Settings",
        element("p", words, class_="lead"),
        section("Yours", table("Your own settings", own, columns, empty="No file and no option sets anything.")),
        section(
            "All",
            element(
                "p",
                element("label", "Find a setting ", for_="filter", class_="note"),
                element("input", type="search", id="filter", placeholder="strategies, cache, proxy.port"),
            ),
            element("div", table("All settings", rows, columns, empty=""), data_filtered=True),
        ),
        tab="settings",
    )
