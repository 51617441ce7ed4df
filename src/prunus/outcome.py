"""The result of pruning one request, and the types in which its body may be given and comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from prunus.edits import Edit, Gone, Proposal, Refusal
from prunus.errors import FormatError
from prunus.history import Ref
from prunus.providers import provider_named
from prunus.reuse.asked_again import AskedAgain
from prunus.reuse.likelihood import PartKind
from prunus.schedule.ledger import Flush
from prunus.tally import Tally

Body_co = TypeVar("Body_co", covariant=True)
"""The type in which a body was given."""
M = TypeVar("M")
"""The type of a message."""


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of one request."""

    tokens_before: int = 0
    tokens_after: int = 0
    strategies: Mapping[str, Tally] = field(default_factory=dict)
    """For each strategy that found something: the number of its edits, and the tokens that they save."""
    categories: Mapping[str, Tally] = field(default_factory=dict)
    """The same by category: messages, thinking, tools."""
    format: str = ""
    model: str = ""
    messages: int = 0
    asked_again: AskedAgain = field(default_factory=AskedAgain)
    """The cut parts that the newest calls ask for again, by strategy and by kind."""
    stepped_back: tuple[str, ...] = ()
    """The strategies that cut nothing in this conversation, because agents asked for too many of their cuts
    again."""

    @property
    def saved(self) -> int:
        return self.tokens_before - self.tokens_after


@dataclass(frozen=True, slots=True)
class Receipt:
    """The content that one edit removed, and the id with which to restore it."""

    id: str
    """The short id of the part."""
    edit: Edit
    original: str
    """The removed text; JSON for the arguments of a call, and if more than text was removed (`originals`)."""
    tool: str = ""
    turn: int = 0
    category: str = ""
    """The category of the part: messages, thinking or tools."""
    item: Ref | None = None
    """The call that the part belongs to, or the part itself. Reports count an item as one prune."""
    asked: bool = False
    """Whether the agent or the user requested the edit, of a part that was whole before."""
    passed: bool = False
    """Whether the part stays whole, because a note would be longer."""
    call: str = ""
    """The id of the call in the history."""
    by: str = ""
    """The id of the call that superseded the part."""
    by_tool: str = ""
    about: str = ""
    """The file, address or command of both calls."""
    kind: PartKind | None = None
    """The kind of the part, if a later call can ask for it again."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """How a request follows the previous one."""

    parent: str = ""
    """The conversation that the request continues or branches off; empty for a new one."""
    left: int = 0
    """Messages at the end of that conversation that the request lacks, because of an undo or a fork."""
    gap: float | None = None
    """Seconds since the previous request; None if there was none."""
    changed: bool = False
    """Whether model, system text or tools have changed."""


class Outcome(Generic[Body_co]):
    """A pruned request, and what Prunus did to it."""

    __slots__ = (
        "_edits", "_made", "_outlined", "_passed", "_receipt", "_receipts", "_refusals",
        "behind", "body", "continues", "conversation", "error", "fault", "flush", "lifetime", "report", "request",
    )  # fmt: skip

    def __init__(
        self,
        body: Body_co,
        edits: tuple[Proposal, ...] = (),
        refusals: tuple[tuple[Refusal, ...], ...] = (),
        report: Report | None = None,
        error: str | None = None,
        flush: Flush | None = None,
        conversation: str = "",
        request: int = 0,
        made: tuple[Proposal, ...] = (),
        passed: tuple[Proposal, ...] = (),
        receipt: Callable[[Proposal], Receipt] | None = None,
        outlined: Callable[[tuple[Proposal, ...]], tuple[Proposal, ...]] | None = None,
        lifetime: str = "",
        fault: Exception | None = None,
    ) -> None:
        self.body = body
        """The request to send, in the type in which it was given."""
        self.report = report or Report()
        self.error = error
        """Why the request stayed unchanged, if something went wrong."""
        self.fault = fault
        """The exception behind `error`."""
        if fault is not None:
            self.error = f"{type(fault).__name__}: {fault}"
            # The traceback would keep everything alive that the pruner had at hand.
            fault.__traceback__ = None
        self.flush = flush
        """The cache break that this request declares, if any: from which message on, why, and at what price."""
        self.behind = False
        """Whether the request has only the edits of the previous one, because there was no time to look at all of
        it or the shared memory did not answer."""
        self.conversation = conversation
        """The id of the conversation that the request belongs to."""
        self.request = request
        """The number of the request in its conversation, counted from 1."""
        self.continues = Continuation()
        """How the request follows the previous one."""
        self.lifetime = lifetime
        """The lifetime that the caller should give the cache marks, such as `1h`; empty to leave them unchanged."""
        self._made = made
        self._passed = passed
        self._receipt = receipt
        self._receipts: tuple[Receipt, ...] | None = None
        self._edits = edits
        self._outlined = outlined
        self._refusals = refusals

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits in this request, in the order of the messages."""
        edits = self._edits if self._outlined is None else self._outlined(self._edits)
        return tuple(sorted(edits, key=lambda edit: edit.target))

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The edits that this request made for the first time, with the content that each removed."""
        if self._receipts is None:
            self._receipts = self._receipts_of(self._made)
        return self._receipts

    @property
    def passed(self) -> tuple[Receipt, ...]:
        """Parts that were superseded with this request but stay whole, because a note would be longer."""
        found = self._receipts_of(self._passed)
        return tuple(replace(receipt, original="", passed=True) for receipt in found)

    def _receipts_of(self, edits: tuple[Proposal, ...]) -> tuple[Receipt, ...]:
        if self._receipt is None:
            return ()
        return tuple(map(self._receipt, sorted(edits, key=lambda edit: edit.target)))

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Edits that a guard refused, with the guard and its reason."""
        return tuple(
            sorted((r for group in self._refusals for r in group), key=lambda refusal: refusal.edit.target)
        )

    def __repr__(self) -> str:
        return f"Outcome(edits={len(self._edits)}, saved={self.report.saved}, error={self.error!r})"


def as_read(body: Any) -> Any:
    """Return the body as bytes or as parsed objects."""
    match body:
        case bytes() | dict() | list():
            return body
        case bytearray() | memoryview():
            return bytes(body)
        case str():
            try:
                return body.encode()
            except UnicodeEncodeError as error:
                raise FormatError(f"text that is not valid Unicode: {error.reason}") from error
    raise FormatError(f"a body of type {type(body).__name__}; expected dict, list, str or bytes")


def as_given(body: Any, pruned: Any) -> Any:
    """Return a pruned body in the type in which the body was given."""
    match body:
        case str():
            return pruned.decode()
        case bytearray():
            return bytearray(pruned)
        case memoryview():
            return memoryview(pruned)
    return pruned


def admit(size: int, limit: int) -> None:
    """Raise for a body over the limit; bytes before they are looked at, objects once their size is known."""
    if size > limit:
        raise FormatError(f"a body of {size:,} bytes; the limit is {limit:,}")


def aligned(pruned: Sequence[M], count: int, outcome: Outcome[Any]) -> list[M | None]:
    """Return the pruned message for each of the `count` original ones; None for a message that was left out.

    Prunus leaves out only messages that were meant for Prunus itself, such as a command of the user, and reasoning
    if that is a message of its own. Other messages stay when one of their parts is removed.
    """
    if len(pruned) == count:
        return list(pruned)
    removed = [edit for edit in outcome.edits if isinstance(edit.replacement, Gone)]
    if not provider_named(outcome.report.format).binds_reasoning:
        own = (edit for edit in removed if isinstance(edit, Proposal) and edit.when.requested_by == "prunus")
        removed = list(own)
    gone = {edit.target.message for edit in removed}
    left = iter(pruned)
    beside = [None if index in gone else next(left) for index in range(count)]
    if next(left, None) is not None:
        raise ValueError("the pruned history has other messages than the given one")
    return beside
