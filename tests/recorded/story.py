"""One piece of work, told once: what the person says, which tools the agent calls, and what they answer.

The writers tell it in the words of each agent. It has what recorded sessions have: files read, edited and read
again, the same command twice, an error and its retry, long logs, parallel calls, todos, a long break.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

__all__ = ["BREAK", "STORY", "Call", "Step", "clock", "iso"]

_START: Final = 1_767_225_600
_BREAK: Final = 3_600


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: `read`, `edit`, `write`, `shell`, `search` or `todo`, of a path, command, pattern or plan."""

    kind: str
    target: str
    output: str
    old: str = ""
    new: str = ""
    failed: bool = False


Step = str | tuple[Call, ...]
"""What the person says, or the calls of one answer."""


def _source(name: str, lines: int = 90, changed: str = "") -> str:
    """A module of a little shop."""
    made = [f'"""The {name} of the shop."""', "", f"TAX_{name.upper()} = {changed or '0.19'}", ""]
    for number in range(lines // 4):
        made += [
            f"def {name}_step_{number}(basket, customer_{number}):",
            f"    total = basket.sum_of_{name}(customer_{number}) * {number + 3}",
            f"    return round(total + TAX_{name.upper()}, {number % 3})",
            "",
        ]
    return "\n".join(made)


def _log(test: str, lines: int = 160, verdict: str = "all passed") -> str:
    shown = [
        f"tests/test_{test}.py::test_case_{n:03} PASSED in 0.0{n % 9}s on worker-{n % 4}" for n in range(lines)
    ]
    return "\n".join([*shown, f"===== {verdict} ====="])


def _read(name: str, changed: str = "") -> Call:
    return Call("read", f"/shop/src/{name}.py", _source(name, changed=changed))


def _edit(name: str, old: str, new: str) -> Call:
    line = f"TAX_{name.upper()} = "
    return Call("edit", f"/shop/src/{name}.py", f"Updated /shop/src/{name}.py", line + old, line + new)


def _ran(command: str, output: str, failed: bool = False) -> tuple[Call]:
    return (Call("shell", command, output, failed=failed),)


_BROKEN: Final = "Traceback (most recent call last):\n  File '/shop/src/basket.py', line 3\nNameError: TAX_BASKET"

STORY: Final[Sequence[Step]] = (
    "The tax in the shop is wrong everywhere. Put it right and keep the tests green.",
    (Call("todo", "find the tax; change it; test", "Todos have been modified"),),
    _ran("ls src", "basket.py\norders.py\ninvoices.py\nmail.py"),
    (_read("basket"), _read("orders")),
    (Call("search", "TAX_", "\n".join(f"src/{n}.py:3:TAX_{n.upper()} = 0.19" for n in ("basket", "orders"))),),
    (_edit("basket", "0.19", "0.21"),),
    _ran("pytest tests/test_basket.py", _log("basket", verdict="1 failed") + "\n" + _BROKEN, failed=True),
    (_read("basket", "0.21"),),
    (_edit("basket", "0.21", "0.2"),),
    _ran("pytest tests/test_basket.py", _log("basket")),
    (_read("basket", "0.2"),),
    (_edit("orders", "0.19", "0.2"), _read("invoices")),
    _ran("pytest", _log("everything", 400)),
    "Good. Now the invoices, and write down what you changed.",
    (Call("todo", "invoices; notes", "Todos have been modified"),),
    (_read("invoices"),),
    (_edit("invoices", "0.19", "0.2"),),
    _ran("pytest tests/test_invoices.py", _log("invoices")),
    _ran("git status", " M src/basket.py\n M src/orders.py\n M src/invoices.py"),
    (Call("write", "/shop/NOTES.md", "Created /shop/NOTES.md", new=_source("notes", 60)),),
    _ran("git status", " M src/basket.py\n M src/orders.py\n M src/invoices.py\n?? NOTES.md"),
    (_read("mail"), _read("orders", "0.2")),
    _ran("pytest", _log("everything", 400)),
    (_edit("mail", "0.19", "0.2"),),
    _ran("pytest tests/test_mail.py", _log("mail")),
    "And is there anything left?",
    (Call("search", "0.19", "no matches"),),
    _ran("pytest", _log("everything", 400)),
)

BREAK: Final = 13
"""The step before which the person had lunch."""


def clock(step: int) -> int:
    """Unix time of a step."""
    return _START + 20 * step + (_BREAK if step >= BREAK else 0)


def iso(step: int, seconds: int = 0) -> str:
    """The same as agents write it."""
    return datetime.fromtimestamp(clock(step) + seconds, UTC).isoformat().replace("+00:00", "Z")
