"""The Grafana dashboard asks for metrics that exist, and the page on monitoring names every metric."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from prunus.proxy.metrics import Metrics

ROOT = Path(__file__).parent.parent.parent
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/prunus.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/monitoring.md").read_text(encoding="utf-8")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}
OF_PROMETHEUS = {"job", "instance"}


def metrics() -> dict[str, set[str]]:
    """The labels of each metric, under the names that Prometheus knows."""
    made = Metrics()
    labels = {
        metric._name: set(metric._labelnames) for metric in vars(made).values() if hasattr(metric, "_labelnames")
    }
    return {
        family.name + suffix: labels[family.name] | ({"le"} if suffix == "_bucket" else set())
        for family in text_string_to_metric_families(made.render().decode())
        for suffix in SUFFIXES[family.type]
        if family.name in labels
    }


def expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])


@pytest.mark.parametrize("expression", list(expressions()))
def test_the_dashboard_asks_for_metrics_and_labels_that_exist(expression: str) -> None:
    known = metrics()
    asked = re.findall(r"(prunus_\w+)\{([^}]*)\}", expression)
    assert asked and len(asked) == len(re.findall(r"prunus_\w+", expression))
    grouped = {label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")}
    for name, matchers in asked:
        assert name in known
        used = set(re.findall(r"(\w+)=", matchers)) | grouped
        assert used <= known[name] | OF_PROMETHEUS


def test_the_dashboard_shows_every_metric() -> None:
    shown = {name for expression in expressions() for name in re.findall(r"prunus_\w+", expression)}
    parts = ("_sum", "_count")  # of a histogram, the buckets are enough
    assert {name for name in metrics() if not name.endswith(parts)} == shown


def test_panels_have_ids_and_places_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = [
        (x, panel["gridPos"]["y"])
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
    ]
    assert len(set(taken)) == len(taken) and max(x for x, _ in taken) < 24


def test_the_page_names_every_metric_with_its_labels() -> None:
    rows = re.findall(r"^\| `(prunus_\w+)` \|([^|]*)\|", PAGE, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    known = metrics()
    whole = {name.removesuffix("_bucket"): labels - {"le"} for name, labels in known.items()}
    assert told == {name: labels for name, labels in whole.items() if not name.endswith(("_sum", "_count"))}
