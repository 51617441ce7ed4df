"""Modules stay small, and one name means one thing."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.sources import python_files

SOURCE = Path(__file__).parent.parent / "src" / "prunus"
LONGEST = 300
"""Lines of the longest module."""


def test_no_module_is_too_long() -> None:
    sizes = {path: path.read_text(encoding="utf-8").count("\n") for path in python_files(SOURCE)}
    assert {path.relative_to(SOURCE).as_posix(): size for path, size in sizes.items() if size > LONGEST} == {}


def test_no_two_types_have_the_same_name() -> None:
    homes = defaultdict(set)
    for path in python_files(SOURCE):
        for name in type_names(ast.parse(path.read_text(encoding="utf-8"))):
            homes[name].add(path.relative_to(SOURCE).as_posix())
    assert {"Message", "FileChange", "Kind"} <= homes.keys()
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def type_names(module: ast.Module) -> Iterator[str]:
    """The classes and type aliases of a module. Type variables of one letter, such as T, may repeat."""
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if len(name) > 1 and name[0].isupper() and not name.isupper():
                yield name
