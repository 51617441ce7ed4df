"""A tiny repository, a scripted model that repairs it, and the command that compares both arms on it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from prunus.cli import main
from tests.upstream import Run, Script, Step

AGENT = Path(__file__).parent / "scripted_agent.py"
MODEL = "gpt-5"
REPAIR = "sed -i 's/rows\\[1:\\]/rows/' calc.py"


def lay_out(folder: Path, *names: str) -> Path:
    """A folder of instances that share one repository, in which the sum leaves out the first row."""
    repo = folder / "calc"
    (repo / "tests").mkdir(parents=True)
    noise = "".join(f"# line {n} of a long comment that says nothing\n" for n in range(300))
    (repo / "calc.py").write_text(f"def total(rows):\n    return sum(rows[1:])\n\n\n{noise}")
    (repo / "tests" / "__init__.py").touch()
    (repo / "tests" / "test_calc.py").write_text(
        "import unittest\n\nfrom calc import total\n\n\nclass TotalTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n"
    )
    instances = [
        {
            "instance_id": name,
            "repo_path": "calc",
            "problem_statement": f"{name}: total leaves out the first row.",
            "FAIL_TO_PASS": ["tests.test_calc"],
            "PASS_TO_PASS": "[]",
            "test_command": "{python} -m unittest {tests}",
            "restored": ["tests"],
        }
        for name in names or ("calc-1",)
    ]
    (folder / "instances.jsonl").write_text("".join(json.dumps(one) + "\n" for one in instances))
    return folder


def script(*, repairs: bool = True, reads: int = 6) -> Script:
    """The model reads the file several times, repairs it or its test, and looks again."""
    cheat = "sed -i 's/, 6)/, 5)/' tests/test_calc.py"
    commands = ["cat calc.py"] * reads + [REPAIR if repairs else cheat, "cat calc.py"]
    steps = [Step((Run(command),), f"Step {n}.") for n, command in enumerate(commands)]
    return Script((*steps, Step(text="Done.")))


def compare(folder: Path, url: str, *options: str, agent: str = sys.executable) -> Result:
    """Call `prunus ab` in this process with the scripted agent."""
    given = (
        "ab", "--instances", str(folder), "--out", str(folder / "out"), "--agent", agent, "--model", MODEL,
        "--upstream", f"openai={url}", "--budget", "5", *options, "--", str(AGENT), "{model}", "{prompt}",
    )  # fmt: skip
    return CliRunner().invoke(main, given, catch_exceptions=False)
