"""The tasks: each fails before the reference solution and passes after it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from prunus.ab.agent_run import passes
from prunus.ab.tasks import FOLDER, CodingTask, bundled, named_tasks, read_instances
from prunus.errors import SettingsError

TASKS = bundled()
every_task = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def files(task: CodingTask) -> Mapping[str, str]:
    """The repository of a bundled task."""
    assert isinstance(task.source, Mapping)
    return task.source


def test_twelve_tasks_are_bundled() -> None:
    assert len(TASKS) == 12


@every_task
def test_a_task_fails_before_and_passes_after(task: CodingTask, tmp_path: Path) -> None:
    work = tmp_path / "work"
    task.lay_out(work)
    [check] = task.checks
    assert not passes(check, work)
    for repair in task.repairs:
        path = work / repair.path
        text = path.read_text(encoding="utf-8")
        assert text.count(repair.wrong) == 1, repair
        path.write_text(text.replace(repair.wrong, repair.right), encoding="utf-8")
    task.restore(work)
    assert passes(check, work)


@every_task
def test_a_task_has_many_faults_in_many_files(task: CodingTask) -> None:
    assert len(task.repairs) >= 15
    assert len({repair.path for repair in task.repairs}) >= 7
    assert sum(name.startswith("tests/test_") for name in files(task)) >= 6
    assert "python3 -m unittest discover" in task.prompt


@every_task
def test_a_task_needs_the_standard_library_alone_and_tells_no_solution(task: CodingTask) -> None:
    [package] = {name.split("/")[0] for name in files(task) if name.endswith("/__init__.py")} - {"tests"}
    imported = {
        line.split()[1].partition(".")[0]
        for name, text in files(task).items()
        for line in text.splitlines()
        if name.endswith(".py") and line.startswith(("import ", "from "))
    }
    assert imported <= {*sys.stdlib_module_names, package, "tests"}
    assert {Path(name).suffix for name in files(task)} == {".md", ".py"}


def test_tests_that_were_changed_are_put_back(tmp_path: Path) -> None:
    task = TASKS[0]
    work = tmp_path / "work"
    task.lay_out(work)
    shutil.rmtree(work / "tests")
    (work / "tests").mkdir()
    task.restore(work)
    names = {path.relative_to(work).as_posix() for path in (work / "tests").iterdir()}
    assert names == {name for name in files(task) if name.startswith("tests/")}
    assert all((work / name).read_text(encoding="utf-8") == files(task)[name] for name in names)


def test_tasks_are_chosen_by_name() -> None:
    assert [task.name for task in named_tasks(TASKS, ["router", "ledger", "router"])] == ["router", "ledger"]
    assert named_tasks(TASKS, []) == TASKS
    with pytest.raises(SettingsError, match="no task nothing; there are cron"):
        named_tasks(TASKS, ["nothing"])


def test_every_file_is_a_task() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{task.name}.toml" for task in TASKS]


def instance(folder: Path, text: str) -> Path:
    (folder / "repo").mkdir(exist_ok=True)
    (folder / "some.json").write_text(text)
    return folder


def test_an_instance_in_the_shape_of_swe_bench(tmp_path: Path) -> None:
    given = (
        '[{"instance_id": "a/b 1", "repo_path": "repo", "problem_statement": "It fails.", '
        '"FAIL_TO_PASS": "[\\"t.py::one\\"]", "PASS_TO_PASS": ["t.py::two words"], "test_patch": "diff"}]'
    )
    [task] = read_instances(instance(tmp_path, given))
    assert task.name == "a-b-1"
    assert task.prompt.endswith("It fails.")
    assert task.checks == ("python3 -m pytest -q t.py::one 't.py::two words'",)
    assert task.test_patch == "diff"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "some.json"),
        ('{"instance_id": "a"}', "lacks repo_path, problem_statement"),
        ('{"instance_id": "a", "repo_path": "nowhere", "problem_statement": "x"}', "is no folder"),
        ('{"instance_id": "a", "repo_path": "repo", "problem_statement": "x"}', "names no test"),
        (
            '{"instance_id": "a", "repo_path": "repo", "problem_statement": "x", "FAIL_TO_PASS": 7}',
            "no list of tests",
        ),
    ],
)
def test_an_instance_that_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_instances(instance(tmp_path, text))


def test_a_folder_without_instances_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no \.json or \.jsonl file"):
        read_instances(tmp_path)
