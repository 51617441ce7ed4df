"""The image and the compose file."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from prunus.proxy.balancers import LISTEN, REPLICAS
from prunus.settings import Settings
from tests.deploy.programs import ROOT, run

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = ROOT / "deploy" / "compose.yaml"
GIVEN = {"PRUNUS_TOKEN": "secret", "POSTGRES_PASSWORD": "other"}


def composed() -> dict[str, Any]:
    """The services of the compose file."""
    yaml = pytest.importorskip("yaml", reason="needs PyYAML: make deploy")
    services: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return services


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    run("hadolint", str(ROOT / "Dockerfile"))


def test_the_image_does_not_run_as_root() -> None:
    [user] = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    assert "0" not in user


def test_the_image_installs_extras_that_exist_for_stores_that_replicas_share() -> None:
    [named] = re.findall(r"'\.\[([\w,]+)\]'", DOCKERFILE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"postgres", "redis", "otel", "encrypted"} == set(named.split(","))
    assert set(named.split(",")) <= set(project["optional-dependencies"])


def test_compose_reads_its_file() -> None:
    run("docker-compose", "-f", str(COMPOSE), "config", "-q", install="apt install docker-compose",
        env={**os.environ, **GIVEN})  # fmt: skip


def test_the_replicas_and_the_port_are_those_of_the_balancer() -> None:
    services = composed()
    assert {replica.partition(":")[0] for replica in REPLICAS} <= set(services)
    assert services["balancer"]["ports"] == [f"127.0.0.1:8787:{LISTEN}"]
    [mounted] = services["balancer"]["volumes"]
    assert (COMPOSE.parent / mounted.partition(":")[0]).exists()


def test_no_two_services_build_an_image_of_the_same_name() -> None:
    names = [service["image"] for service in composed().values() if "build" in service and "image" in service]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("token", ["c0ffee", "12345678", "one,two"])
def test_the_replicas_take_any_token(token: str, tmp_path: Path) -> None:
    said = [word for word in composed()["prunus-1"]["command"] if word.startswith("--set=")]
    sets = [re.sub(r"\$\{PRUNUS_TOKEN:[^}]*\}", token, word.removeprefix("--set=")) for word in said]
    assert Settings.discover(tmp_path, tmp_path, sets).proxy.token == token


@pytest.mark.parametrize("secret", GIVEN)
def test_compose_has_no_secret_of_its_own(secret: str) -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    assert f"${{{secret}:?" in text
    assert not re.search(rf"\$\{{{secret}(?!:\?)", text)
