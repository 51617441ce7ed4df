"""One spelling for each path."""

from __future__ import annotations

import pytest

from prunus.calls.paths import join, normalise


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src//a.py", "src/a.py"),
        ("src\\lib\\a.py", "src/lib/a.py"),
        ("C:\\work\\a.py", "C:/work/a.py"),
        ("src/../lib/a.py", "lib/a.py"),
        ("../../a.py", "../../a.py"),
        ("/a/./b/../c", "/a/c"),
        ("/../etc", "/etc"),
        ("src/", "src"),
        (".", "."),
        (".env", ".env"),
        ("a..b/c", "a..b/c"),
        ("file:///srv/a.py", "/srv/a.py"),
    ],
)
def test_a_path_has_one_spelling(given: str, expected: str) -> None:
    assert normalise(given) == expected


@pytest.mark.parametrize(
    ("base", "path", "expected"),
    [
        ("", "./a.py", "a.py"),
        ("/w", "a.py", "/w/a.py"),
        ("/w/x", "../a.py", "/w/a.py"),
        ("/w", "/b/a.py", "/b/a.py"),
        ("C:\\w", "src\\a.py", "C:/w/src/a.py"),
        ("/w", "D:\\a.py", "D:/a.py"),
        ("/w", "~/a.py", "~/a.py"),
        ("sub", "a.py", "sub/a.py"),
    ],
)
def test_a_relative_path_is_seen_from_its_folder(base: str, path: str, expected: str) -> None:
    assert join(base, path) == expected
