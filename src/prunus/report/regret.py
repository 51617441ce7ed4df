"""Cut content that was asked for again, and the consequences: lines for people, and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prunus.reuse.experience import Experience, Tried
from prunus.reuse.learning import asked_rate, learn
from prunus.text.printable import printable


def regret_line(experience: Experience, *, shadow: bool = False) -> str:
    """The sums, and the strategies whose parts were asked for again; empty if nothing was cut."""
    total = experience.total
    if not total.cut:
        return ""
    ranked = sorted(experience.strategies.items(), key=lambda one: (-one[1].asked, one[0]))
    asked = ", ".join(f"{name} {tried.asked:,} of {tried.cut:,}" for name, tried in ranked if tried.asked)
    line = f"{'would cut' if shadow else 'cut'} {total.cut:,} {'part' if total.cut == 1 else 'parts'}, "
    line += f"{total.asked:,} asked for again ({_percent(total)})"
    return f"{line}: {asked}" if asked else line


def learned_lines(agents: Mapping[str, Experience], allowed: float) -> Iterator[str]:
    """What new conversations of each agent learn: strategies that step back, and kinds that are cut with more care.

    `allowed` is how many parts that a strategy cut may be asked for again in 1,000 requests.
    """
    for client, experience in agents.items():
        learned = learn(experience, allowed)
        name = printable(client) or "an unnamed agent"
        for strategy in learned.stepped_back:
            rate = asked_rate(experience.strategies[strategy], experience.requests, allowed)
            yield (
                f"{strategy} steps back in new sessions of {name}: in 1,000 requests {rate:.1f} of its parts are "
                f"asked for again, and {allowed:g} are allowed"
            )
        for kind, offset in learned.offsets.items():
            yield f"{name} uses {kind} parts again more often than expected (log-odds {offset:+.2f})"


def experience_record(experience: Experience) -> dict[str, Any]:
    """The sums as plain data, for programs."""
    return {
        **_tried_record(experience.total),
        "strategies": {name: _tried_record(tried) for name, tried in sorted(experience.strategies.items())},
        "kinds": {name: _tried_record(tried) for name, tried in sorted(experience.kinds.items())},
    }


def agents_record(agents: Mapping[str, Experience], allowed: float | None) -> dict[str, Any]:
    """The experience with each agent, and what its new conversations learn, as plain data."""
    found: dict[str, Any] = {}
    for client, experience in agents.items():
        sums = {"requests": experience.requests, "asked_again": experience_record(experience)}
        learned = None if allowed is None else learn(experience, allowed)
        if learned is not None:
            sums["learned"] = {"offsets": dict(learned.offsets), "stepped_back": list(learned.stepped_back)}
        found[client] = sums
    return found


def _tried_record(tried: Tried) -> dict[str, float]:
    return {
        "cut": tried.cut,
        "expected": round(tried.expected, 3),
        "asked": tried.asked,
        "tokens": tried.tokens,
    }


def _percent(tried: Tried) -> str:
    return f"{100 * tried.asked / tried.cut:.1f} %"
