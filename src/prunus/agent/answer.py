"""Answers a call of `context_prune`: which targets were pruned, which were not, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from prunus.agent.inspection import inspect, name_of
from prunus.conversations.assembly import shows_ids
from prunus.edits import Edit, Gone, Note
from prunus.engine import Engine
from prunus.history import Attachment, Ref, Result, Text, Thinking
from prunus.providers import encode, frame
from prunus.providers.recognition import api_named
from prunus.providers.rewriting import extended
from prunus.pruner import prune
from prunus.requested.request import PRUNE, PruneRequest, is_info, parse
from prunus.requested.targets import HEADINGS, Choice, discarded
from prunus.settings import Settings
from prunus.strategies.asked import Requested
from prunus.tally import Notification, Tally, status
from prunus.view.uses import Use

_NAMED: Final = 6
"""How many items a line names."""
_DONE: Final = {
    "discard": "Discarded",
    "distill": "Distilled",
    "restore": "Restored",
    "replace": "Replaced a part of",
}
_SMALL: Final = "too short to be worth it"
_NO_IDS: Final = (
    "No result shows an id here. context_info lists them; old, tools, messages, thinking, files or * name all of a "
    'kind. Settings(agent={"offer": "library"}) puts an id behind every result that may go.'
)
_LASTING: Final = frozenset({"protected_tools", "protected_paths", "critical", "definitions", "open_calls"})


def execute(
    body: Any,
    arguments: Mapping[str, Any] | str,
    settings: Settings | None = None,
    edits: Iterable[Edit] | None = None,
    *,
    tool: str = PRUNE,
    format: str | None = None,
) -> str:
    """Return the answer to a call of `context_prune` or `context_info` that the model made after this request.

    You need not store anything: put the call and this answer into the history, and the next request is pruned as
    the call asks. `edits` are the edits in force (`Outcome.edits`); without them the request is pruned anew.
    """
    given = settings or Settings()
    settings = _offering(given)
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else encode(body)
    cut = frame(raw, format)
    read, hint = cut.format, "" if shows_ids(given, cut) else _NO_IDS
    name = read.name
    if raw.lstrip()[:1] == b"[":
        raw = b'{"%b":%b}' % (read.field.encode(), raw)
    held = tuple(prune(raw, settings, format=name).edits if edits is None else edits)
    whole = extended(raw, read, api_named(name).call_messages("asked", tool, arguments, "..."))
    seen = inspect(whole, settings, name, held)
    if is_info(tool):
        return seen.info()
    before = {edit.target for edit in held if isinstance(edit.replacement, Note | Gone)}
    return answer(seen.engine, seen.engine.view.uses[-1], before, hint, settings.notification)


def answer(
    engine: Engine,
    use: Use,
    cut: Collection[Ref] = (),
    hint: str = "",
    notification: Notification = "minimal",
) -> str:
    """Return the answer to a call that the engine has processed.

    `cut` are the parts that were cut before the call. The answer includes `hint` if an id is not found.
    """
    rules = engine.requests or Requested()
    call = engine.view.part(use.call)
    decision = parse(getattr(call, "input", ""))
    reply = _Reply(engine, decision, set(cut), notification)
    for choice in rules.choices(use, engine.view):
        reply.take(choice)
    found = reply.text()
    return f"{found}\n{hint}" if hint and HEADINGS["unknown"] in reply.failed else found


class _Reply:
    """Collects the answer to one call, target by target."""

    def __init__(self, engine: Engine, decision: PruneRequest, cut: set[Ref], notification: Notification) -> None:
        self._engine = engine
        self._decision = decision
        self._cut = cut
        self._notification: Notification = notification
        self._done: list[Ref] = []
        self._tokens = 0
        self.failed: dict[str, list[str]] = {}

    def take(self, choice: Choice) -> None:
        """Note whether one target was pruned or restored, or why it was not."""
        ref, engine = choice.ref, self._engine
        if choice.problem == "already":
            self._fail(HEADINGS["already"], self._label(ref, choice.target))
        elif choice.problem:
            self._fail(HEADINGS[choice.problem], choice.words)
        if choice.problem or ref is None:
            return
        if self._decision.action == "restore":
            if ref in self._cut:
                self._done.append(ref)
            else:
                self._fail("Not pruned, so nothing to restore", self._label(ref, choice.target))
        elif ref in self._cut and self._decision.action == "discard":
            self._fail("Already pruned", self._label(ref, choice.target))
        elif (found := engine.board.wanted(ref)) is not None:
            if ref not in self._done:
                self._done.append(ref)
                self._tokens += found.saved
        else:
            self._refuse(choice, ref)

    def _refuse(self, choice: Choice, ref: Ref) -> None:
        refusals = self._engine.board[ref].refusals
        refusal = next((r for r in refusals if r.edit.strategy == Requested.name), None)
        label = self._label(ref, choice.target)
        if refusal is None:
            self._fail("Not done", label)
        elif refusal.guard == "minimum_gain":
            self._fail("Kept", f"{label} ({_SMALL})")
        elif refusal.guard in _LASTING:
            self._fail("Protected", f"{label} ({refusal.reason})")
        else:
            self._fail("Goes later", f"{label} ({refusal.reason})")

    def _fail(self, kind: str, words: str) -> None:
        self.failed.setdefault(kind, []).append(words)

    def _label(self, ref: Ref | None, otherwise: str) -> str:
        """Describe a part in words instead of by its id."""
        if ref is None:
            return otherwise
        if name := name_of(self._engine.view, ref):
            return name
        part = self._engine.view.part(ref)
        words = " ".join(getattr(part, "text", "").split())
        short = words if len(words) <= 28 else f"{words[:14]}…{words[-12:]}"
        return f'thinking "{short}"' if isinstance(part, Thinking) else f'message "{short}"'

    def text(self) -> str:
        lines = []
        if self._done and self._decision.action is not None:
            names = _folded([self._label(ref, "") for ref in self._done])
            kinds = _counted(type(self._engine.view.part(ref)) for ref in self._done)
            gain = f", about {self._tokens:,} tokens" if self._tokens > 0 else ""
            lines.append(f"{_DONE[self._decision.action]} {names}: {kinds}{gain}.")
            lines += filter(None, (self._status(),))
        lines += (f"{kind}: {_folded(words)}." for kind, words in self.failed.items())
        lines += (f"Not understood: {problem}." for problem in self._decision.problems)
        if not lines:
            lines.append("Nothing to do.")
        if self.failed or self._decision.problems:
            lines.append(self._inventory())
        return "\n".join(lines)

    def _status(self) -> str:
        """Return the status line for the parts that this call cut. Parts that were cut before do not count."""
        tallies: dict[str, Tally] = {}
        items = []
        for ref in self._done:
            found = self._engine.board.wanted(ref)
            if self._decision.action == "restore" or ref in self._cut or found is None:
                continue
            use, part = self._engine.view.by_ref.get(ref), self._engine.view.part(ref)
            category = "tools" if use else "thinking" if isinstance(part, Thinking) else "messages"
            along = self._engine.board.wanted(use.call) if use is not None and use.call not in self._cut else None
            saved = found.saved + (along.saved if along is not None else 0)
            tallies[category] = tallies.get(category, Tally()).add(1, saved)
            items.append(use.tool if use is not None else category)
        return status(tallies, self._notification, items)

    def _inventory(self) -> str:
        engine = self._engine
        rules = engine.requests or Requested()
        open_ = [
            type(engine.view.part(ref))
            for ref in engine.view.names
            if engine.board.made(ref) is None and isinstance(discarded(ref, "", None, engine.view, rules), Edit)
        ]
        return f"Available: {_counted(open_)}." if open_ else "Nothing can be pruned yet; run tools first."


def _folded(names: list[str]) -> str:
    counts = Counter(names).most_common()
    shown = [f"{name} (x{count})" if count > 1 else name for name, count in counts[:_NAMED]]
    more = len(counts) - _NAMED
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _counted(kinds: Iterable[type]) -> str:
    counts = Counter(kinds)
    words = {Result: "result", Text: "message", Thinking: "thought", Attachment: "file"}
    shown = [f"{counts[kind]} {word}{'s' * (counts[kind] > 1)}" for kind, word in words.items() if counts[kind]]
    return ", ".join(shown)


def _offering(settings: Settings) -> Settings:
    """Return settings that offer the tools to the model, which uses one of them."""
    if settings.agent.offer != "off":
        return settings
    return Settings(**{**settings.dump(), "agent": {**settings.dump()["agent"], "offer": "library"}})
