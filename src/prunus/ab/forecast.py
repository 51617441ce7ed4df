"""What a trial may cost, said before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from prunus.ab.meter import OwnTariffs
from prunus.ab.results import RunResult
from prunus.providers.usage import Usage
from prunus.schedule.dollars import tariff_of

TYPICAL: Final = Usage(input=0, cache_read=2_200_000, cache_write=130_000, output=24_000)
"""The mean of the 44 dev sessions with 30 to 90 requests (56 on average), without pruning.

Cached and written tokens at 0.1/1.25 with the recorded times; output is what stands in the history, so that hidden
reasoning is missing.
"""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the remaining runs may cost."""

    runs: int
    each: float | None
    """Dollars for one run; None if the model has no price, or is the agent's own choice."""
    measured: int
    """The number of finished runs that the forecast rests on; 0 if it rests on recorded sessions."""

    @property
    def dollars(self) -> float | None:
        """Dollars for all remaining runs."""
        return None if self.each is None else self.runs * self.each


def forecast(remaining: int, results: Sequence[RunResult], model: str, own: OwnTariffs = ()) -> Forecast:
    """What the remaining runs may cost: as much as the finished ones, or as recorded sessions of that length."""
    if results:
        return Forecast(remaining, sum(run.dollars for run in results) / len(results), len(results))
    tariff = tariff_of(model, own) if model else None
    return Forecast(remaining, None if tariff is None else tariff.dollars(TYPICAL), 0)
