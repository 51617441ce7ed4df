"""The edits of one conversation: what could go, what is in force, and the bytes that follow."""

from prunus.engine.engine import Engine
from prunus.engine.from_ledger import edits_in_force, render_ledger
from prunus.tally import Tally, status

__all__ = ["Engine", "Tally", "edits_in_force", "render_ledger", "status"]
