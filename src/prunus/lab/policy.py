"""What would be sent instead: a policy turns each request of a conversation into another one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from prunus.errors import SettingsError
from prunus.lab.masks import Clear, Mask, Unpruned
from prunus.lab.peers import PEERS, LangChain, OpenAIAgents, missing
from prunus.lab.price_row import price_row
from prunus.policy.presets import PRESETS
from prunus.policy.prices import Price
from prunus.pruner import Pruner
from prunus.settings import Settings

__all__ = ["POLICIES", "SCHEDULES", "Policy", "Pruned", "Sender", "installed", "policy_named"]


class Sender(Protocol):
    """One conversation's worth of a policy: it is given each request in order."""

    @property
    def declared(self) -> str:
        """Why the request that was sent last does not continue the one before, where the policy says so."""

    def __call__(self, body: Any, now: float | None, /) -> Any:
        """The request that would be sent; the given one stays as it is."""


class Policy(Protocol):
    """A way to prune. Equal policies send the same, so that each is replayed once."""

    @property
    def name(self) -> str:
        """How it is asked for."""

    def start(self) -> Sender:
        """A fresh state, for one conversation."""


POLICIES: Final[Mapping[str, str]] = {
    "none": "every request as it came",
    "lean": "the preset lean with its schedule, told the price",
    "auto": "the preset auto with the schedule cache, told the price",
    "eager": "the preset auto, every edit at once",
    "acp": "the preset acp, every edit at once",
    "smart": "the preset smart, every edit at once",
    "PRESET@SCHEDULE": "Prunus with a preset and a schedule, such as acp@cache, told the price",
    "mask:N": "results older than the newest N become a placeholder, every turn",
    "mask:N:BATCH": "the same, when at least BATCH tokens would go at once",
    "clear:TRIGGER:KEEP": "Anthropic's rule: past TRIGGER tokens all but the KEEP newest results go, for good",
    "langchain": "ClearToolUsesEdit(trigger=100000, keep=3) of langchain, where installed",
    "openai-agents": "ToolOutputTrimmer of openai-agents, where installed",
}

SCHEDULES: Final = ("cache", "eager", "pressure")

_SHAPES: Final[Mapping[str, Callable[..., Policy]]] = {
    r"none": Unpruned,
    r"mask:(\d+)": Mask,
    r"mask:(\d+):(\d+)": Mask,
    r"clear:(\d+):(\d+)": Clear,
    r"langchain": LangChain,
    r"openai-agents": OpenAIAgents,
}


def policy_named(text: str, price: str | None = None) -> Policy:
    """The policy of this name, told which price row its requests will be paid at.

    A peer that is not installed is a SettingsError too, with the reason.
    """
    told = None if price is None else price_row(price)
    preset, _, schedule = text.partition("@")
    if preset in PRESETS and schedule in SCHEDULES:
        return Pruned(text, preset, schedule, None if schedule == "eager" else told)
    match text:
        case "lean" | "auto":
            return Pruned(text, text, "cache", told)
        case "eager" | "acp" | "smart":
            return Pruned(text, "auto" if text == "eager" else text, "eager")
    for shape, make in _SHAPES.items():
        found = re.fullmatch(shape, text)
        if found:
            return make(*map(int, found.groups()))
    known = "\n".join(f"  {name:20} {words}" for name, words in POLICIES.items())
    raise SettingsError(f"no policy {text!r}; there are\n{known}")


def installed(names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those policies that can be replayed here, and why the other ones cannot; an unknown one is an error."""
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


@dataclass(frozen=True, slots=True)
class Pruned:
    """What Prunus makes of it: a preset, when its edits are made, and the price it is told."""

    name: str
    preset: str
    schedule: str
    price: Price | None = None

    def start(self) -> _Pruning:
        return _Pruning(Pruner(self.settings()))

    def settings(self) -> Settings:
        """The settings with which Prunus is replayed."""
        values: dict[str, Any] = {"preset": self.preset, "schedule": self.schedule}
        if self.price is not None:
            price = self.price
            values["prices"] = [{"model": "*", "read": price.read, "write": price.write, "ttl": price.ttl}]
        return Settings(**values)


class _Pruning:
    def __init__(self, pruner: Pruner) -> None:
        self._pruner = pruner
        self.declared = ""

    def __call__(self, body: Any, now: float | None) -> Any:
        out = self._pruner.prune(body, now=now)
        self.declared = out.flush.reason if out.flush is not None else ""
        return out.body
