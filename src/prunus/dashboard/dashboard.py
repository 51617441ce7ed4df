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
    return _found(request, sources) or problem(404, _MISSING)


def _found(request: PageRequest, sources: Sources) -> PageAnswer | None:
    match request.method, [unquote(step) for step in request.path.strip("/").split("/")]:
        case "POST", ["receipts", id, place, "restore"]:
            return restore(id, place, request, sources)
        case "POST", _:
            return None
        case _, [""]:
            return overview_page(request, sources)
        case _, ["conversations"]:
            return conversations_page(request, sources)
        case _, ["conversations", id]:
            return conversation_page(id, request, sources)
        case _, ["receipts"]:
            return receipts_page(request, sources)
        case _, ["receipts", id, place]:
            return receipt_page(id, place, request, sources)
        case _, ["strategies"]:
            return strategies_page(request, sources)
        case _, ["settings"]:
            return settings_page(sources)
        case _, ["static", name] if (file := static_file(name)) is not None:
            return PageAnswer(200, file[1], file[0], (_FOR_EVER,))
    return None
