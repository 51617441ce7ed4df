from prunus.report.sums import Sums
from prunus.store import Exchange

ONE = Exchange("c", 1, 0.0, tokens_before=5_000, tokens_after=4_000, cost=900.0, cost_unpruned=1_000.0)


def test_one_line_says_tokens_and_cost() -> None:
    line = Sums().add(ONE).add(ONE).line(shadow=False)
    assert line == "Prunus left out 2K of 10K tokens in 2 requests; input cost 1.8K, 2K without pruning (10% below)"


def test_shadow_is_said_first() -> None:
    line = Sums().add(ONE).line(shadow=True)
    assert line.startswith("Shadow, nothing was changed: Prunus would have left out 1K of 5K tokens in 1 request")


def test_a_loss_is_said_as_one() -> None:
    sums = Sums(3, 1_000, 1_100, 150.0, 100.0)
    assert "added 100 to 1K tokens" in sums.line(shadow=False)
    assert "(50% above)" in sums.line(shadow=False)


def test_without_prices_there_is_no_cost() -> None:
    assert "cost" not in Sums(1, 10, 5).line(shadow=False)
