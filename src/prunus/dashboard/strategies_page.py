"""The strategies: what each has earned, and what the agent asked for again."""

from __future__ import annotations

import inspect
from typing import Final

from prunus.dashboard.markup import Child, element
from prunus.dashboard.page import HOME, PageAnswer, PageRequest, page
from prunus.dashboard.sources import Sources
from prunus.dashboard.table import Column, section, table
from prunus.dashboard.wording import share, tokens
from prunus.experience import Tried
from prunus.report.regret import learned_lines
from prunus.strategies import ALL
from prunus.tally import Tally

_COLUMNS: Final = (
    Column("Strategy"),
    Column("Prunes", number=True),
    Column("Tokens removed", number=True),
    Column("Asked again", number=True),
    Column("Tokens asked again", number=True, spare=True),
    Column("Finds", long=True),
)


def strategies_page(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return the sums of all time by strategy, the one that removed most first."""
    store, settings = sources.store, sources.settings
    shadow = settings.proxy.shadow
    totals = store.totals(request.tenant, shadow=shadow)
    regrets = totals.experience.strategies
    running = {one.name for one in settings.active_strategies()}
    finds = {one.name: (inspect.getdoc(one) or "").partition("\n")[0] for one in ALL}
    names = {*finds, *totals.strategies}
    ranked = sorted(names, key=lambda name: (-totals.strategies.get(name, Tally()).tokens, name))
    rows = [
        (
            [
                element("a", element("code", name), href=f"{HOME}receipts?strategy={name}"),
                None if name in running else [" ", element("span", "off", class_="tag")],
            ],
            f"{totals.strategies.get(name, Tally()).count:,}",
            tokens(totals.strategies.get(name, Tally()).tokens),
            *_asked(regrets.get(name, Tried())),
            finds.get(name, ""),
        )
        for name in ranked
        if name in running or name in totals.strategies
    ]
    off = [element("li", element("code", name), f" {finds[name]}") for name in finds if name not in running]
    allowed = settings.allowed_asks()
    learned = [] if allowed is None else list(learned_lines(store.experiences(request.tenant), allowed))
    would = " In shadow mode nothing is cut: the numbers say what would have been." if shadow else ""
    return page(
        "Strategies",
        element("p", f"What each strategy has cut since the store began.{would}", class_="lead"),
        table("Strategies and what they removed", _COLUMNS, rows, empty="No strategy is on."),
        section("What new conversations learn", element("ul", [element("li", line) for line in learned]))
        if learned
        else None,
        section("Strategies that are off", element("ul", off, class_="plain")) if off else None,
        tab="strategies",
    )


def _asked(tried: Tried) -> tuple[Child, Child]:
    if not tried.cut:
        return "-", "-"
    return f"{tried.asked:,} of {tried.cut:,} ({share(tried.asked, tried.cut)})", tokens(tried.tokens)
