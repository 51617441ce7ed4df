"""The walks in CONTRIBUTING.md, followed on a copy of the project: their steps are enough, and none is missing."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
STEP = re.compile(
    r"^\*\*\d+\. .*?`(?P<path>(?:src|tests)/[^`]+)`.*?"
    r"^(?P<fence>`{3,4})(?P<kind>python|diff|markdown)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
NUMBERS = {"Two": 2, "Three": 3, "Four": 4, "Five": 5}


@dataclass(frozen=True)
class Step:
    """One step of a walk: a new file, or lines to add to a file."""

    path: str
    kind: str
    text: str

    def follow(self, root: Path) -> None:
        target = root / self.path
        if self.kind != "diff":
            assert not target.exists(), f"{self.path} exists already"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text, encoding="utf-8")
            return
        below, *added = self.text.splitlines(keepends=True)
        known = target.read_text(encoding="utf-8")
        assert known.count(f"\n{below[1:]}") == 1, f"{self.path} has no line {below[1:]!r}, or several"
        assert all(line.startswith("+") for line in added)
        more = "".join(line[1:] for line in added)
        target.write_text(known.replace(f"\n{below[1:]}", f"\n{below[1:]}{more}"), encoding="utf-8")


def walk(title: str) -> tuple[int, list[Step]]:
    """How many places a walk promises to change, and its steps."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.split(r"\n## (?=Adding|Style)", page.partition(f"## {title}\n")[2])[0]
    promised = re.search(r"(Two|Three|Four|Five) places\s+change", section, re.IGNORECASE)
    assert promised, f"{title}: how many places change?"
    steps = [Step(found["path"], found["kind"], found["text"]) for found in STEP.finditer(section)]
    return NUMBERS[promised[1].capitalize()], steps


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project without what no walk needs."""
    for name in ("src", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "e2e", "recorded", "*.gz")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def run(root: Path, *arguments: str) -> str:
    """What a Python program says that sees the copy instead of this project."""
    paths = os.pathsep.join((str(root / "src"), str(root)))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("title", ["Adding a strategy", "Adding a provider", "Adding a client"])
def test_a_walk_has_as_many_steps_as_it_promises(title: str) -> None:
    promised, steps = walk(title)
    assert len(steps) == promised


def test_a_strategy_is_wired_by_the_steps_of_its_walk(copy: Path) -> None:
    for step in walk("Adding a strategy")[1]:
        step.follow(copy)
    page = run(copy, "-m", "prunus", "strategies", "old_searches")
    assert "Web searches that lie some turns back." in page
    assert "Searches older than this many turns go." in page
    run(
        copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/strategies/test_cases.py", "-k", "old_searches"
    )


def test_a_provider_is_pruned_by_the_steps_of_its_walk(copy: Path) -> None:
    for step in walk("Adding a provider")[1]:
        step.follow(copy)
    code = (
        "import prunus\n"
        "text = 'a line of the file\\n' * 200\n"
        "turns = [{'who': 'user', 'says': 'Go on.'}]\n"
        "for id in ('1', '2', '3'):\n"
        "    turns.append({'who': 'acme', 'does': {'id': id, 'tool': 'read', 'with': {'path': 'a.txt'}}})\n"
        "    turns.append({'who': 'tool', 'of': id, 'says': text})\n"
        "    turns.append({'who': 'user', 'says': 'Again.'})\n"
        "out = prunus.prune({'turns': turns})\n"
        "print(out.error, len(out.edits) > 0, len(out.body['turns']) == len(turns))"
    )
    assert run(copy, "-c", code).split() == ["None", "True", "True"]
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/providers/test_contract.py", "-k", "acme")


def test_a_client_is_understood_by_the_steps_of_its_walk(copy: Path) -> None:
    for step in walk("Adding a client")[1]:
        step.follow(copy)
    code = (
        "from prunus.calls.toolbox import Toolbox\n"
        "meaning = Toolbox().meaning('acme_open', {'document': 'a.txt'})\n"
        "print(meaning.kind, *(touch.path for touch in meaning.touches))"
    )
    assert run(copy, "-c", code).split() == ["read", "a.txt"]
