"""Learns from a provider's answers how it counts tokens.

Prunus estimates the tokens of texts. A provider counts them in its own way, and also counts the JSON around the
texts. Two consecutive requests of a conversation differ by some of our estimated tokens, some bytes, and some of
the provider's tokens. From such differences we learn what the provider counts for an estimated token and for a
byte. The two rates then estimate the provider's count for text that was never sent.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

_MODELS: Final = 256
_FADE: Final = 0.97
"""The share of an answer's influence that is left when the next answer comes."""
_FIRST: Final = 0.001
"""The influence of a whole request: most of it is system text and tools, which are never cut."""
_SMALL: Final = 300
"""Tokens below which a difference says little about texts, and more about what stands around them."""
_DOUBT: Final = 0.0001
"""How strongly the two rates are drawn to an equal share each, for where nothing tells them apart."""
_RANGE: Final = (0.25, 4.0)
"""The provider's tokens for one of ours; outside of this range the two did not count the same text."""


@dataclass(frozen=True, slots=True)
class Weight:
    """The estimated size of a request."""

    tokens: float
    """By our estimate."""
    size: int
    """In bytes."""

    def __sub__(self, other: Weight) -> Weight:
        return Weight(self.tokens - other.tokens, self.size - other.size)


NOTHING: Final = Weight(0, 0)


@dataclass(frozen=True, slots=True)
class Rates:
    """The provider's tokens for one estimated token, and for one byte."""

    token: float = 1.0
    byte: float = 0.0

    def measure(self, weight: Weight) -> float:
        """The provider's tokens of a request, or of the difference of two."""
        return self.token * weight.tokens + self.byte * weight.size


@dataclass(slots=True)
class _Fit:
    """The sums of products for a least-squares fit of t tokens and s bytes to b billed tokens."""

    tt: float = 0.0
    ts: float = 0.0
    ss: float = 0.0
    tb: float = 0.0
    sb: float = 0.0

    def add(self, weight: Weight, billed: float, influence: float) -> None:
        # Errors grow with the text, so that each difference counts by its relative error.
        influence /= (abs(weight.tokens) + _SMALL) ** 2
        tokens, size = weight.tokens, float(weight.size)
        self.tt = self.tt * _FADE + influence * tokens * tokens
        self.ts = self.ts * _FADE + influence * tokens * size
        self.ss = self.ss * _FADE + influence * size * size
        self.tb = self.tb * _FADE + influence * tokens * billed
        self.sb = self.sb * _FADE + influence * size * billed

    def rates(self) -> Rates:
        """The rates that fit best, none of them below zero."""
        by_token = self.tb / self.tt
        if not self.ss:
            return Rates(by_token)
        by_byte = self.sb / self.ss
        tt, ss = self.tt * (1 + _DOUBT), self.ss * (1 + _DOUBT)
        tb, sb = self.tb + _DOUBT * self.tt * by_token / 2, self.sb + _DOUBT * self.ss * by_byte / 2
        whole = tt * ss - self.ts * self.ts
        token, byte = (tb * ss - sb * self.ts) / whole, (sb * tt - tb * self.ts) / whole
        if byte < 0:
            return Rates(by_token)
        return Rates(token, byte) if token >= 0 else Rates(0.0, by_byte)


class Calibration:
    """The rates of each model."""

    def __init__(self) -> None:
        self._fits: OrderedDict[str, _Fit] = OrderedDict()

    def rates(self, model: str) -> Rates:
        """Return the rates of a model's provider, as far as they are known."""
        fit = self._fits.get(model)
        return Rates() if fit is None else fit.rates()

    def learn(self, model: str, weight: Weight, billed: float, *, whole: bool = False) -> None:
        """Take in what the provider counted for the difference of two requests, or for a whole one."""
        if not weight.tokens or not _RANGE[0] <= billed / weight.tokens <= _RANGE[1]:
            return
        fit = self._fits.pop(model, None) or _Fit()
        fit.add(weight, billed, _FIRST if whole else 1.0)
        self._fits[model] = fit
        while len(self._fits) > _MODELS:
            self._fits.popitem(last=False)
