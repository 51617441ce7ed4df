"""The public names: all of them are importable, and a type checker knows what they give."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import prunus
from tests.sources import python_files

USER = Path(__file__).parent / "typing" / "user.py"


def test_the_public_names_are_those_that_can_be_imported() -> None:
    assert prunus.__all__ == sorted(prunus.__all__, key=lambda name: (name.islower(), name))
    assert dir(prunus) == sorted(prunus.__all__)
    for name in prunus.__all__:
        assert getattr(prunus, name).__name__ == name


def test_a_type_checker_and_the_interpreter_know_the_same_names() -> None:
    tree = ast.parse(Path(prunus.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    checked = {alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert checked == set(prunus.__all__)


def loaded_by(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after a statement."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_prunus_loads_nothing_but_the_standard_library() -> None:
    assert loaded_by("import prunus") - sys.stdlib_module_names == {"prunus"}


def test_pruning_loads_neither_the_command_line_nor_the_proxy() -> None:
    apart = {"aiohttp", "click", "h11", "httptools", "mcp", "rich", "uvicorn"}
    assert not loaded_by("import prunus; prunus.prune([{'role': 'user', 'content': 'Hi.'}])") & apart


def test_every_package_that_users_install_is_imported() -> None:
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *extras["tokens"], *extras["proxy"], *extras["mcp"]]
    source = "\n".join(path.read_text(encoding="utf-8") for path in python_files(root / "src" / "prunus"))
    for line in declared:
        name = line.replace("-", "_").partition(";")[0].partition(">")[0]
        known = packages_distributions().items()
        modules = [module for module, owners in known if name in [owner.replace("-", "_") for owner in owners]]
        # uvicorn itself imports the two that make it faster; doctor looks for them by name.
        words = "|".join(modules or [name])
        assert re.search(rf'(?:import|from) (?:{words})\b|"(?:{words})"', source), line


def test_a_type_checker_knows_the_type_of_a_body() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(USER)],
        cwd=USER.parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_typed_example_runs() -> None:
    runpy.run_path(str(USER))
