"""At every width, a terminal shows all that a command writes to a pipe."""

import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click import unstyle
from click.testing import Result
from rich.cells import cell_len

from prunus.cli import main
from prunus.store import open_store
from tests.lab.talk import Step, chat_messages, reads
from tests.store.samples import exchange, receipt

Run = Callable[..., Result]

WIDTHS = (40, 60, 80, 100, 200)
COMMANDS = {
    "demo": ("demo",),
    "prune": ("prune", "request.json", "-o", "out.json"),
    "explain": ("explain", "request.json", "--all"),
    "strategies": ("strategies",),
    "strategy": ("strategies", "stale_reads"),
    "replay": ("replay", "talk.json", "--policy", "none", "--policy", "auto", "--policy", "mask:10:30000"),
    "analyze": ("analyze", "talk.json"),
    "stats": ("stats",),
    "context": ("context", "request.json"),
    "sessions": ("sessions",),
    "receipts": ("receipts",),
    "files": ("files", "talk.json"),
    "store": ("store", "info"),
    "doctor": ("doctor", "--offline"),
}
TIMES = re.compile(r"\d+(\.\d+)? m?s\b")
"""What differs from run to run."""


class Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _here(session: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    Path("request.json").write_bytes(session)
    steps: list[Step] = []
    for read in reads(20, lines=120):
        steps += [read, ("Write", {**read[1], "content": "done = True\n" * 40}, "The file has been updated.")]
    Path("talk.json").write_text(json.dumps(chat_messages(steps)))
    store = open_store("sqlite:///prunus.db")
    for n in range(25):
        more = {
            "tokens_before": 25_100 + n,
            "tokens_after": 20_123 - n,
            "model": "anthropic/claude-sonnet-4-5-20250929",
        }
        store.record("", exchange(f"{n:02}aabbccddeeff00", n + 1, **more), [receipt(f"{n:06x}")])
    store.close()
    Path("prunus.toml").write_text('[store]\nurl = "sqlite:///prunus.db"\n')


def on_terminal(width: int, args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setenv("COLUMNS", str(width))
        patched.setattr(sys, "stdout", terminal)
        patched.setattr(sys, "stderr", terminal)
        main(args, standalone_mode=False)
    return TIMES.sub("", unstyle(terminal.getvalue()))


def numbers(text: str) -> Counter[str]:
    """Return the words of a text that contain a digit, without surrounding punctuation."""
    return Counter(word.strip("(),;:~") for word in text.split() if any(map(str.isdigit, word)))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_number_is_cropped_at_any_width(command: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    args = COMMANDS[command]
    result = run(*args)
    told = numbers(TIMES.sub("", result.stdout or result.stderr))
    for width in WIDTHS:
        shown = on_terminal(width, args, monkeypatch)
        assert all(cell_len(line) <= width for line in shown.splitlines()), width
        short = {word for word in told if len(word) <= 16}
        missing = {word: count for word, count in told.items() if word in short and numbers(shown)[word] < count}
        assert not missing, (width, missing, shown)


def test_an_error_is_folded_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    with monkeypatch.context() as patched:
        patched.setenv("COLUMNS", "60")
        patched.setattr(sys, "stderr", terminal)
        with pytest.raises(SystemExit) as ended:
            main(["strategies", "nope"])
    assert ended.value.code == 2
    assert terminal.getvalue().startswith("Error: no strategy 'nope'\nThere are: asked, ")
    assert all(len(line) <= 60 for line in terminal.getvalue().splitlines())
