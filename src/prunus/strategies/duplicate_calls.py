from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from prunus.edits import Edit
from prunus.strategies.cut import cut, replaceable
from prunus.view import Use, View

__all__ = ["DuplicateCalls"]


@dataclass(frozen=True, slots=True)
class DuplicateCalls:
    """An older call with the same tool and the same arguments.

    The newest answer is the one that counts. Key order does not matter; a call that failed, and an answer that
    only points back to an earlier one, replace nothing. After a `cd`, the same shell command is another one.

    Not for tools whose every call returns the next piece of one long output.
    """

    name: ClassVar[str] = "duplicate_calls"
    seed: ClassVar[str] = "hash supersede"
    icon: ClassVar[str] = "🔄"

    except_tools: tuple[str, ...] = ("write_stdin", "BashOutput", "TaskOutput", "read_bash", "bash_output")
    """Tools that answer the same question with the next piece of an output."""

    def groups(self, use: Use) -> Iterable[Hashable]:
        if use.signature and use.ok and use.tool not in self.except_tools:
            yield use.signature, use.epoch

    def propose(self, use: Use, earlier: Sequence[Use], group: Hashable, view: View) -> Iterator[Edit]:
        if not use.visible:
            return
        for old in replaceable(earlier, view, lambda old: old.visible):
            yield cut(self.name, old, use, "the same call was made again later")
