"""Every case of every page in this folder, in every format that can say it."""

from pathlib import Path

import pytest

from tests.strategies.notation import Case, page
from tests.strategies.run import check, formats_of
from tests.strategies.wire import FORMATS

PAGES = sorted(Path(__file__).parent.glob("*.md"))
CASES = [(path.stem, case) for path in PAGES for case in page(path)]


@pytest.mark.parametrize(
    ("strategy", "case", "format"),
    [
        pytest.param(strategy, case, format, id=f"{strategy}: {case.title} ({format})")
        for strategy, case in CASES
        for format in formats_of(case)
    ],
)
def test_case(strategy: str, case: Case, format: str) -> None:
    problems = check(case, strategy, format)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_titles_of_a_page_differ(path: Path) -> None:
    titles = [case.title for case in page(path)]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_runs_most_cases(format: str) -> None:
    assert sum(format in formats_of(case) for _, case in CASES) > len(CASES) / 2
