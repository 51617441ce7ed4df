"""Builds the engine of a conversation from settings."""

from __future__ import annotations

from typing import Final

from prunus.clients.dialect import window_before_compaction
from prunus.conversations.conversation import Body, declares_tools
from prunus.engine import Engine
from prunus.providers import encode
from prunus.reuse.learning import Learned
from prunus.schedule.prices import Price
from prunus.settings import Settings

_MODELS: Final = 256
"""Models whose prices are cached."""


class Assembly:
    """The strategies, guards and tools that the settings name, shared by all engines that are built from them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._strategies = settings.active_strategies()
        self._guards = settings.active_guards()
        self._toolbox = settings.toolbox()
        self._pressure = settings.active_pressure()
        self._terms: dict[tuple[str, str], tuple[Price, int]] = {}
        self.counter = settings.counter()

    def terms(self, model: str, client: str) -> tuple[Price, int]:
        """Return the price of a model and the tokens that a request may have.

        The limit is the model's window, or the size at which its client compacts.
        """
        terms = self._terms.get((model, client))
        if terms is None:
            if len(self._terms) >= _MODELS:
                self._terms.clear()
            window = self._settings.window_of(model)
            if not self._settings.window:
                window = window_before_compaction(client, window)
            terms = self._terms[model, client] = self._settings.price_of(model), window
        return terms

    def engine(self, body: Body, learned: Learned) -> Engine:
        """Return an engine for a new conversation, with what earlier conversations of its agent have taught."""
        tags, own_ids = shows_ids(self._settings, body), self._settings.agent.own_ids
        return self._engine(body, learned, tags=tags, own_ids=own_ids, reminders=True)

    def inspector(self, body: Body, *, tags: bool = False) -> Engine:
        """Return an engine that only inspects a request, and adds no reminder for the model."""
        return self._engine(body, Learned(), tags=tags, own_ids=True, reminders=False)

    def _engine(self, body: Body, learned: Learned, *, tags: bool, own_ids: bool, reminders: bool) -> Engine:
        return Engine(
            body.format.name,
            () if body.closed else tuple(one for one in self._strategies if one.name not in learned.stepped_back),
            self._guards,
            self._toolbox,
            self.counter,
            tags=tags,
            declared=declares_tools(body),
            own_ids=own_ids,
            words=self._settings.words,
            offsets=learned.offsets,
            reminders=self._settings.active_reminders() if reminders else None,
            pressure=self._pressure if reminders else None,
            notification=self._settings.notification,
        )


def shows_ids(settings: Settings, body: Body) -> bool:
    """Whether the model of a request can name parts by their ids.

    A client may offer the tool in a later request. A tool that the proxy adds is there from the first request on.
    """
    offer = settings.agent.offer
    if offer != "hidden":
        return offer != "off"
    tools = body.prompt.get("tools", b"")
    return b"context_prune" in (tools if isinstance(tools, bytes) else encode(tools))
