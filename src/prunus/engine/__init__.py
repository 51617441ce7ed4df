"""The edits of one conversation: what could go, what is made, and the bytes that follow."""

from prunus.engine.engine import Engine
from prunus.engine.render import edits_taken_over, render_ledger

__all__ = ["Engine", "edits_taken_over", "render_ledger"]
