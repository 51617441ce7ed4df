"""The statistics box: what a session saved, by which strategies, and how much of it was asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from prunus.report.bill import Bill, bill_record
from prunus.report.funnel import Funnel, auto_supersede, effectiveness, funnel_box, funnel_record
from prunus.report.request_report import tallies_record
from prunus.reuse.asked_again import Experience, Tried
from prunus.reuse.learning import asked_rate, learn
from prunus.store.records import Totals
from prunus.text.numbers import counted, dollars, percent, short
from prunus.text.printable import printable

_WIDTH: Final = 60
_LABEL: Final = 12
_DID: Final = ("Billed", "Saved", "Pruned", "Sent")
_WOULD: Final = ("Would bill", "Would save", "Would prune", "Would send")
_NO_BILL: Final = Bill()
_UNIT: Final = "Costs are in uncached input tokens of the model that was asked."
_DOLLARS: Final = "Dollars are those of input; answers cost the same with and without Prunus."


def stats_box(
    session: Totals | None,
    ever: Totals | None,
    name: str = "",
    *,
    shadow: bool = False,
    funnel: Funnel | None = None,
    learned: Sequence[str] = (),
    bill: Bill = _NO_BILL,
    bill_ever: Bill = _NO_BILL,
) -> str:
    """Return the box: the numbers of one session, then those of all time; without a session, only all time.

    `bill` is the bill of the session, and `bill_ever` that of all time. A bill without a price is shown in tokens.
    `funnel` is that of the session's newest request, or of the newest requests of all sessions. `learned` are lines
    that say what new sessions learn from earlier ones. In shadow mode nothing was pruned, and the box says what
    would have been.
    """
    shown = session or ever or Totals()
    title = "Prunus Statistics" + (" (shadow: nothing was changed)" if shadow else "")
    if session is not None:
        numbers = _lines(f"Session {printable(name)}", shown, shadow, bill)
    else:
        numbers = _lines("All time", shown, shadow, bill_ever)
    blocks = [
        "\n".join([title, "─" * _WIDTH, *numbers]),
        effectiveness(shown.strategies, shadow=shadow)
        or f"Nothing {'would have been' if shadow else 'was'} pruned yet.",
    ]
    if funnel is not None:
        newest = "newest request" if session is not None else "newest request of each session"
        blocks.append(funnel_box(funnel, f" ({newest})"))
    if session is not None and ever is not None:
        blocks.append("\n".join(_lines("All time", ever, shadow, bill_ever)))
    if learned:
        blocks.append("\n".join(learned))
    return "\n\n".join([*blocks, *_money_notes(bill, bill_ever)])


def _money_notes(*bills: Bill) -> Iterator[str]:
    """What the dollars mean, and which models they leave out."""
    priced = [bill for bill in bills if bill.priced]
    if not priced:
        yield _UNIT
        return
    yield _DOLLARS
    unknown = sorted({model for bill in priced for model in bill.unknown})
    if unknown:
        names = printable(", ".join(unknown))
        yield f"No price is known for {names}, so dollars leave it out; [[prices]] in the settings can give one."


def _lines(title: str, totals: Totals, shadow: bool, bill: Bill) -> Iterator[str]:
    """A heading and one line for each number: money first, then tokens."""
    sessions = f"{counted(totals.conversations, 'session')}, " if title == "All time" else ""
    yield f"{title}: {sessions}{counted(totals.requests, 'request')}"
    billed, saved, pruned, sent = _WOULD if shadow else _DID
    paid = (_cost(totals.cost), _cost(totals.cost_unpruned))
    if bill.priced:
        paid = (dollars(bill.paid.dollars), dollars(bill.unpruned.dollars))
    yield _line(billed, f"{paid[0]} (unpruned {paid[1]})")
    yield _line(saved, _saved(totals, shadow, bill))
    count = sum(tally.count for tally in totals.strategies.values())
    tokens = sum(tally.tokens for tally in totals.strategies.values())
    yield _line(pruned, f"{counted(count, 'item')}, ~{_tokens(tokens)} tokens")
    less = totals.tokens_before - totals.tokens_after
    yield _line(
        sent,
        f"~{_tokens(totals.tokens_after)} tokens in all, {percent(abs(less), totals.tokens_before)} "
        f"{'less' if less >= 0 else 'more'} than came",
    )
    if regret := regret_line(totals.experience, shadow=shadow):
        yield _line("Asked again", regret)
    usage = totals.usage
    if any((usage.input, usage.cache_read, usage.cache_write, usage.output)):
        yield _line(
            "Provider",
            f"{_tokens(usage.input)} input, {_tokens(usage.cache_read)} from cache, "
            f"{_tokens(usage.cache_write)} to cache, {_tokens(usage.output)} output",
        )
    if totals.keep_alives:
        kept = f"{counted(totals.keep_alives, 'keep-alive request')} for the prompt cache"
        yield _line("Kept alive", f"{kept}, {_cost(totals.cost_of_keep_alives)} of what was billed")
    if totals.behind:
        late = counted(totals.behind, "request")
        yield _line("No time", f"{late} went out with the edits in force, and nothing new cut")
    if totals.errors:
        yield _line("Faults", f"{counted(totals.errors, 'request')} went out as they came")


def _saved(totals: Totals, shadow: bool, bill: Bill) -> str:
    """The cost saved, minus the cost of cache breaks and of asking again."""
    asking = bill.asking.cost
    saved, whole, breaks = totals.saved - asking, totals.cost_unpruned, totals.cost_of_breaks
    if bill.priced:
        asking, saved, whole = bill.asking.dollars, bill.saved.dollars, bill.unpruned.dollars
        breaks = bill.of_breaks.dollars
    shown: Callable[[float], str] = dollars if bill.priced else _cost
    said = f"{shown(saved)} ({'-' if saved < 0 else ''}{percent(abs(saved), whole)})"
    if totals.breaks:
        said += f", {counted(totals.breaks, 'cache break')} of {shown(breaks)} {'included' if shadow else 'paid'}"
    if asking:
        said += f", {shown(asking)} for asking again taken off"
    return said


def regret_line(experience: Experience, *, shadow: bool = False) -> str:
    """The sums, and the strategies whose parts were asked for again; empty if nothing was cut."""
    total = experience.total
    if not total.cut:
        return ""
    ranked = sorted(experience.strategies.items(), key=lambda one: (-one[1].asked, one[0]))
    asked = ", ".join(f"{name} {tried.asked:,} of {tried.cut:,}" for name, tried in ranked if tried.asked)
    line = f"{'would cut' if shadow else 'cut'} {counted(total.cut, 'part')}, "
    line += f"{total.asked:,} asked for again ({100 * total.asked / total.cut:.1f} %)"
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


def totals_record(totals: Totals, funnel: Funnel | None = None, bill: Bill = _NO_BILL) -> dict[str, Any]:
    """The sums as plain data, for programs."""
    return {
        **_fields(totals, "conversations requests errors behind tokens_before tokens_after"),
        "usage": asdict(totals.usage),
        **_fields(totals, "cost cost_unpruned cost_of_breaks breaks keep_alives cost_of_keep_alives saved"),
        "dollars": bill_record(bill),
        "strategies": tallies_record(totals.strategies),
        "autoSupersede": tallies_record(auto_supersede(totals.strategies)),
        "asked_again": experience_record(totals.experience),
        "funnel": None if funnel is None else funnel_record(funnel),
    }


def _fields(totals: Totals, names: str) -> dict[str, Any]:
    return {name: getattr(totals, name) for name in names.split()}


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
    return {"cut": tried.cut, "expected": round(tried.expected, 3), "asked": tried.asked, "tokens": tried.tokens}


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def _tokens(count: int) -> str:
    return short(count).replace("K", "k")


def _cost(cost: float) -> str:
    return _tokens(round(cost))
