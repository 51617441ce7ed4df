"""The examples on clusters give the rows of a run on this machine. They need Ray and Dask: `make fleet`."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from prunus.lab.corpus_run import run_corpus
from prunus.lab.run import Study
from tests.corpus.samples import growing, jsonl
from tests.lab.talk import chat_messages, reads
from tests.lab.test_corpus_run import Inline

ROOT = Path(__file__).parents[2]
STUDY = Study(("none", "balanced"), ("own",), minimum=1, limit=None)


@pytest.mark.parametrize(("example", "package"), [("ray_fleet", "ray"), ("dask_fleet", "distributed")])
def test_a_cluster_gives_the_same_rows(tmp_path: Path, example: str, package: str) -> None:
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed: make fleet")
    folder = tmp_path / "sessions"
    folder.mkdir()
    for n in range(4):
        (folder / f"{n}.json").write_text(json.dumps(chat_messages(reads(5 + n))))
    (folder / "bad.json").write_text("no session")
    jsonl(folder / "traces.jsonl", [row for name in "abc" for row in growing(name, 5)])
    out = tmp_path / "rows.jsonl"
    command = [sys.executable, str(ROOT / "examples" / f"{example}.py"), str(out), str(folder)]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)]),
        # Ray would write a token into the home folder, for a cluster that only this test sees.
        "RAY_AUTH_MODE": "disabled",
    }
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "balanced: 7 conversations" in done.stdout
    assert "bad.json: neither" in done.stdout
    run_corpus([folder], STUDY, tmp_path / "here.jsonl", executor=Inline(), quiet=True)
    assert sorted(out.read_text().splitlines()) == sorted((tmp_path / "here.jsonl").read_text().splitlines())
