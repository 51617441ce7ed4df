"""What the tables about the context of a stored conversation count."""

from __future__ import annotations

from prunus.conversations.context import Context
from prunus.store.records import StoredSession


def context_note(session: StoredSession, context: Context) -> str:
    """Return a sentence for tables whose sum is not the size of the newest request; empty if it is.

    The size is the provider's count, and the tables are estimates. In a shadow run they count the pruned request,
    which was not sent.
    """
    total = sum(context.categories.values())
    if session.shadow and total:
        return f"Shadow: nothing was changed. The rows below are what pruning would leave, about {total:,} tokens."
    if not total or total == session.tokens_after:
        return ""
    return f"The rows below are estimates, {total:,} tokens together."
