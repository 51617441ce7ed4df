"""Every listed strategy and guard is wired: documented, configurable, reported and tested."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, cast

import pytest

from prunus import guards, strategies
from prunus.report.funnel import effectiveness
from prunus.settings import Settings
from prunus.settings.describe import init_text
from prunus.settings.presets import PRESETS
from prunus.strategies.stale_reads import StaleReads
from prunus.tally import Tally
from tests.strategies.notation import page
from tests.strategies.run import footprint, formats_of

TESTS = Path(__file__).parent
STRATEGIES = [pytest.param(owner, id=owner.name) for owner in strategies.ALL]
GUARDS = [pytest.param(owner, id=owner.name) for owner in guards.ALL]


def fields(owner: type) -> list[str]:
    return [field.name for field in dataclasses.fields(cast(Any, owner))]


def path_of(owner: Any, folder: str) -> Path:
    return TESTS / folder / f"{owner.name}.md"


FIELDS = [
    pytest.param(owner, folder, field, id=f"{owner.name}.{field}")
    for all_, folder in ((strategies.ALL, "strategies"), (guards.ALL, "guards"))
    for owner in all_
    for field in fields(owner)
]


@pytest.mark.parametrize("owner", STRATEGIES)
def test_every_strategy_has_cases_that_change_and_cases_that_do_not(owner: Any) -> None:
    cases = page(path_of(owner, "strategies"))
    changing = [case for case in cases if any(e.fate in ("text", "keeps", "gone") for e in case.expected)]
    assert 0 < len(changing) < len(cases)


@pytest.mark.parametrize("owner", GUARDS)
def test_every_guard_has_cases(owner: Any) -> None:
    assert page(path_of(owner, "guards"))


@pytest.mark.parametrize("owner", [*GUARDS])
def test_every_guard_is_seen_to_refuse(owner: Any) -> None:
    cases = page(path_of(owner, "guards"))
    refused = any(e.fate == "guard" and e.words == owner.name for case in cases for e in case.expected)
    # What no strategy proposes is shown by a test of its own.
    tests = (TESTS / "guards" / "test_guards.py").read_text(encoding="utf-8")
    assert refused or f"{owner.__name__}().hold(" in tests


def test_every_page_of_cases_belongs_to_something() -> None:
    for folder, all_ in (("strategies", strategies.ALL), ("guards", guards.ALL)):
        names = {path.stem for path in (TESTS / folder).glob("*.md")}
        assert names == {owner.name for owner in all_}


@pytest.mark.parametrize(("owner", "folder", "field"), FIELDS)
def test_every_field_changes_the_outcome_of_a_case(owner: Any, folder: str, field: str) -> None:
    """Some case sets it, and comes out differently without it."""
    using = [case for case in page(path_of(owner, folder)) if field in case.settings]
    assert any(
        footprint(case, owner.name, format) != footprint(case, owner.name, format, leave_out=field)
        for case in using
        for format in formats_of(case)
    )


@pytest.mark.parametrize("owner", [*STRATEGIES, *GUARDS])
def test_every_docstring_is_a_page(owner: Any) -> None:
    text = inspect.getdoc(owner) or ""
    first, _, rest = text.partition("\n")
    assert first.endswith((".", ":")) and len(first) < 110
    if owner in strategies.ALL:
        assert rest.startswith("\n") and len(rest.split()) > 15


@pytest.mark.parametrize(("owner", "folder", "field"), FIELDS)
def test_every_field_is_described_and_can_be_set(owner: Any, folder: str, field: str) -> None:
    section = getattr(getattr(Settings(), folder), owner.name)
    assert hasattr(section, field)
    assert Settings.schema()["$defs"][owner.__name__]["properties"][field]["description"]
    assert f"{folder}.{owner.name}.{field} = " in init_text()


@pytest.mark.parametrize("owner", STRATEGIES)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_says_whether_a_strategy_runs(owner: Any, preset: str) -> None:
    section = getattr(Settings.preset(preset).strategies, owner.name)
    assert section.enabled is (owner.name in PRESETS[preset])


@pytest.mark.parametrize("owner", STRATEGIES)
def test_every_strategy_can_be_switched_on_alone(owner: Any) -> None:
    settings = Settings(preset="off", strategies={owner.name: {"enabled": True}})
    assert [type(strategy) for strategy in settings.active_strategies()] == [owner]


def test_the_fourteen_cases_of_the_supersede_reads_proposal_are_there() -> None:
    text = path_of(StaleReads, "strategies").read_text(encoding="utf-8")
    assert len(set(re.findall(r"\(PR #451: .+?\)", text))) == 14


def test_presets_name_only_existing_strategies_and_fields() -> None:
    for preset in PRESETS.values():
        for name, values in preset.items():
            owner = strategies.strategy_named(name)
            assert owner is not None and set(values) <= set(fields(owner))


def test_names_of_strategies_are_those_of_their_files_and_names_of_guards_those_of_their_classes() -> None:
    for strategy in strategies.ALL:
        assert strategy.__module__.rpartition(".")[2] == strategy.name
    for guard in guards.ALL:
        assert re.sub(r"(?<!^)(?=[A-Z])", "_", guard.__name__).lower() == guard.name


@pytest.mark.parametrize("owner", STRATEGIES)
def test_every_strategy_has_a_row_in_the_report(owner: Any) -> None:
    rows = effectiveness({owner.name: Tally(2, 500)}).splitlines()
    assert any(owner.name in row and "2 prunes" in row for row in rows)
