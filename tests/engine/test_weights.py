"""The tokens of proposals, and the outlines that are made only when somebody wants to know them."""

from __future__ import annotations

from prunus import Settings
from prunus.edits import Continued, Outlined, Proposal, Shorter
from prunus.engine.board import Board
from prunus.engine.weights import with_tokens
from prunus.history import Call, Message, Ref, Result
from prunus.notes import is_shortened
from prunus.view.uses import Use
from prunus.view.view import View

RESULT = Ref(1, 0)
LOG = "\n".join(f"step {number} of the build went well" for number in range(200))


def looked_at() -> tuple[View, Board]:
    """One command that printed a log."""
    settings = Settings()
    view = View(settings.toolbox(), settings.counter())
    call = Call("t", "Bash", {"command": "make"}, '{"command":"make"}')
    messages = [Message("assistant", (call,)), Message("user", (Result("t", LOG),))]
    view.look_at(messages.__getitem__)
    for message in messages:
        for event in view.extend(message):
            assert isinstance(event, Use)
            view.admit(event)
    return view, Board(view, settings.active_strategies())


def test_an_outline_is_made_when_its_proposal_is_weighed() -> None:
    _, board = looked_at()
    board.take(Proposal(RESULT, Outlined(0.1, " and more"), "finished_results", ""))
    cell = board[RESULT]
    (rank,) = cell.options
    assert isinstance(cell.options[rank].replacement, Outlined)
    weighed = board.option(cell, rank)
    assert isinstance(weighed.replacement, Shorter)
    assert is_shortened(weighed.replacement.text.removesuffix(" and more")) and weighed.saved > 0
    assert board.option(cell, rank) is weighed


def test_a_continued_result_counts_with_both_texts() -> None:
    view, _ = looked_at()
    continued, whole = (
        with_tokens(Proposal(RESULT, replacement, "folded_views", ""), view)
        for replacement in (Continued("\n\nmore"), Shorter(f"{LOG}\n\nmore"))
    )
    assert (continued.tokens_before, continued.tokens_after) == (whole.tokens_before, whole.tokens_after)
