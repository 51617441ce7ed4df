"""Next steps that Prunus prints can be typed as they are."""

import sys
from pathlib import Path

import pytest

from prunus.cli.options import own_name


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed program that is running."""
    path = tmp_path / "here" / ".venv" / "bin" / "prunus"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(path), "demo"])
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setenv("PATH", str(path.parent))
    return path


def test_a_program_on_the_path_goes_by_its_name(program: Path) -> None:
    assert own_name() == "prunus"


def test_a_link_on_the_path_counts(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "prunus").symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert own_name() == "prunus"


def test_a_program_below_the_current_directory_goes_by_its_short_path(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert own_name() == ".venv/bin/prunus"


def test_a_program_elsewhere_goes_by_its_path_in_quotes_where_needed(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "else where").mkdir()
    moved = program.rename(tmp_path / "else where" / "prunus")
    monkeypatch.setattr(sys, "argv", [str(moved)])
    assert own_name() == f"'{moved}'"


def test_uvx_puts_the_program_on_the_path_only_while_it_runs(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", "/usr/bin/uv")
    assert own_name() == ".venv/bin/prunus"


def test_a_module_goes_by_its_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/src/prunus/__main__.py"])
    assert own_name() == f"{sys.executable} -m prunus"
