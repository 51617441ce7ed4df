import pytest

from prunus.cli.cautions import cautions
from prunus.settings import Settings


@pytest.mark.parametrize("preset", ["acp", "smart"])
def test_edits_at_once_are_said_to_be_dear(preset: str) -> None:
    dear, better = cautions(Settings(preset=preset))
    assert "costs more than no pruning" in dear
    assert f"--preset {preset} --schedule cache" in better
    assert "--preset auto" in better


def test_auto_at_once_is_told_its_own_schedule() -> None:
    _, better = cautions(Settings(schedule="eager"))
    assert better == "better: --preset auto --schedule cache makes the same edits when they pay"


@pytest.mark.parametrize(
    "values", [{}, {"preset": "acp", "schedule": "cache"}, {"preset": "off", "schedule": "eager"}]
)
def test_nothing_is_said_of_what_pays(values: dict[str, str]) -> None:
    assert cautions(Settings(**values)) == ()
