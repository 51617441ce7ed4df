"""Installing clients: what cannot be installed says why, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.install import PACKAGES, NotInstalled, cache_folder, install, main


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRUNUS_CLIENTS", str(tmp_path / "clients"))
    return tmp_path / "clients"


def test_folder_is_named_by_the_environment(cache: Path) -> None:
    assert cache_folder() == cache


def test_missing_npm_is_named_and_leaves_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotInstalled, match="codex needs npm"):
        install("codex")
    assert list(cache.iterdir()) == []


def test_failed_installation_says_the_last_words(
    cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'no such version' >&2\nexit 7\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(NotInstalled, match="ended with 7: no such version"):
        install("codex")
    assert list(cache.iterdir()) == []


def test_installed_client_is_not_installed_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = cache / PACKAGES["codex"].folder / PACKAGES["codex"].program
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setenv("PATH", "")
    assert install("codex") == program


def test_unknown_client_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["emacs"]) == 2
    assert "unknown: emacs; known: node, claude" in capsys.readouterr().err


@pytest.mark.parametrize("package", PACKAGES.values(), ids=list(PACKAGES))
def test_every_version_is_pinned(package: object) -> None:
    assert any(digit in getattr(package, "folder", "").rpartition("-")[2] for digit in "0123456789")
