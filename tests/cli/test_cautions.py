import pytest

from prunus.cli.cautions import cautions
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
