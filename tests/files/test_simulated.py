"""Agents that really edit a file on disk: whatever happens, no wrong line is ever claimed."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prunus.files import Timeline
from prunus.tokens import Counter
from prunus.tools import Toolbox
from prunus.view import Use, View
from tests.files.agents import Agent, Claude, Codex, OpenCode, OpenHands, Pi

AGENTS = {
    "claude": Claude,
    "claude-1": lambda: Claude("→", 6),
    "opencode": OpenCode,
    "pi": Pi,
    "codex": Codex,
    "openhands": OpenHands,
}
LINES = st.sampled_from(["alpha", "beta", "  beta", "gamma = 1", "}", "", "", "def f():", "1\tone", "end of it"])
ENDS = st.sampled_from(["\n", "", "\n\n"])
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=9), ENDS)
STEPS = st.one_of(
    st.tuples(st.just("read"), st.none(), st.none()),
    st.tuples(st.just("read"), st.integers(1, 10), st.integers(1, 5)),
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 9), st.integers(1, 3), st.integers(0, 2)), TEXTS),
    st.tuples(st.just("every"), LINES, LINES),
    st.tuples(st.just("fail"), st.just("no such text"), TEXTS),
    st.tuples(st.just("write"), TEXTS, st.none()),
    st.tuples(
        st.just("shell"),
        st.sampled_from(
            [
                "ls",
                "sed -i '2d' {name}",
                "sed -i '2,$d' {name}",
                "sed -i '3,5d' {name}",
                "sed -i '2i\\  put in' {name}",
                "sed -i '3a added' {name}",
                "sed -i '1c\\changed' {name}",
                "sed -i '2s/beta/delta/' {name}",
                "sed -i 's/a/A/g' {name}",
                "sed -i 's/a./AA/g' {name}",
                "sed -i 's/beta/delta/' {name}",
                "echo more >> {name}",
                "printf 'x\\n' > {name}",
                "cat > {name} <<'EOF'\none\n$two\nEOF",
                "cat > {name} <<EOF\none\nEOF\ncat {name}",
                "python3 change.py",
                "./change.sh",
                "python3 -c \"import pathlib; p = pathlib.Path('{name}'); p.write_text('gone' + p.read_text())\"",
                "mv {name} other.txt && cp other.txt {name} && echo tail >> {name}",
                "cp other.txt {name}",
                "cat {name}",
                "head -n 3 {name}",
                "tail -n 2 {name}",
                "echo start; cat {name}",
                "cat -n {name}",
                "sed -n '2,4p' {name}",
                "cat {name} other.txt",
                "cat missing.txt || cat {name}",
                "true | tee {name}",
                "find . -name '*.txt' | xargs sed -i 's/alpha/omega/'",
                "git checkout {name}",
            ]
        ),
        st.none(),
    ),
)


def play(agent: Agent, path: Path, step: tuple[str, Any, Any]) -> None:
    match step:
        case ("read", offset, limit):
            agent.read(path, offset, limit)
        case ("edit", (first, count, trim), new):
            old = "\n".join(path.read_text().split("\n")[first : first + count])
            agent.edit(path, old[trim:] if len(old) > trim + 1 else old, new)
        case ("every", old, new):
            agent.edit(path, old, new, every=True)
        case ("fail", old, new):
            agent.edit(path, old, new)
        case ("write", text, _):
            agent.write(path, text)
        case ("shell", command, _):
            agent.shell(path, command.replace("{name}", path.name))


def lines_of(path: Path) -> list[str]:
    text = path.read_text()
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@pytest.mark.parametrize("name", AGENTS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(start=TEXTS, steps=st.lists(STEPS, min_size=2, max_size=9))
def test_no_wrong_line_is_ever_claimed(name: str, start: str, steps: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.txt"
        path.write_text(start)
        (path.parent / "other.txt").write_text("other\n")
        (path.parent / "change.py").write_text("open('file.txt', 'a').write('changed\\n')\n")
        (path.parent / "change.sh").write_text("#!/bin/sh\necho 0 | cat - file.txt > t && mv t file.txt\n")
        (path.parent / "change.sh").chmod(0o755)
        agent = AGENTS[name]()
        view, timeline, seen = View(Toolbox(), Counter()), Timeline(), 0
        view.look_at(lambda index: agent.talk.messages[index])
        view.folder = folder
        for step in steps:
            if not path.exists():
                break
            play(agent, path, step)
            for message in agent.talk.messages[seen:]:
                for event in view.extend(message):
                    if isinstance(event, Use):
                        view.admit(event)
                    timeline.take(event, view)
            seen = len(agent.talk.messages)
            state = timeline.state(str(path))
            truth = lines_of(path) if path.exists() else []
            for number, line in state.numbered:
                assert number <= len(truth) and truth[number - 1] == line, (step, number, state, truth)
            if state.length is not None:
                assert state.length == len(truth), (step, state, truth)
            if state.whole and state.ended is not None and truth:
                assert state.text == path.read_text()
