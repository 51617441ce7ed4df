"""Agents that really edit a file on disk: whatever happens, no wrong line is ever claimed."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prunus.calls.toolbox import Toolbox
from prunus.files.timeline import Timeline
from prunus.tokens import Counter
from prunus.view.uses import Use
from prunus.view.view import View
from tests.files.agents import AGENTS, Agent, lines_of

LINES = st.sampled_from(["alpha", "beta", "  beta", "gamma = 1", "}", "", "", "def f():", "1\tone", "end of it"])
ENDS = st.sampled_from(["\n", "", "\n\n"])
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINES, max_size=9), ENDS)
PAIRS = st.builds("{}\n{}".format, LINES, LINES)
STEPS = st.one_of(
    st.tuples(st.just("read"), st.none(), st.none()),
    st.tuples(st.just("read"), st.integers(1, 10), st.integers(1, 5)),
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 9), st.integers(1, 3), st.integers(0, 2)), TEXTS),
    st.tuples(st.just("every"), LINES, LINES),
    st.tuples(st.just("every"), PAIRS, st.one_of(PAIRS, LINES)),
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
                "sed -i '/beta/d' {name}",
                "sed -i '2,3s/^ *b/B/;$d' {name} && sed -i '1i top' {name}",
                "sed -i '2r other.txt' {name}",
                "for f in {name} other.txt; do sed -i 's/alpha/omega/' $f; done",
                "for f in {name}; do echo more >> $f; done",
                "for f in a b; do echo $f; done",
                "bash -c 'echo tail >> {name}'",
                "timeout 5 bash -c \"sed -i '1d' {name}\"",
                "cat change.sh",
                "sh change.sh",
                "cat change.sh; sh change.sh",
                "cp -r sub/{name} .",
                "cp -r sub copy",
                "rm -r sub",
                "find . -name other.txt -delete",
                "bin/prettier --write {name}",
                "bin/prettier --write . | tail -n 1",
                "bin/biome check --write",
                "cat package.json",
                "PATH=$PWD/bin:$PATH npm run tidy",
                "no-such-program {name}",
                "python3 missing.py && echo more >> {name}",
                "cat missing.txt; echo more >> {name}",
                "echo 'unbalanced >> {name}",
                "cat {name}; echo ---; cat other.txt",
                "echo one; head -n 2 {name}; echo two; tail -n +3 {name}",
                "cat other.txt && echo end && sed -n '2,3p' {name}",
                "ls && echo begin && cat {name}",
                "echo alpha; cat {name}",
            ]
        ),
        st.none(),
    ),
)


CHANGES = """#!/bin/sh
for f in "$@"; do
  case $f in -*|check) continue;; esac
  [ -d "$f" ] && f=file.txt
  if grep -q alpha "$f"; then sed -i 's/alpha/ALPHA/' "$f"; echo "$f 3ms"; else echo "$f 2ms (unchanged)"; fi
done
"""
"""What prettier prints."""
FIXES = """#!/bin/sh
if grep -q beta file.txt; then sed -i 's/beta/BETA/' file.txt; echo "Checked 1 file in 2ms. Fixed 1 file."
else echo "Checked 1 file in 2ms. No fixes applied."; fi
"""
"""What biome prints."""


def furnish(folder: Path) -> None:
    """Put into a folder what the commands use."""
    (folder / "other.txt").write_text("other\n")
    (folder / "change.py").write_text("open('file.txt', 'a').write('changed\\n')\n")
    (folder / "change.sh").write_text("#!/bin/sh\necho 0 | cat - file.txt > t && mv t file.txt\n")
    (folder / "package.json").write_text('{"scripts": {"tidy": "prettier --write file.txt"}}\n')
    (folder / "sub").mkdir()
    (folder / "sub" / "file.txt").write_text("from sub\nalpha\n")
    (folder / "bin").mkdir()
    (folder / "bin" / "prettier").write_text(CHANGES)
    (folder / "bin" / "biome").write_text(FIXES)
    npm = "#!/bin/sh\necho; echo '> tidy'; echo '> prettier --write file.txt'; echo; prettier --write file.txt\n"
    (folder / "bin" / "npm").write_text(npm)
    for script in (folder / "change.sh", *(folder / "bin").iterdir()):
        script.chmod(0o755)


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


@pytest.mark.parametrize("name", AGENTS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(start=TEXTS, steps=st.lists(STEPS, min_size=2, max_size=9))
def test_no_wrong_line_is_ever_claimed(name: str, start: str, steps: list[tuple[str, Any, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.txt"
        path.write_text(start)
        furnish(path.parent)
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
