import json
from pathlib import Path

import msgspec
import pytest

from prunus.corpus.find import files
from prunus.lab.run import Measurement, Study, measure, run
from prunus.tokens import estimate
from tests.lab.talk import chat_messages, reads

STUDY = Study(("none", "mask:2"), ("0.1/1.25", "0.5/1.0"), minimum=5)


def record(path: Path, calls: int = 8) -> Path:
    path.write_text(json.dumps(chat_messages(reads(calls))))
    return path


def test_every_policy_is_measured_at_every_price(tmp_path: Path) -> None:
    found = measure(record(tmp_path / "a.json"), study=STUDY)
    assert [(row.policy, row.prices) for row in found.rows] == [
        ("none", "0.1/1.25"),
        ("mask:2", "0.1/1.25"),
        ("none", "0.5/1.0"),
        ("mask:2", "0.5/1.0"),
    ]


def test_the_policy_none_costs_as_much_as_no_pruning(tmp_path: Path) -> None:
    for row in measure(record(tmp_path / "a.json"), study=STUDY).rows:
        if row.policy == "none":
            assert (row.cost, row.tokens, row.breaks) == (row.unpruned, row.unpruned_tokens, 0)
        else:
            assert row.tokens < row.unpruned_tokens
            assert row.breaks > 0


def test_effective_cost_includes_reading_lost_parts_again(tmp_path: Path) -> None:
    edit = ("Edit", {"path": "/srv/app/part0.py", "old_string": "value_0_39 = 39", "new_string": "x"}, "ok")
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chat_messages([*reads(8), edit])))
    row = next(row for row in measure(path, study=STUDY).rows if row.policy == "mask:2")
    part = next(line for line in chat_messages(reads(1)) if line["role"] == "tool")["content"]
    tokens = estimate(part)
    assert row.lost == 1
    added = row.effective - row.cost - 1.25 * tokens - 150 * 5
    assert 0 < added < 0.1 * row.peak + 1, "the context of one request, at the read price"


def test_short_conversations_are_counted_and_left_out(tmp_path: Path) -> None:
    found = measure(record(tmp_path / "a.json", calls=2), study=STUDY)
    assert (found.rows, found.short) == ((), 1)


@pytest.mark.parametrize("data", [b"", b"\x1f\x8bnot gzip", b"\x00\x01", b'{"a": 1}', b"[[[["])
def test_a_damaged_file_is_reported_and_not_fatal(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    found = measure(path, study=STUDY)
    assert str(path) in found.failure
    assert found.rows == ()


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert "gone.json" in measure(tmp_path / "gone.json", study=STUDY).failure


def test_folders_are_searched_and_files_taken_as_given(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    inside = record(tmp_path / "deep" / "a.json")
    (tmp_path / "MANIFEST.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("no session")
    other = tmp_path / "notes.txt"
    assert list(files([tmp_path, other, inside])) == [inside, other]


def test_several_files_come_back_in_their_order(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    paths = [record(tmp_path / f"{name}.json", calls) for name, calls in (("a", 6), ("b", 12), ("c", 8))]
    found = list(run(paths, STUDY))
    assert [one.path for one in found] == [str(path) for path in paths]
    assert found == list(run(paths, STUDY, workers=1, quiet=True))
    assert capfd.readouterr().err.splitlines()[-1] == "100%, 52 requests replayed, 3 of 3 files"


def test_a_row_survives_json(tmp_path: Path) -> None:
    row = measure(record(tmp_path / "a.json"), study=STUDY).rows[1]
    assert msgspec.json.decode(msgspec.json.encode(row), type=Measurement) == row
