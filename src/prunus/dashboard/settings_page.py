"""The settings in force, and where each of them comes from."""

from __future__ import annotations

from typing import Final

from prunus.dashboard.markup import element
from prunus.dashboard.page import PageAnswer, Sources, page
from prunus.dashboard.shapes import section, table, with_code
from prunus.settings.describe import keys
from prunus.settings.origins import as_toml, flat
from prunus.settings.secrets import without_secrets

_COLUMNS: Final = {"Setting": "", "Value": "long", "From": "", "Meaning": "spare long"}


def settings_page(sources: Sources) -> PageAnswer:
    """Return all settings; those that somebody chose come first."""
    meanings = {key.name: key.doc for key in keys()}
    rows = [
        (
            element("code", name),
            element("code", as_toml(without_secrets(name, value))),
            sources.origins.get(name, "built in"),
            with_code(meanings.get(name, "")),
        )
        for place, value in flat(sources.settings.dump())
        for name in (".".join(place),)
    ]
    preset = f"preset {sources.settings.base}"
    own = [row for row in rows if row[2] not in ("built in", preset)]
    words = (
        f"Preset {sources.settings.base}, level {sources.settings.level}, schedule {sources.settings.schedule}. "
        "These are the settings that this proxy was started with."
    )
    return page(
        "Settings",
        element("p", words, class_="lead"),
        section("Yours", table("Your own settings", _COLUMNS, own, empty="No file and no option sets anything.")),
        section(
            "All",
            element(
                "p",
                element("label", "Find a setting ", for_="filter", class_="note"),
                element("input", type="search", id="filter", placeholder="strategies, cache, proxy.port"),
            ),
            element("div", table("All settings", _COLUMNS, rows, empty=""), data_filtered=True),
        ),
        tab="settings",
    )
