"""The npm packages by Node's own test runner, which asks a real `prunus proxy`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.install import NotInstalled, install
from tests.packages.npm import NAMES, PACKAGES

pytestmark = pytest.mark.packages


@pytest.mark.parametrize("name", NAMES)
def test_package_passes_its_own_tests(name: str, node: str) -> None:
    run_tests(node, name)


def test_ai_sdk_package_passes_its_tests_on_the_node_that_ai_sdk_7_wants(node: str) -> None:
    try:
        newer = install("node")
    except NotInstalled as reason:
        pytest.skip(f"Node 22 cannot be installed: {reason}")
    run_tests(str(newer), "ai-sdk-prunus")


def test_every_package_has_the_same_sidecar() -> None:
    texts = {(PACKAGES / name / "sidecar.js").read_text(encoding="utf-8") for name in NAMES}
    assert len(texts) == 1


@pytest.mark.parametrize("name", NAMES)
def test_package_has_all_that_it_needs_to_be_published(name: str, packed: dict[str, Path]) -> None:
    files = {path.name for path in packed[name].iterdir()}
    described = json.loads((packed[name] / "package.json").read_text(encoding="utf-8"))
    assert files == {"LICENSE", "README.md", "package.json", *described["files"]}
    assert {"license", "exports", "types", "engines", "description", "keywords"} <= described.keys()
    assert not described.get("dependencies") and not described.get("private")


def run_tests(node: str, name: str) -> None:
    """Run `node --test` in the folder of a package, with the Prunus of this environment."""
    environment = os.environ | {"PRUNUS": str(Path(sys.executable).with_name("prunus"))} | types_for(name)
    done = subprocess.run([node, "--test"], cwd=PACKAGES / name, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def types_for(name: str) -> dict[str, str]:
    """Where the types are that a package is checked against, if they are not among those of the workspace."""
    try:
        if name == "opencode-prunus":
            return {"PRUNUS_OPENCODE_PLUGIN": str(install("opencode-plugin").parents[1])}
        if name == "pi-prunus":
            return {"PRUNUS_PI": str(install("pi").parents[1] / "@earendil-works" / "pi-coding-agent")}
    except NotInstalled as reason:
        pytest.skip(f"{name} needs types that cannot be installed: {reason}")
    return {}
