"""The benches can be started: a renamed module shows here, not when somebody measures."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_bench_can_be_imported() -> None:
    names = [path.stem for path in sorted((ROOT / "bench").glob("*.py"))]
    code = f"import importlib\nfor name in {names}:\n    importlib.import_module(name)"
    paths = [str(ROOT / "bench"), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths}\n{code}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_bench_program_shows_its_help() -> None:
    programs = [path for path in (ROOT / "bench").glob("*.py") if "__name__ ==" in path.read_text(encoding="utf-8")]
    silent = [
        path.name
        for path in programs
        if "argparse" not in (text := path.read_text(encoding="utf-8")) and "    show_help()\n" not in text
    ]
    assert programs and silent == []
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench/speed.py"), "--help"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0 and done.stdout.startswith("What one turn costs")


def test_a_small_run_leaves_the_measured_figures_alone(tmp_path: Path) -> None:
    results = [ROOT / "bench" / "results" / name for name in ("fleet.json", "million.json")]
    before = [path.read_bytes() for path in results]
    own = tmp_path / "own.json"
    for asked in (["fleet.py", "1", "--folder", str(tmp_path)], ["million.py", "1", "--workers", "1"]):
        own.unlink(missing_ok=True)
        command = [sys.executable, str(ROOT / "bench" / asked[0]), *asked[1:], "--results", str(own)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        assert own.exists()
    assert [path.read_bytes() for path in results] == before


def test_the_bench_of_fleets_counts_the_work_after_its_last_look(tmp_path: Path) -> None:
    code = (
        "import json, fleet, pathlib\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "samples = fleet.replay(fleet.archive(folder, 1), folder / 'rows.jsonl', 1, every=600.0)\n"
        "print(json.dumps([samples, fleet.figures(samples, 1, 1), fleet.ended_children()]))"
    )
    env = {"PYTHONPATH": str(ROOT / "bench")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env)
    assert done.returncode == 0, done.stderr
    samples, found, spent = json.loads(done.stdout)
    assert len(samples) == 1 and found["seconds"] < 600
    assert 0 < found["cpu_seconds"] == round(spent, 1)
    assert found["command_mb"] == found["worker_mb"] == [None] * 4
