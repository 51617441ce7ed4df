"""Token counts that describe the context of a conversation. They hold no content, so the store may keep them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from prunus.errors import FormatError
from prunus.schedule.budget import budget
from prunus.schedule.priorities import by_priority
from prunus.tally import Tally
from prunus.view.guide import ACTIONS, by_action

if TYPE_CHECKING:
    from prunus.engine import Engine


@dataclass(frozen=True, slots=True)
class Context:
    """Token counts of the newest request of a conversation."""

    before: int = 0
    """Tokens without pruning."""
    after: int = 0
    strategies: Mapping[str, Tally] = field(default_factory=dict)
    """The tokens that each strategy removes."""
    categories: Mapping[str, int] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    guide: Mapping[str, int] = field(default_factory=dict)
    """Tokens under each action of the content type guide."""
    shadow: bool = False
    """The request was not changed; the numbers say what pruning would have done."""

    def dump(self) -> bytes:
        """Return the counts as JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Context:
        """Read the JSON that `dump` wrote."""
        try:
            return msgspec.json.decode(raw, type=cls)
        except msgspec.MsgspecError as error:
            raise FormatError(f"not a context: {error}") from error


def context_of(engine: Engine, around: int) -> Context:
    """Return the token counts of an engine's request; `around` is the number of tokens outside its messages."""
    before, tallies = around + engine.view.tokens, engine.made.tallies
    return Context(
        before,
        before - tallies.saved + engine.tags.tokens,
        {name: tally for name, tally in tallies.by_strategy.items() if tally.count},
        {str(name): tokens for name, tokens in budget(engine.view, around, engine.saved_of).items()},
        {str(name): tokens for name, tokens in by_priority(engine.view, engine.ends_call, engine.saved_of).items()},
        {
            ACTIONS[name]: tokens
            for name, tokens in by_action(engine.view, engine.ends_call, engine.saved_of).items()
        },
    )
