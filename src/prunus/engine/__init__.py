"""Decides and makes the edits of one conversation, and renders the changed messages."""

from prunus.engine.engine import Engine
from prunus.engine.render import edits_taken_over, render_ledger

__all__ = ["Engine", "edits_taken_over", "render_ledger"]
