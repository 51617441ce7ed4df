"""The Helm chart, rendered by Helm and checked against the schemas of Kubernetes."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from prunus.settings import Settings
from tests.deploy.programs import ROOT, program, run
from tests.proxy.caller import call

yaml = pytest.importorskip("yaml", reason="needs PyYAML: make deploy")

CHART = ROOT / "deploy" / "helm" / "prunus"
NEEDED = ("token=secret", "store.url=postgresql://prunus@db/prunus")
ALL = (*NEEDED, "autoscaling.enabled=true", "serviceMonitor.enabled=true", "networkPolicy.enabled=true")


@cache
def rendered(*values: str) -> list[dict[str, Any]]:
    """The objects that Helm makes with these values."""
    sets = [word for value in values for word in ("--set", value)]
    return [one for one in yaml.safe_load_all(run("helm", "template", "mine", str(CHART), *sets)) if one]


def one(kind: str, *values: str, name: str = "mine-prunus") -> dict[str, Any]:
    [found] = [each for each in rendered(*values) if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def pod(*values: str) -> dict[str, Any]:
    found: dict[str, Any] = one("Deployment", *values)["spec"]["template"]["spec"]
    return found


def test_the_linter_of_helm_finds_nothing() -> None:
    sets = [word for value in ALL for word in ("--set", value)]
    run("helm", "lint", "--strict", str(CHART), *sets)


@pytest.mark.parametrize("values", [NEEDED, ALL, ("existingSecret=own",)], ids=["few", "all", "own secret"])
@pytest.mark.parametrize("version", ["1.25.0", "1.37.0"])
def test_every_object_follows_the_schema_of_kubernetes(values: tuple[str, ...], version: str) -> None:
    kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="needs: make deploy")
    for each in rendered(*values):
        if each["kind"] != "ServiceMonitor":  # the Prometheus Operator has its own schema
            kubernetes_validate.validate(each, version, strict=True)


def test_the_chart_renders_every_kind_of_object() -> None:
    assert {each["kind"] for each in rendered(*ALL)} == {
        "ConfigMap", "Deployment", "HorizontalPodAutoscaler", "NetworkPolicy", "PodDisruptionBudget", "Secret",
        "Service", "ServiceAccount", "ServiceMonitor",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (("store.url=off",), "token is needed"),
        (("token=a",), "store.url is needed"),
        (("token=a", "store.url=sqlite:///data/store.db"), "store"),
        ((*NEEDED, "settings.proxy.token=b"), "belong into a Secret"),
        ((*NEEDED, "replicas=none"), "replicas"),
        ((*NEEDED, "autoscale.enabled=true"), "autoscale"),
    ],
)
def test_values_that_cannot_work_are_refused_with_a_reason(values: tuple[str, ...], says: str) -> None:
    helm = program("helm")
    if helm is None:
        pytest.skip("needs helm: make deploy")
    sets = [word for value in values for word in ("--set", value)]
    done = subprocess.run([helm, "template", "mine", str(CHART), *sets], capture_output=True, text=True)
    assert done.returncode != 0 and says in done.stderr


def test_the_pod_runs_without_root_and_without_rights() -> None:
    spec = pod(*ALL)
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] == 10001
    [container] = spec["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert spec["automountServiceAccountToken"] is False


def test_a_pod_gets_the_time_that_its_end_takes() -> None:
    more = ("settings.proxy.drain=20", "settings.proxy.grace=300")
    assert pod(*NEEDED)["terminationGracePeriodSeconds"] >= 10 + 120 + 10
    assert pod(*NEEDED, *more)["terminationGracePeriodSeconds"] >= 20 + 300 + 10


def test_secrets_are_only_in_the_secret() -> None:
    for each in rendered("token=swordfish", "store.url=postgresql://me:swordfish@db/prunus"):
        assert each["kind"] == "Secret" or "swordfish" not in str(each)


def test_new_settings_and_new_secrets_make_new_pods() -> None:
    def notes(*values: str) -> dict[str, str]:
        found: dict[str, str] = one("Deployment", *values)["spec"]["template"]["metadata"]["annotations"]
        return found

    assert notes(*NEEDED) == notes(*NEEDED)
    assert notes(*NEEDED) != notes(*NEEDED, "settings.level=safe")
    assert notes(*NEEDED) != notes("token=another", NEEDED[1])


def test_autoscaling_leaves_the_number_of_replicas_alone() -> None:
    assert one("Deployment", *NEEDED)["spec"]["replicas"] == 3
    assert "replicas" not in one("Deployment", *ALL)["spec"]


@contextmanager
def settings_folder(*values: str) -> Iterator[Path]:
    """The folder of settings as the pod sees it: one file of the ConfigMap, and one of the Secret."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {**one("ConfigMap", *values)["data"], **one("Secret", *values)["stringData"]}
        for file in ("prunus.json", "prunus.toml"):
            (folder / file).write_text(files[file], encoding="utf-8")
        yield folder


def test_prunus_reads_the_settings_of_the_chart() -> None:
    odd = r'a"b\\c<&>'
    with settings_folder(
        f"token={odd}", NEEDED[1], "settings.level=safe", "settings.limits.conversations=9"
    ) as folder:
        settings = Settings.load(folder)
    assert (settings.proxy.token, settings.store.url) == (r'a"b\c<&>', "postgresql://prunus@db/prunus")
    assert (settings.proxy.host, settings.proxy.port, settings.proxy.drain) == ("0.0.0.0", 8787, 10.0)
    assert (settings.level, settings.limits.conversations) == ("safe", 9)


def test_the_command_of_the_pod_serves_with_these_settings() -> None:
    [container] = pod("token=secret", "store.url=off")["containers"]
    prunus = shutil.which("prunus", path=str(Path(sys.executable).parent))
    assert prunus is not None
    with settings_folder("token=secret", "store.url=off") as folder:
        words = [str(folder) if word == "/etc/prunus" else word for word in container["args"]]
        own = ["--host", "127.0.0.1", "--port", "0", "--set", "proxy.drain=0", "--set", "proxy.log=text"]
        process = subprocess.Popen([prunus, *words, *own], stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            url = process.stderr.readline().split()[-1]
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                assert call(url, "GET", container[probe]["httpGet"]["path"]).status == 200
            token = one("Secret", "token=secret", "store.url=off")["stringData"]["metrics-token"]
            path = one("ServiceMonitor", *ALL)["spec"]["endpoints"][0]["path"]
            assert call(url, "GET", path).status == 401
            assert call(url, "GET", path, headers=[("authorization", f"Bearer {token}")]).status == 200
        finally:
            process.kill()
            process.communicate()


@pytest.mark.parametrize(("release", "shown"), [("prunus", "prunus"), ("RELEASE", "RELEASE-prunus")])
def test_the_page_names_the_service_of_all_replicas(release: str, shown: str) -> None:
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert "helm install prunus deploy/helm/prunus " in page
    sets = [word for value in NEEDED for word in ("--set", value)]
    # Helm takes no capitals in the name of a release.
    text = run("helm", "template", release.lower(), str(CHART), *sets)
    names = {each["metadata"]["name"] for each in yaml.safe_load_all(text) if each and each["kind"] == "Service"}
    assert f"{shown.lower()}-replicas" in names
    assert f"`{shown}-replicas:8787`" in page


def test_the_chart_has_the_version_of_the_project() -> None:
    import tomllib

    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert chart["appVersion"] == project["version"]
