"""All policies by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from prunus.errors import SettingsError
from prunus.lab.bounds import Clairvoyant, Oracle
from prunus.lab.cost import price_row
from prunus.lab.peers import PEERS, LangChain, OpenAIAgents, missing
from prunus.lab.policy import Bound, Clear, Mask, Policy, Pruned, Unpruned
from prunus.schedule.prices import DEFAULT, Price
from prunus.settings.presets import LEVELS, PRESETS

POLICIES: Final[Mapping[str, str]] = {
    "none": "every request as it came",
    "auto": "the preset auto with the schedule cache, told the price; the same as balanced",
    "safe": "auto at the level safe",
    "balanced": "auto at the level balanced",
    "lean": "auto at the level lean",
    "eager": "the preset auto, every edit at once",
    "acp": "the preset acp, every edit at once",
    "smart": "the preset smart, every edit at once",
    "clairvoyant": "a bound: the edits of auto at the moments that turn out cheapest",
    "oracle": "a bound: each result goes after its last use, at the cheapest moments, and nothing is lost",
    "oracle:all": "the same with inputs of calls and thinking",
    "PRESET@SCHEDULE": "Prunus with a preset and a schedule, such as acp@cache or acp@clairvoyant, told the price",
    "mask:N": "results older than the newest N become a placeholder, every turn",
    "mask:N:BATCH": "the same, when at least BATCH tokens would go at once",
    "clear:TRIGGER:KEEP": "Anthropic's rule: past TRIGGER tokens all but the KEEP newest results go, for good",
    "langchain": "ClearToolUsesEdit(trigger=100000, keep=3) of langchain, where installed",
    "openai-agents": "ToolOutputTrimmer of openai-agents, where installed",
}

SCHEDULES: Final = ("cache", "eager", "pressure", "clairvoyant")
_SHORT: Final[Mapping[str, str]] = {
    "auto": "auto@cache",
    "eager": "auto@eager",
    "acp": "acp@eager",
    "smart": "smart@eager",
    "clairvoyant": "auto@clairvoyant",
}
"""The policies that are a preset with a schedule."""
_SHAPES: Final[Mapping[str, Callable[..., Policy]]] = {
    r"none": Unpruned,
    r"mask:(\d+)": Mask,
    r"mask:(\d+):(\d+)": Mask,
    r"clear:(\d+):(\d+)": Clear,
    r"langchain": LangChain,
    r"openai-agents": OpenAIAgents,
}


def policy_named(text: str, price: str | Price | None = None, window: int | None = None) -> Policy | Bound:
    """Return the policy of this name; it knows the price of its requests, and the model's window if given.

    Raises SettingsError for an unknown name, and for a peer that is not installed.
    """
    told = price_row(price) if isinstance(price, str) else price
    known_price = told or DEFAULT
    preset, _, schedule = _SHORT.get(text, text).partition("@")
    if preset in PRESETS and schedule == "clairvoyant":
        return Clairvoyant(text, Pruned(text, preset, "cache", known_price, window), known_price)
    if preset in PRESETS and schedule in SCHEDULES:
        return Pruned(text, preset, schedule, None if schedule == "eager" else told, window)
    if text in LEVELS:
        return Pruned(text, "auto", "cache", told, window, text)
    if text in ("oracle", "oracle:all"):
        return Oracle(text, known_price, everything=text == "oracle:all")
    for shape, make in _SHAPES.items():
        found = re.fullmatch(shape, text)
        if found:
            return make(*map(int, found.groups()))
    known = "\n".join(f"  {name:20} {words}" for name, words in POLICIES.items())
    raise SettingsError(f"no policy {text!r}; there are\n{known}")


def installed(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the policies that can be replayed here, and why the others cannot; raises SettingsError if unknown."""
    able: list[str] = []
    reasons: list[str] = []
    for name in names:
        reason = missing(name) if name in PEERS else ""
        if reason:
            reasons.append(reason)
        else:
            policy_named(name)
            able.append(name)
    return tuple(able), tuple(reasons)
