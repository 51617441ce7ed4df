"""The cost of the exchanges of one tenant, with and without pruning."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from prunus.outcome import Continuation, Outcome
from prunus.providers.usage import total_usage
from prunus.proxy.calibration import Weight
from prunus.proxy.counterfactual import Accounts, SentRequest, charge
from prunus.proxy.exchange import PrunedRequest
from prunus.proxy.misses import Miss, miss_of
from prunus.schedule.ledger import Flush
from prunus.schedule.prices import Price, with_ttl
from prunus.settings import Settings
from prunus.store.records import Exchange, Usage, cuts_of

_MODELS: Final = 256
"""Models whose prices are kept at hand."""
_SESSIONS: Final = 4096


class Bills:
    """Settles exchanges once they are over."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._accounts = Accounts()
        self._prices: dict[str, Price] = {}
        self._sessions: OrderedDict[tuple[str, str, bytes], None] = OrderedDict()
        """The callers, sessions and prompts of the newest requests."""

    def settle(self, pruned: PrunedRequest, status: int, usages: Sequence[Usage], ms: float) -> Exchange:
        """The exchange with its costs, once its answer is complete or has broken off.

        There is one usage for each call of the model: those behind the first are the agent layer's own.
        """
        exchange = replace(pruned.exchange, cuts=cuts_of(pruned.all_receipts))
        envelope, outcome = pruned.envelope, pruned.outcome
        if not 200 <= status < 300:
            if not envelope.hold:
                self._accounts.skip(exchange.conversation, exchange.request)
            return replace(exchange, status=status, ms=ms, tokens_before=0, tokens_after=0)
        made = sum(receipt.edit.saved for receipt in pruned.receipts if not receipt.passed)
        sent = SentRequest(
            exchange.conversation,
            exchange.model,
            exchange.request,
            exchange.time,
            envelope.prompt,
            Weight(exchange.tokens_before, pruned.size),
            Weight(exchange.tokens_after, len(outcome.body)),
            Weight(made, round(made * (pruned.given - len(outcome.body)) / max(1, outcome.report.saved))),
            exchange.flush,
            usages,
            exchange.shadow,
            newest=pruned.newest,
            breaks=tuple(call.flush for call in pruned.further),
            aside=bool(envelope.hold),
            whole=bool(envelope.hold) and not outcome.edits,
        )
        given = outcome.lifetime if not exchange.shadow else ""
        asked = self.price(exchange.model, envelope.lifetime)
        price = self.price(exchange.model, given or envelope.lifetime)
        miss = self._miss(pruned, sent, outcome, price.ttl)
        costs = self._accounts.settle(sent, price, asked)
        return replace(
            exchange,
            status=status,
            ms=ms,
            usage=total_usage(usages) if usages else None,
            tokens_before=round(costs.tokens_unpruned),
            tokens_after=round(costs.tokens),
            cost=costs.cost,
            cost_unpruned=costs.unpruned,
            cost_of_break=costs.of_break,
            flush=_joined([exchange.flush, *sent.breaks]),
            missed=miss.tokens,
            missed_for=miss.reason,
        )

    def _miss(self, pruned: PrunedRequest, sent: SentRequest, outcome: Outcome[bytes], ttl: float) -> Miss:
        """What the request missed in the provider's cache; asked before the request itself is remembered."""
        held, idle = self._accounts.held(sent.conversation, sent.time)
        # A request on the side, such as one for a summary, has a prompt of its own.
        continues = Continuation(sent.conversation, changed=True) if sent.aside else outcome.continues
        if idle is not None:
            continues = replace(continues, gap=idle)
        cut = None
        if sent.flush is not None and not sent.shadow:
            billed = sent.usages[0].prompt if sent.usages else 0
            cut = sent.flush.saved * billed / max(1, outcome.report.tokens_after)
        return miss_of(sent.usages, held, continues, ttl, cut=cut, compacted=self._began_anew(pruned, sent.prompt))

    def _began_anew(self, pruned: PrunedRequest, prompt: bytes) -> bool:
        """Whether the client has sent requests of this session before, with the same prompt."""
        request = pruned.arrived.request
        if not request.session:
            return False
        session = request.caller, request.session, prompt
        known = session in self._sessions
        self._sessions[session] = None
        self._sessions.move_to_end(session)
        if len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return known

    def settle_keep_alive(self, exchange: Exchange, price: Price, usage: Usage | None) -> Exchange:
        """A keep-alive request with its cost; nobody would have sent it without Prunus."""
        if usage is None:
            return exchange
        self._accounts.refresh(exchange.conversation, exchange.time)
        return replace(exchange, usage=usage, tokens_after=usage.prompt, cost=charge(usage, price))

    def price(self, model: str, lifetime: str | None) -> Price:
        """The price of a model with a lifetime of the cache."""
        if model not in self._prices:
            if len(self._prices) >= _MODELS:
                self._prices.clear()
            self._prices[model] = self._settings.price_of(model)
        return with_ttl(self._prices[model], lifetime)


def _joined(flushes: Sequence[Flush | None]) -> Flush | None:
    """The breaks of all calls of one turn as one."""
    made = [flush for flush in flushes if flush is not None]
    if len(made) < 2:
        return made[0] if made else None
    saved, rewritten = sum(flush.saved for flush in made), sum(flush.rewritten for flush in made)
    return replace(made[0], cut=min(flush.cut for flush in made), saved=saved, rewritten=rewritten)
