"""How many tokens a provider counts where we count one, learnt from its answers."""

from __future__ import annotations

from typing import Final

__all__ = ["Calibration"]

_MODELS: Final = 256
_WEIGHT: Final = 0.2
"""How much the newest answer counts."""
_RANGE: Final = (0.25, 4.0)
"""Outside of it the two did not count the same thing."""


class Calibration:
    """A running factor for each model."""

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def factor(self, model: str) -> float:
        """Provider's tokens for one of ours."""
        return self._factors.get(model, 1.0)

    def learn(self, model: str, counted: int, billed: int) -> float:
        """Take in one answer: what we counted, what the provider did. Gives the factor of this answer alone."""
        if counted <= 0 or billed <= 0 or not _RANGE[0] <= billed / counted <= _RANGE[1]:
            return self.factor(model)
        known = self._factors.pop(model, None)
        now = billed / counted
        self._factors[model] = now if known is None else known + _WEIGHT * (now - known)
        while len(self._factors) > _MODELS:
            del self._factors[next(iter(self._factors))]
        return now
