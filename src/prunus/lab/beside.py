"""The cost and loss of other levels of Prunus, and of other policies, in the same session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from prunus.lab.conversations import RecordedConversation
from prunus.lab.cost import cost
from prunus.lab.loss import events
from prunus.lab.policies import policy_named
from prunus.lab.policy import Bound
from prunus.lab.progress import Counted, Gauge
from prunus.lab.provider_count import ProviderCount
from prunus.lab.reading import Reader
from prunus.lab.replay import replay
from prunus.lab.retention import Needs, retention
from prunus.settings.presets import LEVELS

RIVALS: Final = {
    "mask:10:30000": "all but the newest 10 results masked, in batches",
    "clear:100000:3": "Anthropic's rule: past 100k tokens all but 3 cleared",
}
"""The rivals that need no package, and what they do."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """One policy in one session; costs are in tokens of uncached input."""

    cost: float
    effective: float
    """The cost including one more request for each part that the agent must read again."""
    lost: int
    """Requests whose answer edits lines that the pruned request did not show."""


def alternatives(
    piece: RecordedConversation, reader: Reader, needs: Needs, chosen: str, gauge: Gauge, counted: ProviderCount
) -> Mapping[str, Alternative]:
    """Return all levels but the chosen one, and the rivals, in a session whose provider counts like this."""
    found = {}
    for name in (*LEVELS, *RIVALS):
        if name == chosen:
            continue
        policy = policy_named(name, piece.price, piece.window)
        assert not isinstance(policy, Bound)
        sent = replay(piece.session, Counted(policy, gauge), reader)
        paid, kept = cost(counted.of(sent).since(piece.copied), piece.price), retention(needs, sent)
        effective = paid.cost + sum(part.cost(piece.price) for part in kept.lost)
        found[name] = Alternative(paid.cost, effective, events(kept.lost))
    return found
