"""From an address to a page."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

from prunus.dashboard.conversations import conversation_page, conversations_page
from prunus.dashboard.overview import overview_page
from prunus.dashboard.page import PageAnswer, PageRequest, Sources, problem, static_file
from prunus.dashboard.receipts import receipt_page, receipts_page, restore
from prunus.dashboard.setup_pages import settings_page, strategies_page

_FOR_EVER: Final = (b"cache-control", b"max-age=31536000, immutable")
_MISSING: Final = "There is no such page. The address may be of a conversation that is not stored any more."


def answer(request: PageRequest, sources: Sources) -> PageAnswer:
    """Return the page of a request; reading the store may take a while."""
    steps = [unquote(step) for step in request.path.strip("/").split("/")]
    found = _changed(request, steps, sources) if request.method == "POST" else _found(request, steps, sources)
    return found if found is not None else problem(404, _MISSING)


def _found(request: PageRequest, steps: list[str], sources: Sources) -> PageAnswer | None:
    match steps:
        case [""]:
            return overview_page(request, sources)
        case ["conversations"]:
            return conversations_page(request, sources)
        case ["conversations", id]:
            return conversation_page(id, request, sources)
        case ["receipts"]:
            return receipts_page(request, sources)
        case ["receipts", id, place]:
            return receipt_page(id, place, request, sources)
        case ["strategies"]:
            return strategies_page(request, sources)
        case ["settings"]:
            return settings_page(sources)
        case ["static", name]:
            file = static_file(name)
            return None if file is None else PageAnswer(200, file[1], file[0], (_FOR_EVER,))
    return None


def _changed(request: PageRequest, steps: list[str], sources: Sources) -> PageAnswer | None:
    match steps:
        case ["receipts", id, place, "restore"]:
            return restore(id, place, request, sources)
    return None
