"""What fills the context of a conversation, in numbers: no content, so that it may be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from prunus.engine import Engine
from prunus.errors import FormatError
from prunus.guide import ACTIONS, by_action
from prunus.history import Ref
from prunus.schedule.budget import budget
from prunus.schedule.priorities import by_priority
from prunus.tally import Tally


@dataclass(frozen=True, slots=True)
class Context:
    """The newest request of a conversation, in tokens."""

    before: int = 0
    """What it would be without pruning."""
    after: int = 0
    strategies: Mapping[str, Tally] = field(default_factory=dict)
    """What each strategy takes out of it."""
    categories: Mapping[str, int] = field(default_factory=dict)
    priorities: Mapping[str, int] = field(default_factory=dict)
    guide: Mapping[str, int] = field(default_factory=dict)
    """What the content type guide says."""
    shadow: bool = False
    """Nothing was changed; the numbers say what would have been."""

    def dump(self) -> bytes:
        """As JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def load(cls, raw: bytes) -> Context:
        """Read what `dump` wrote."""
        try:
            return msgspec.json.decode(raw, type=cls)
        except msgspec.MsgspecError as error:
            raise FormatError(f"not a context: {error}") from error


def context_of(engine: Engine, around: int) -> Context:
    """What fills the request that an engine has looked at; `around` are the tokens around its messages."""

    def superseded(ref: Ref) -> bool:
        return any(edit.ends_call for edit in engine.candidates.get(ref, {}).values())

    before = around + engine.view.tokens
    return Context(
        before,
        before - engine.saved + engine.tags.tokens,
        {name: tally for name, tally in engine.by_strategy.items() if tally.count},
        {str(name): tokens for name, tokens in budget(engine.view, around, engine.saved_of).items()},
        {str(name): tokens for name, tokens in by_priority(engine.view, superseded, engine.saved_of).items()},
        {ACTIONS[name]: tokens for name, tokens in by_action(engine.view, superseded, engine.saved_of).items()},
    )
