"""The statistics box: what a session saved, by which strategies, and what that is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from prunus.report.funnel import Funnel, auto_supersede, effectiveness, funnel_box, funnel_record
from prunus.report.regret import experience_record, regret_line
from prunus.report.request_report import tallies_record
from prunus.report.spending import Bill, bill_record
from prunus.store.records import Totals
from prunus.text.numbers import counted, dollars, percent, short
from prunus.text.printable import printable

_WIDTH: Final = 60
_LABEL: Final = 12
_DID: Final = ("Billed", "Saved", "Pruned", "Sent")
_WOULD: Final = ("Would bill", "Would save", "Would prune", "Would send")
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
    bill: Bill | None = None,
    bill_ever: Bill | None = None,
) -> str:
    """The numbers of one session and of all time, or of either; without a session, those of all time in full.

    `bill` is the session's in dollars, and `bill_ever` that of all time; costs are in tokens where there is none.

    `funnel` is that of the newest request of the session, or of each session. `learned` are lines that say what new
    sessions learn from earlier ones.
    In shadow mode nothing was pruned, and the words say what would have been.
    """
    shown = session or ever or Totals()
    title = "Prunus Statistics" + (" (shadow: nothing was changed)" if shadow else "")
    blocks = [
        "\n".join(
            [
                title,
                "─" * _WIDTH,
                *_lines(
                    f"Session {printable(name)}" if session is not None else "All time",
                    shown,
                    shadow,
                    bill if session is not None else bill_ever,
                ),
            ]
        ),
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


def _money_notes(bill: Bill | None, bill_ever: Bill | None) -> Iterator[str]:
    """What the dollars mean, and which models they leave out."""
    if bill is None and bill_ever is None:
        yield _UNIT
        return
    yield _DOLLARS
    unknown = sorted({model for one in (bill, bill_ever) if one is not None for model in one.unknown})
    if unknown:
        names = printable(", ".join(unknown))
        yield f"No price is known for {names}, so dollars leave it out; [[prices]] in the settings can give one."


def totals_record(totals: Totals, funnel: Funnel | None = None, bill: Bill | None = None) -> dict[str, Any]:
    """The sums as plain data, for programs."""
    usage = totals.usage
    return {
        "conversations": totals.conversations,
        "requests": totals.requests,
        "errors": totals.errors,
        "behind": totals.behind,
        "tokens_before": totals.tokens_before,
        "tokens_after": totals.tokens_after,
        "usage": {
            "input": usage.input,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "output": usage.output,
        },
        "cost": totals.cost,
        "cost_unpruned": totals.cost_unpruned,
        "cost_of_breaks": totals.cost_of_breaks,
        "breaks": totals.breaks,
        "keep_alives": totals.keep_alives,
        "cost_of_keep_alives": totals.cost_of_keep_alives,
        "saved": totals.saved,
        "dollars": bill_record(bill),
        "strategies": tallies_record(totals.strategies),
        "autoSupersede": tallies_record(auto_supersede(totals.strategies)),
        "asked_again": experience_record(totals.experience),
        "funnel": None if funnel is None else funnel_record(funnel),
    }


def _lines(title: str, totals: Totals, shadow: bool, bill: Bill | None) -> Iterator[str]:
    """A heading and one line for each number: money first, then tokens."""
    sessions = f"{counted(totals.conversations, 'session')}, " if title == "All time" else ""
    yield f"{title}: {sessions}{counted(totals.requests, 'request')}"
    billed, saved, pruned, sent = _WOULD if shadow else _DID
    paid = (_cost(totals.cost), _cost(totals.cost_unpruned))
    if bill is not None:
        paid = (dollars(bill.cost), dollars(bill.unpruned))
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


def _saved(totals: Totals, shadow: bool, bill: Bill | None) -> str:
    """The cost saved, minus the cost of cache breaks and of asking again."""
    asking = totals.experience.total.asked and bill is not None and bill.asking
    saved, whole, breaks = totals.saved, totals.cost_unpruned, _cost(totals.cost_of_breaks)
    said = _cost(saved)
    if bill is not None:
        saved, whole, breaks, said = bill.saved, bill.unpruned, dollars(bill.of_breaks), dollars(bill.saved)
    said += f" ({'-' if saved < 0 else ''}{percent(round(abs(saved) * 1e6), round(whole * 1e6))})"
    if totals.breaks:
        said += f", {counted(totals.breaks, 'cache break')} of {breaks} {'included' if shadow else 'paid'}"
    if asking:
        said += f", {dollars(asking)} for asking again taken off"
    return said


def _line(label: str, text: str) -> str:
    return f"  {label:<{_LABEL}}{text}"


def _tokens(count: int) -> str:
    return short(count).replace("K", "k")


def _cost(cost: float) -> str:
    return _tokens(round(cost))
