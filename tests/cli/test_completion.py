"""The completion that the install page documents works in bash."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"


def bash(tmp_path: Path, words: str) -> list[str]:
    """What bash offers after these words, with the documented line in its start file."""
    program = tmp_path / "bin" / "prunus"
    program.parent.mkdir()
    run = "import sys; sys.argv[0] = 'prunus'; from prunus.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{run}" "$@"\n')
    program.chmod(0o755)
    typed = words.split(" ")
    script = f"""
eval "$(_PRUNUS_COMPLETE=bash_source prunus)"
complete -p prunus >/dev/null || exit 9
COMP_WORDS=({words}{" ''" if not typed[-1] else ""})
COMP_CWORD={len(typed) - 1}
_prunus_completion prunus
printf "%s\\n" "${{COMPREPLY[@]}}"
"""
    environment = {
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([*(path for path in sys.path if path), str(SOURCE)]),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("prunus st", {"strategies", "stats", "store"}),
        ("prunus proxy --sh", {"--shadow"}),
        ("prunus run --agent ", {"hidden", "mcp", "off"}),
        ("prunus run co", {"codex"}),
    ],
)
def test_bash_completes_commands_options_and_values(tmp_path: Path, words: str, offered: set[str]) -> None:
    assert set(bash(tmp_path, words)) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_install_page_names_the_line_of_each_shell(shell: str) -> None:
    page = (SOURCE.parent / "docs" / "install.md").read_text(encoding="utf-8")
    assert f"_PRUNUS_COMPLETE={shell}_source prunus" in page
