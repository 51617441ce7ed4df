"""What the store knows of the conversation that a request belongs to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from prunus.conversation import Loader
from prunus.formats import frame
from prunus.memory import Memory, chain
from prunus.report.stats import stats_box
from prunus.store.records import Totals

__all__ = ["Archive", "statistics"]


@runtime_checkable
class Archive(Protocol):
    """Where finished exchanges are counted; a store is one."""

    def memory(self, tenant: str) -> Memory: ...

    def totals(self, tenant: str, conversation: str = "") -> Totals: ...


def statistics(archive: Archive, tenant: str, body: bytes, format: str) -> str:
    """The statistics box of a conversation, by the messages that it was seen with; empty where nothing is known."""
    cut = frame(body, format)
    load = Loader(cut)
    links = chain((load.digest(i) for i in range(len(cut))), cut.format.name.encode())
    found = archive.memory(tenant).find(links)
    ever = archive.totals(tenant)
    if not found or not ever.requests:
        return ""
    return stats_box(archive.totals(tenant, found[0].id), ever, found[0].id)
