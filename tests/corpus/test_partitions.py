from pathlib import Path

from prunus.corpus.tables import together


def test_lines_of_each_session_come_together_in_their_order(tmp_path: Path) -> None:
    lines = [(f"s{n % 7}", b"line %d\nwith a break" % n) for n in range(200)]
    for size in (0, 10**9):
        found = dict(together(lines, size, tmp_path))
        assert found == {f"s{k}": [line for session, line in lines if session == f"s{k}"] for k in range(7)}
        assert list(tmp_path.iterdir()) == []


def test_any_name_and_any_line_survives(tmp_path: Path) -> None:
    lines = [("", b""), ("a\nb 1 2", b"\x00\n"), ("\udc80", b"3 4\n")]
    assert dict(together(lines, 0, tmp_path)) == {session: [line] for session, line in lines}
