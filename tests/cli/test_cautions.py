import pytest

from prunus.cli.proxy import cache_notes, cautions, no_cache_life
from prunus.settings import Settings


@pytest.mark.parametrize("preset", ["acp", "smart"])
def test_an_eager_schedule_gets_a_cost_warning(preset: str) -> None:
    dear, better = cautions(Settings(preset=preset))
    assert "costs more than no pruning" in dear
    assert f"--preset {preset} --schedule cache" in better
    assert "--preset auto" in better


def test_eager_auto_is_advised_to_use_the_cache_schedule() -> None:
    _, better = cautions(Settings(schedule="eager"))
    assert better == "better: --preset auto --schedule cache makes the same edits when they pay"


@pytest.mark.parametrize(
    "values", [{}, {"preset": "acp", "schedule": "cache"}, {"preset": "off", "schedule": "eager"}]
)
def test_schedules_that_pay_get_no_warning(values: dict[str, str]) -> None:
    assert cautions(Settings(**values)) == ()


def test_a_longer_life_of_the_cache_says_where_it_takes_effect() -> None:
    assert cache_notes(Settings()) == ()
    [note] = cache_notes(Settings(cache={"lifetime": "auto", "keep_alive": 1}))
    assert note.startswith("cache.lifetime and cache.keep_alive: takes effect only in the proxy")
    assert note.endswith("requests to anthropic")
    [note] = cache_notes(Settings(cache={"keep_alive": 1}, proxy={"shadow": True}))
    assert note == "cache.keep_alive: no effect in shadow mode, which changes no request"


def test_a_provider_without_lifetimes_says_that_the_setting_has_no_effect() -> None:
    longer = Settings(cache={"lifetime": "1h"})
    assert no_cache_life(Settings(), "openai") == ""
    assert no_cache_life(longer, "anthropic") == ""
    assert no_cache_life(longer, "gemini").startswith("cache.lifetime: no effect, the API of gemini")
