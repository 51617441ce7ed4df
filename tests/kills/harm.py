"""What happens to the replicas and to their server while a conversation goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Final

from tests.kills.cluster import Cluster

Harm = Callable[[Cluster], AbstractContextManager[None]]
"""Begins while a request is under way, and ends some requests later."""

_SLOW: Final = 0.1
"""Seconds by which a slow server answers late: a call with three answers misses its quarter of a second."""


@contextmanager
def _soon(cluster: Cluster, work: Callable[[], None]) -> Iterator[None]:
    """Do something while the next request is under way."""
    delay = cluster.chance.random() * 0.06

    def run() -> None:
        time.sleep(delay)
        work()

    thread = Thread(target=run)
    thread.start()
    yield
    thread.join()


@contextmanager
def replica_killed(cluster: Cluster) -> Iterator[None]:
    """A replica is killed with -9, and starts again later."""
    replica = cluster.chance.choice(cluster.replicas)
    with _soon(cluster, replica.kill):
        yield
    replica.start()


@contextmanager
def two_replicas_killed(cluster: Cluster) -> Iterator[None]:
    """Two replicas are killed with -9 at the same moment."""
    chosen = cluster.chance.sample(cluster.replicas, 2)
    with _soon(cluster, lambda: [replica.kill() for replica in chosen] and None):
        yield
    for replica in chosen:
        replica.start()


@contextmanager
def server_killed(cluster: Cluster) -> Iterator[None]:
    """All processes of the server are killed with -9; it starts again later."""
    with _soon(cluster, cluster.server.kill):
        yield
    cluster.server.start()


@contextmanager
def server_and_replica_killed(cluster: Cluster) -> Iterator[None]:
    """The server is killed, and a replica that went on without it."""
    replica = cluster.chance.choice(cluster.replicas)
    with _soon(cluster, cluster.server.kill):
        yield
    replica.kill()
    cluster.server.start()
    replica.start()


@contextmanager
def server_restarted(cluster: Cluster) -> Iterator[None]:
    """The server restarts at once, which closes all connections."""

    def restart() -> None:
        cluster.server.stop("fast")
        cluster.server.start()

    with _soon(cluster, restart):
        yield


@contextmanager
def server_frozen(cluster: Cluster) -> Iterator[None]:
    """The server accepts connections and answers nothing."""
    with cluster.server.frozen():
        yield


@contextmanager
def server_locked(cluster: Cluster) -> Iterator[None]:
    """Another program holds the tables."""
    import psycopg

    with psycopg.connect(cluster.server.url()) as other:
        other.execute("LOCK TABLE prunus.conversations, prunus.edits IN ACCESS EXCLUSIVE MODE")
        yield
        other.rollback()


@contextmanager
def server_full(cluster: Cluster) -> Iterator[None]:
    """The server refuses to write, as on a full disk; it still answers questions."""
    import psycopg

    with psycopg.connect(cluster.server.url(), autocommit=True) as other:
        other.execute(
            "CREATE FUNCTION prunus.full() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
        )
        for table in ("conversations", "links", "exchanges"):
            other.execute(
                f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON prunus.{table} "
                "EXECUTE FUNCTION prunus.full()".encode()
            )
        yield
        other.execute("DROP FUNCTION prunus.full() CASCADE")


@contextmanager
def server_slow(cluster: Cluster) -> Iterator[None]:
    """Every answer of the server comes late."""
    with cluster.relay.slow(_SLOW):
        yield


@contextmanager
def server_unreachable(cluster: Cluster) -> Iterator[None]:
    """The network between replicas and server is cut."""
    with cluster.relay.unreachable():
        yield


HARMS: Final[tuple[Harm, ...]] = (
    replica_killed,
    two_replicas_killed,
    server_killed,
    server_and_replica_killed,
    server_restarted,
    server_frozen,
    server_locked,
    server_full,
    server_slow,
    server_unreachable,
)
