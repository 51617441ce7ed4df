"""Modules stay small, and one name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.sources import python_files

SOURCE = Path(__file__).parent.parent / "src" / "prunus"
LONGEST = 300
"""Lines of the longest module."""


def test_no_module_is_too_long() -> None:
    sizes = {path: path.read_text(encoding="utf-8").count("\n") for path in python_files(SOURCE)}
    assert {path.relative_to(SOURCE).as_posix(): size for path, size in sizes.items() if size > LONGEST} == {}


def test_no_two_public_types_have_the_same_name() -> None:
    homes = defaultdict(set)
    for path in python_files(SOURCE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(path.relative_to(SOURCE).as_posix())
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
