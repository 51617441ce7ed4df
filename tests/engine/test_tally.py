"""Cuts are counted by the category of the part, whichever strategy made them."""

from typing import Any

from prunus import Pruner, Settings


def test_reasoning_that_goes_under_pressure_counts_as_thinking() -> None:
    settings = Settings(
        preset="off",
        schedule="eager",
        window=1_000,
        strategies={"under_pressure": {"enabled": True, "thinking": True}},
    )
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go on."}]
    for turn in range(8):
        thought = {"type": "thinking", "thinking": f"I wonder about {turn}. " * 60, "signature": "s"}
        messages += [
            {"role": "assistant", "content": [thought, {"type": "text", "text": f"Step {turn} is done."}]},
            {"role": "user", "content": f"And step {turn + 1}?"},
        ]
    report = Pruner(settings).prune({"model": "claude-sonnet-4-5", "messages": messages}).report
    assert report.categories["thinking"].count > 0
    assert "messages" not in report.categories
