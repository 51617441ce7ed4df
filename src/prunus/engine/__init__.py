"""The edits of one conversation: what could go, what is in force, and the bytes that follow."""

from prunus.engine.engine import Engine
from prunus.engine.from_ledger import edits_in_force, render_ledger
from prunus.engine.status import Notification, status
from prunus.engine.tally import Tally, category_of

__all__ = ["Engine", "Notification", "Tally", "category_of", "edits_in_force", "render_ledger", "status"]
