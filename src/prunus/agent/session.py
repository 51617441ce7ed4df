"""What the store knows of the conversation that a request belongs to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from prunus.context import Context
from prunus.conversation import Loader
from prunus.memory import Memory, chain
from prunus.providers import frame
from prunus.report.funnel import funnel_of_all
from prunus.report.stats import stats_box
from prunus.store.records import Totals

__all__ = ["Archive", "statistics"]


@runtime_checkable
class Archive(Protocol):
    """Where finished exchanges are counted; a store is one."""

    def memory(self, tenant: str) -> Memory: ...

    def totals(self, tenant: str, conversation: str) -> Totals: ...

    def contexts(self, tenant: str, conversation: str) -> list[Context]: ...


def statistics(archive: Archive, tenant: str, body: bytes, format: str) -> str:
    """The statistics box of a conversation, by the messages that it was seen with; empty where nothing is known.

    It tells of no other conversation: those who use one tenant may be different people with different keys.
    """
    cut = frame(body, format)
    load = Loader(cut)
    links = chain((load.digest(i) for i in range(len(cut))), cut.format.name.encode())
    known = archive.memory(tenant).find(links)
    totals = archive.totals(tenant, known[0].id) if known else Totals()
    if not totals.requests:
        return ""
    return stats_box(totals, None, known[0].id, funnel=funnel_of_all(archive.contexts(tenant, known[0].id)))
