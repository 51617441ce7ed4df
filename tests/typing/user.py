"""What a type checker knows of the library; `tests/test_public.py` runs mypy on this program."""

from typing import Any, TypedDict, assert_type

import prunus
from prunus import Edit, Flush, Outcome, Pruner, Receipt, Refusal, Report


class Request(TypedDict):
    """A body that a program has typed itself."""

    model: str
    messages: list[dict[str, Any]]


REQUEST: Request = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello."}]}

assert_type(prunus.prune(b"{}"), Outcome[bytes])
assert_type(prunus.prune(b"{}").body, bytes)
assert_type(prunus.prune("{}").body, str)
assert_type(prunus.prune(REQUEST).body, Request)
assert_type(Pruner().prune(REQUEST["messages"], now=1.0).body, list[dict[str, Any]])

out = Pruner().prune(REQUEST)
assert_type(out.edits, tuple[Edit, ...])
assert_type(out.refusals, tuple[Refusal, ...])
assert_type(out.receipts, tuple[Receipt, ...])
assert_type(out.report, Report)
assert_type(out.flush, Flush | None)


def saved(outcome: Outcome[object]) -> int:
    """Takes the outcome of any body."""
    return outcome.report.saved


assert_type(saved(out), int)
