"""Answers commands that a user types in the chat: `/prunus stats`, `/acp sweep 3`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from prunus.agent.inspection import Inspection, inspect
from prunus.conversations.conversation import Loader, declares_tools
from prunus.conversations.lineage import start_of_chain
from prunus.conversations.memory import chain
from prunus.edits import Gone, Note, Proposal
from prunus.engine.weights import with_tokens
from prunus.guards.guard import Guard
from prunus.history import Call
from prunus.proposals import describe
from prunus.providers import Frame, frame, parse
from prunus.report.funnel import effectiveness, funnel_box, funnel_of, funnel_of_all
from prunus.report.totals_box import stats_box
from prunus.requested.commands import ANSWER, COMMANDS, Command, answers, command_in, swept
from prunus.schedule.budget import CATEGORIES, budget, headroom
from prunus.settings import Settings
from prunus.store.records import Totals
from prunus.store.store import Store
from prunus.strategies.asked import Requested
from prunus.view.guide import ACTIONS
from prunus.view.view import View

_BAR = 24
_ADDRESSED: Final = re.compile(rb"/(?:prunus|acp)", re.IGNORECASE)


def command_of(cut: Frame) -> Command | None:
    """Return the command in the newest message of a request; None if that message is no command."""
    raw = cut.raw(len(cut) - 1) if len(cut) else b""
    if _ADDRESSED.search(raw) is None:
        return None
    found = command_in(parse(cut.format, raw, len(cut) - 1))
    return None if found is None or not _typed(cut) else found[1]


def _typed(cut: Frame) -> bool:
    """Whether the user typed the newest message, and no tool printed it; see `strategies.asked`."""
    if declares_tools(cut):
        return True
    before = [parse(cut.format, cut.raw(index), index) for index in range(len(cut) - 1)]
    called = any(isinstance(part, Call) for message in before for part in message.parts)
    return called or not any(message.role == "assistant" and not answers(message) for message in before)


def respond(command: Command, body: bytes, format: str, settings: Settings, box: str = "") -> str:
    """Return the answer to a command. Prunus recognises the answer by its beginning, and hides it from the model.

    `box` holds the statistics of the conversation so far, if they are known.
    """
    match command:
        case Command("stats", _):
            text = _stats(inspect(body, settings, format), box)
        case Command("context", _):
            text = _context(inspect(body, settings, format))
        case Command("sweep", words):
            text = _sweep(inspect(body, settings, format), words, settings.active_guards())
        case Command("manual", ("on",)):
            text = "Manual mode is on: from now on nothing is cut unless you or the agent ask for it."
        case Command("manual", ("off",)):
            text = "Manual mode is off: Prunus cuts by itself again."
        case Command("restore", words) if words:
            text = _restore(inspect(body, settings, format), words)
        case _:
            text = _help(command)
    return f"{ANSWER}{text}"


def _stats(look: Inspection, box: str) -> str:
    report = look.outcome.report
    share = report.saved / report.tokens_before if report.tokens_before else 0.0
    line = (
        f"{report.tokens_before:,} tokens in this conversation, {report.tokens_after:,} are sent: {share:.0%} less."
        f"\n{headroom(report.tokens_after, look.window, look.budget)}"
    )
    if box:
        return f"{line}\n\n{box}"
    funnel = funnel_of(report.tokens_before, report.tokens_after, report.strategies)
    blocks = (line, effectiveness(report.strategies), funnel_box(funnel, "") if report.saved else "")
    return "\n\n".join(filter(None, blocks))


def _context(look: Inspection) -> str:
    rows = budget(look.engine.view, look.around, look.engine.saved_of)
    used = sum(rows.values())
    allowed = look.budget.allowed(look.window)
    leaving = look.could_go()
    lines = [look.fullness(leaving)]
    for name, words in CATEGORIES.items():
        part = rows[name] / used if used else 0.0
        spent = f"{rows[name]:>9,} of {allowed[name]:>9,}"
        lines.append(f"  {'█' * round(part * _BAR):<{_BAR}} {part:>4.0%} {spent}  {name}: {words}")
    lines.append(headroom(used, look.window, look.budget))
    counted = {action: sum(row.advice.action == action for row in leaving) for action in ACTIONS}
    said = ", ".join(f"{words} {counted[action]}" for action, words in ACTIONS.items() if counted[action])
    tokens = sum(row.tokens for row in leaving)
    lines.append(f"{len(leaving)} parts with {tokens:,} tokens could go{f' ({said})' if said else ''}.")
    return "\n".join(lines)


def _sweep(look: Inspection, words: tuple[str, ...], guards: Sequence[Guard]) -> str:
    view = look.engine.view
    rules = look.engine.requests or Requested()
    cut = {edit.target for edit in look.outcome.edits if isinstance(edit.replacement, Note | Gone)}
    edits = swept(words[0] if words else "", len(view.turns) - 1, view, rules)
    weighed = (with_tokens(edit, view) for edit in edits if edit.target not in cut)
    found = [edit for edit in weighed if not _stays(edit, view, guards)]
    if not found:
        return "Nothing to sweep: no results that may go."
    names = ", ".join(describe(view.by_ref[edit.target]) for edit in found[:6])
    more = f" and {len(found) - 6} more" if len(found) > 6 else ""
    tokens = sum(edit.saved for edit in found)
    return f"Swept {len(found)} result{'s' * (len(found) > 1)}, about {tokens:,} tokens: {names}{more}."


def _stays(edit: Proposal, view: View, guards: Sequence[Guard]) -> bool:
    """Whether a guard refuses an edit for good. A refusal that ends at some turn is over soon."""
    return any(hold is not None and hold.turn is None for hold in (guard.hold(edit, view) for guard in guards))


def _restore(look: Inspection, words: tuple[str, ...]) -> str:
    view = look.engine.view
    lines = []
    for word in words:
        name = word.strip("[]#,")
        ref = view.ids.get(name)
        use = view.by_ref.get(ref) if ref is not None else None
        if ref is None:
            lines.append(f"There is nothing with the id {name}.")
        else:
            lines.append(f"Restored {describe(use) if use is not None else name}.")
    return "\n".join(lines)


def _help(command: Command) -> str:
    head = "" if command.name == "help" else f"No command {command.name!r}. "
    rows = "\n".join(f"  /prunus {name:<14} {words}" for name, words in COMMANDS.items())
    return f"{head}What you can type:\n{rows}"


def statistics(store: Store, tenant: str, caller: str, body: bytes, format: str) -> str:
    """Return the statistics box of the conversation with these messages; empty if the store does not know it.

    The box covers no other conversation, because one tenant may have several people with different keys.
    """
    cut = frame(body, format)
    load = Loader(cut)
    links = chain((load.digest(i) for i in range(len(cut))), start_of_chain(cut.format.name, caller))
    known = store.memory(tenant).find(links)
    totals = store.totals(tenant, known[0].id) if known else Totals()
    if not totals.requests:
        return ""
    return stats_box(totals, None, known[0].id, funnel=funnel_of_all(store.contexts(tenant, known[0].id)))
