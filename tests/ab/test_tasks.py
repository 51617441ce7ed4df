"""The tasks: each fails before the reference solution and passes after it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from prunus.ab.agent_run import passes
from prunus.ab.instances import read_instances
from prunus.ab.tasks import FOLDER, CodingTask, bundled, chosen, repairs
from prunus.errors import SettingsError

TASKS = bundled()
every_task = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def test_there_are_twelve_coding_tasks() -> None:
    assert len(TASKS) == 12


@every_task
def test_a_task_fails_before_and_passes_after(task: CodingTask, tmp_path: Path) -> None:
    work = tmp_path / "work"
    task.lay_out(work)
    [check] = task.checks
    assert not passes(check, work)
    for repair in repairs(task.name):
        path = work / repair.path
        text = path.read_text(encoding="utf-8")
        assert text.count(repair.wrong) == 1, repair
        path.write_text(text.replace(repair.wrong, repair.right), encoding="utf-8")
    task.restore(work)
    assert passes(check, work)


@every_task
def test_a_task_is_long(task: CodingTask) -> None:
    assert len(repairs(task.name)) >= 15
    assert len({repair.path for repair in repairs(task.name)}) >= 7
    assert len(list((task.source / "tests").glob("test_*.py"))) >= 6
    assert "python3 -m unittest discover" in task.prompt


@every_task
def test_a_task_needs_the_standard_library_alone_and_tells_no_solution(task: CodingTask) -> None:
    package = next(path.parent.name for path in task.source.glob("*/__init__.py") if path.parent.name != "tests")
    imported = {
        line.split()[1].partition(".")[0]
        for path in task.source.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import ", "from "))
    }
    assert imported <= {*sys.stdlib_module_names, package, "tests"}
    assert not list(task.source.rglob("task.toml"))


def test_tests_that_were_changed_are_put_back(tmp_path: Path) -> None:
    task = TASKS[0]
    work = tmp_path / "work"
    task.lay_out(work)
    shutil.rmtree(work / "tests")
    (work / "tests").mkdir()
    task.restore(work)
    assert sorted(path.name for path in (work / "tests").iterdir()) == sorted(
        path.name for path in (task.source / "tests").iterdir() if path.name != "__pycache__"
    )


def test_tasks_are_chosen_by_name() -> None:
    assert [task.name for task in chosen(TASKS, ["router", "ledger", "router"])] == ["router", "ledger"]
    assert chosen(TASKS, []) == TASKS
    with pytest.raises(SettingsError, match="no task nothing; there are cron"):
        chosen(TASKS, ["nothing"])


def test_every_folder_is_a_task() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [task.name for task in TASKS]


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
