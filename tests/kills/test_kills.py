"""Replicas and their server are killed, cut off, filled and frozen: no cache break is undeclared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from prunus.store import Store, open_store
from tests.kills.cluster import Cluster
from tests.kills.harm import HARMS
from tests.kills.trial import run_trial
from tests.store.postgres_server import PostgresServer, missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture
def store(postgres: PostgresServer) -> Iterator[Store]:
    store = open_store(postgres.url(), wait=30.0)
    store.open()
    yield store
    store.close()


def test_no_kind_of_failure_causes_an_undeclared_cache_break(
    postgres: PostgresServer, store: Store, tmp_path: Path
) -> None:
    with Cluster(tmp_path, postgres, Random(7)) as cluster:
        trials = [run_trial(cluster, store, harm, number, most=13) for number, harm in enumerate(HARMS)]
    assert [trial.harm for trial in trials if trial.undeclared] == []
    assert {one.status for trial in trials for one in trial.sent} == {200}
    assert sum(trial.declared for trial in trials) > len(trials)
    assert [trial.harm for trial in trials if trial.without_receipt] == []
    kept = [trial for trial in trials if "replica" not in trial.harm]
    assert [trial.harm for trial in kept if trial.unrecorded] == []
