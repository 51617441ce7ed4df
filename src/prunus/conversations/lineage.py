"""Finds the conversation that a request continues, or the one that it branches off.

Both the process and the memory know conversations that begin like the request. The memory wins, because every
replica asks it. The process wins only where it knows more messages of the request, or a newer state of the same
conversation: then the memory was unreachable for a while.

Mostly the memory would only say what the process knows already: this process sent the newest request, and now comes
the next one. Then the process need not ask. The memory checks that when it saves the request; if it is not so, the
process asks, and prunes the request again.

Several conversations may match. The first of these wins: one that the request continues by one step of the model,
one whose newest request is sent again, the one that shares the most messages. So a session that runs a second time,
with the same messages, becomes a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final

from prunus.conversations.conversation import Conversation
from prunus.conversations.held import FEW, SHORT, Conversations, Request
from prunus.conversations.memory import ConversationRecord, Match, Memory, Recalled, chain
from prunus.engine import Engine, edits_taken_over
from prunus.outcome import Continuation
from prunus.reuse.learning import learn
from prunus.schedule.ledger import Ledger
from prunus.schedule.plan import Account

_GAINED: Final = 4
"""Parts that a client may add to its newest message to ask for something besides the conversation, such as a
summary."""


@dataclass(frozen=True, slots=True)
class Base:
    """The state that a request builds on."""

    memo: ConversationRecord
    """The memo before this request. For a branch, the memo that the new conversation starts with."""
    parent: str
    """The id of the conversation that the request continues or branches off; empty for a new one."""
    left: int
    """How many messages of that conversation the request lacks; 0 if it continues the conversation."""
    conversation: Conversation | None
    """The conversation as the process holds it, if the request can continue from that state."""
    links: list[bytes]
    """The chained hashes of the messages of the request, if there is a memory."""
    sent: int
    """Messages that the provider has seen before: the depth of the memo, or more if requests were sent that the
    memo does not know."""
    known: ConversationRecord | None = None
    """The memo that the process held when the conversation was found; None if it held none."""
    commands: bool = True
    """See `Match.commands`."""
    follows: bytes = b""
    """The link of the newest known message, if the memory was not asked; see `Memory.keep`."""

    def taken_over(self, request: Request) -> ConversationRecord:
        """Return the memo with the edits that the request takes over: all of them, unless it branches off."""
        if not self.left:
            return self.memo
        edits = edits_taken_over(self.memo.ledger, len(request), request.load)
        return replace(self.memo, ledger=replace(self.memo.ledger, edits=edits))

    @property
    def new_links(self) -> list[bytes]:
        """The links that the memory does not have for this conversation yet: all of them, if it branches off."""
        return self.links if self.left else self.links[self.memo.depth :]

    @property
    def is_current(self) -> bool:
        """Whether the process still holds the conversation as it was found."""
        return self.conversation is not None and self.conversation.memo is self.known

    def commands_with(self, asked: Sequence[str], request: Request) -> tuple[tuple[int, str], ...]:
        """Return all commands from outside of the conversation, including those that came with this request."""
        return (*self.memo.ledger.commands, *((len(request), words) for words in asked))

    def needs_short_look(self, request: Request) -> bool:
        """Whether an engine only has to look at a few messages, and no thread uses it."""
        held = self.conversation
        if held is not None and held.lock.locked():
            return False
        if held is None or held.in_force is not self.memo.ledger:
            # A new engine looks at all messages, and one whose edits have changed may write all of them anew.
            return request.read.size <= SHORT and len(request) <= FEW
        return len(request) - len(held.engine.view.turns) <= FEW

    def follows_directly(self, request: Request) -> bool:
        """Whether no other process can have sent a request of this conversation in between.

        The model would have answered such a request, and this request would contain the answer.
        """
        if self.left or (self.parent and self.conversation is None):
            return False
        answers = bool(self.parent)
        return _steps(request, self.memo.depth, answers + 1) <= answers

    def continuation(self, request: Request, conversation: Conversation) -> Continuation:
        """Describe how a request follows the previous one; `conversation` has already recorded the request."""
        gap = request.now - self.memo.seen if self.parent else None
        changed = bool(self.memo.requests) and conversation.prompt_digest != self.memo.prompt
        return Continuation(self.parent, self.left, gap, changed)

    def begin(self, request: Request, engine: Engine) -> Conversation:
        """Return a new conversation object for this process, whose engine has not looked at any message yet."""
        digests = [request.load.digest(i) for i in range(self.memo.depth)]
        return Conversation(
            self.memo, request.read, engine, request.owner, digests=digests, saved=self.memo.requests
        )


def find_base(
    request: Request,
    conversations: Conversations,
    memory: Memory | None,
    allowed: float | None = None,
    *,
    trust: bool = False,
) -> Base:
    """Find the state that a request builds on, in the process and in the memory.

    A new conversation learns from earlier ones of its agent. `allowed` is the number of cut parts per strategy that
    may be asked for again in 1,000 requests; None turns learning off. With `trust`, a process that knows the newest
    state does not ask the memory, so the caller has to save the request; see `Base.follows`.
    """
    own = conversations.find(request)
    links: list[bytes] = []
    follows = b""
    recalled = Recalled()
    if memory is not None:
        nearest = conversations.named(own[0].id) if own else None
        links = _links(request, nearest, own[0].shared if own else 0)
        if trust and memory.checks and nearest is not None and _is_next_step(own[0], nearest, request):
            follows = links[own[0].shared - 1]
            recalled = Recalled((replace(own[0], commands=False),))
        else:
            recalled = memory.recall(links, request.client)
    found = _likeliest(own, recalled.matches, request)
    held, memo = (None, None) if found is None else _newest(found, conversations, memory, recalled)
    if follows and (found is None or memo is None or memo.depth != found.shared):
        # Another thread has changed the conversation in the meantime.
        return find_base(request, conversations, memory, allowed)
    if found is not None and memo is not None:
        saved = memo.requests if memo is not held else _saved_meanwhile(found, own, conversations)
        if saved > found.requests:
            # Another process or thread has saved a request since the search. It must not look like a branch.
            return find_base(request, conversations, memory, allowed)
    if found is None or memo is None:
        new = ConversationRecord(_name(request, ""), Ledger(), 0, 0, 0.0, b"")
        if memory is not None and allowed is not None:
            experience = recalled.experience or memory.experience(request.client)
            new = replace(new, learned=learn(experience, allowed))
        # Nobody can have given commands for a conversation that the memory does not know.
        return Base(new, "", 0, None, links, 0, commands=memory is None)
    shared = min(found.shared, memo.depth)
    if shared < memo.depth:
        name = _name(request, f"{memo.id} {memo.requests}")
        requests = min(memo.requests, shared // 2)
        ledger = memo.ledger.before(shared)
        told = memo.seen, memo.prompt
        left = ConversationRecord(name, ledger, shared, requests, *told, learned=memo.learned, life=memo.life)
        return Base(left, memo.id, memo.depth - shared, None, links, shared)
    sent = memo.depth if memory is None else _sent_before(request, memo.depth)
    conversation = conversations.continuing(request, memo)
    known = held if conversation is not None else None
    commands = next((one.commands for one in recalled.matches if one.id == memo.id), True)
    return Base(memo, memo.id, 0, conversation, links, sent, known, commands, follows)


def find_known(request: Request, conversations: Conversations, memory: Memory | None) -> Base:
    """Find the state that a side request builds on, such as a request for a summary.

    Some clients put the side request into an additional part of the newest message. Without that part, the message
    is as it was sent before.
    """
    base = find_base(request, conversations, memory)
    last = len(request) - 1
    for parts in range(1, _GAINED + 1) if base.left and base.memo.depth == last else ():
        load = request.load.before(last, parts)
        if load is None:
            break
        known = find_base(replace(request, load=load), conversations, memory)
        # The conversation may have continued behind that message with calls that only the agent layer has seen.
        if known.memo.depth == len(request):
            # The account does not include the tokens of these parts.
            return replace(known, memo=replace(known.memo, account=Account()))
    return base


def _likeliest(own: Sequence[Match], kept: Sequence[Match], request: Request) -> Match | None:
    """Return the conversation that a request most likely continues."""
    newest = {found.id: found for found in kept}
    deepest = max((found.shared for found in kept), default=0)
    for found in own:
        known = newest.get(found.id)
        if found.shared > deepest if known is None else found.requests >= known.requests:
            newest[found.id] = found
    if len(newest) < 2:
        return next(iter(newest.values()), None)
    return min(newest.values(), key=lambda found: (_kind(found, request), -found.shared, found.left))


def _is_next_step(found: Match, held: Conversation, request: Request) -> bool:
    """Whether a request adds one step of the model to the newest state that this process has saved."""
    if found.left or found.shared == len(request):
        return False
    is_saved = held.saved == held.memo.requests and held.memo.depth == found.shared
    return is_saved and _steps(request, found.shared, 2) <= 1


def _kind(found: Match, request: Request) -> int:
    """How a request follows a conversation: 0 for the next step, 1 for the same request again, 2 otherwise."""
    if found.left:
        return 2
    steps = _steps(request, found.shared, 2)
    return 2 if steps > 1 else 1 - steps


def _steps(request: Request, depth: int, most: int) -> int:
    """Count the answers of the model after the first `depth` messages, up to `most`."""
    steps, role = 0, ""
    for index in range(depth, len(request)):
        before, role = role, request.load(index).role
        steps += role == "assistant" != before
        if steps >= most:
            break
    return steps


def _sent_before(request: Request, depth: int) -> int:
    """Return how many messages were sent before.

    These are all messages before the newest answer of the model, and at least `depth`.
    """
    start = len(request)
    while start > depth and request.load(start - 1).role != "assistant":
        start -= 1
    while start > depth and request.load(start - 1).role == "assistant":
        start -= 1
    answered = any(request.load(index).role == "assistant" for index in range(depth, start))
    return start if answered else depth


def _newest(
    found: Match, conversations: Conversations, memory: Memory | None, recalled: Recalled
) -> tuple[ConversationRecord | None, ConversationRecord | None]:
    """Return the memo that the process holds of a conversation, and the newest memo.

    The memory has the newest memo if another process has saved more requests than this one.
    """
    held = conversations.named(found.id)
    known = held.memo if held is not None else None
    if held is not None and held.saved >= found.requests:
        return known, known
    if recalled.memo is not None and recalled.matches[0].id == found.id:
        return known, recalled.memo()
    return known, memory.load(found.id) if memory is not None else None


def _saved_meanwhile(found: Match, own: Sequence[Match], conversations: Conversations) -> int:
    """Return the saved requests of a conversation that this process holds; 0 if the search has not found it."""
    held = conversations.named(found.id)
    return held.saved if held is not None and any(one.id == found.id for one in own) else 0


def start_of_chain(format: str, owner: str) -> bytes:
    """Return the start of a hash chain. It differs by format and owner, so their conversations share no link."""
    return f"{format} {owner}".rstrip().encode()


def _links(request: Request, nearest: Conversation | None, shared: int) -> list[bytes]:
    known = nearest.links[:shared] if nearest is not None else []
    before = known[-1] if known else start_of_chain(request.read.format.name, request.owner)
    return known + chain((request.load.digest(i) for i in range(len(known), len(request))), before)


def _name(request: Request, parent: str) -> str:
    """Return the id of a new conversation, which is the same on every replica."""
    every = b"".join(request.load.digest(i) for i in range(len(request)))
    start = start_of_chain(request.read.format.name, request.owner)
    return blake2b(start + every + parent.encode(), digest_size=8).hexdigest()
