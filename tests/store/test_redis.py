"""A Redis server that is slow, full, restarted, killed or unreachable raises an error soon, and recovers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from threading import Thread

import pytest

from prunus.errors import SettingsError
from prunus.store import NoStore, Store, StoreError, open_store
from prunus.store.store import NoReceipts
from tests.store.opening import opening
from tests.store.redis_server import RedisServer, free_port, missing
from tests.store.samples import edit, exchange, links, memo, recalled, receipt
from tests.store.until import until_it_works

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


@pytest.fixture
def reopen(redis: RedisServer) -> Iterator[Callable[..., Store]]:
    """Open the store as another replica would."""
    with opening(redis.url) as again:
        yield again


@pytest.fixture
def store(reopen: Callable[..., Store]) -> Store:
    """A store with the usual patience, in which one conversation is kept."""
    store = reopen()
    until_it_works(lambda: store.memory("").keep(memo("c1", 2, (edit(2),)), links(2), {}))
    return store


def keeps_again(store: Store, reopen: Callable[..., Store]) -> None:
    """Check that the store takes a newer state of the conversation."""
    newer = memo("c1", 4, (edit(2), edit(4)))
    until_it_works(lambda: store.memory("").keep(newer, links(4)[2:], {}))
    assert recalled(reopen(wait=30.0).memory(""), links(4)) == (newer, 4)


def test_a_server_that_does_not_answer_is_not_waited_for(
    store: Store, redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    with redis.frozen():
        for _ in range(20):
            with pytest.raises(StoreError, match="does not answer"):
                store.memory("").load("c1")
    keeps_again(store, reopen)


def test_a_server_that_restarts_is_found_again(
    store: Store, redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    redis.stop()
    with pytest.raises(StoreError, match="does not answer"):
        store.memory("").load("c1")
    redis.start()
    keeps_again(store, reopen)


def test_connections_that_a_restart_closed_are_replaced_without_a_failure(
    redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    patient = reopen(wait=30.0)
    patient.memory("").keep(memo("c1", 2), links(2), {})
    redis.stop()
    redis.start()
    assert patient.memory("").load("c1") is not None


def test_a_killed_server_loses_no_ledger_that_was_kept(redis: RedisServer, reopen: Callable[..., Store]) -> None:
    store = reopen()
    last = memo("c1", 2)
    for round in range(5):
        for n in range(10):
            last = memo("c1", 20 * round + 2 * n + 2, tuple(edit(k) for k in range(n)))
            until_it_works(lambda last=last: store.memory("").keep(last, links(last.depth), {}))
        redis.kill()
        redis.start()
    assert recalled(reopen(wait=30.0).memory(""), links(last.depth)) == (last, last.depth)


def test_a_full_server_refuses_writes_and_still_answers(
    store: Store, redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    store = reopen(wait=30.0)
    store.save_hidden("", "k", b"1")
    with redis.full():
        with pytest.raises(StoreError, match=r"is full \(maxmemory\)"):
            store.memory("").keep(memo("c1", 4, (edit(4),)), links(4)[2:], {})
        with pytest.raises(StoreError, match="is full"):
            store.record("", exchange(), [receipt("aaaaaa", kind="read")])
        with pytest.raises(StoreError, match="is full"):
            store.ask("", "c1", "sweep")
        assert recalled(store.memory(""), links(4)) == (memo("c1", 2, (edit(2),)), 2)
        assert store.hidden("", ["k"]) == {"k": b"1"}
        assert store.take("", "c1") == ()
        assert store.memory("").experience("claude").requests == 0
    keeps_again(store, reopen)


def test_a_flushed_server_gets_the_whole_ledger_with_the_next_request(
    redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    store = reopen(wait=30.0)
    memory = store.memory("")
    memory.keep(memo("c1", 2, (edit(2),)), links(2), {})
    with redis.client() as client:
        client.flushall()
        client.script_flush()
    last = memo("c1", 4, (edit(2), edit(4)))
    memory.keep(last, links(4)[2:], {})
    assert recalled(reopen(wait=30.0).memory(""), links(4)) == (last, 4)


def test_a_server_that_became_a_replica_is_read_only_until_it_is_the_master_again(
    store: Store, redis: RedisServer, reopen: Callable[..., Store]
) -> None:
    store = reopen(wait=30.0)
    with redis.client() as client:
        client.replicaof("127.0.0.1", "1")
        try:
            with pytest.raises(StoreError, match="is read-only"):
                store.memory("").keep(memo("c1", 4, (edit(4),)), links(4)[2:], {})
        finally:
            client.replicaof("NO", "ONE")
    keeps_again(store, reopen)


def test_an_unreachable_server_is_an_error_that_names_it_without_the_password() -> None:
    store = open_store("redis://anna:secret@127.0.0.1:1/0")
    with pytest.raises(StoreError, match=r"redis://anna@127\.0\.0\.1:1/0 does not answer") as raised:
        store.memory("").load("c1")
    assert "secret" not in str(raised.value)
    store.close()


def test_a_host_without_an_address_is_an_error_each_time() -> None:
    store = open_store("redis://no..such..host/0", wait=30.0)
    for _ in range(3):
        with pytest.raises(StoreError, match="does not answer"):
            store.open()
    store.close()


def test_a_wrong_password_is_an_error_that_does_not_quote_it(redis: RedisServer) -> None:
    store = open_store(redis.url.replace("redis://", "redis://anna:secret@"), wait=30.0)
    with pytest.raises(StoreError, match="refuses user and password") as raised:
        store.open()
    assert "secret" not in str(raised.value)
    store.close()


def test_a_user_with_a_password_is_let_in(redis: RedisServer) -> None:
    with redis.client() as client:
        client.acl_setuser("anna", enabled=True, passwords=["+s:e/c%ret"], keys=["prunus:*"], commands=["+@all"])
    store = open_store(redis.url.replace("redis://", "redis://anna:s%3Ae%2Fc%25ret@"), wait=30.0)
    store.memory("").keep(memo("c1", 2), links(2), {})
    assert store.info().url == redis.url.replace("redis://", "redis://anna@")
    store.close()
    with redis.client() as client:
        client.acl_deluser("anna")


def test_a_server_with_tls_is_reached_by_rediss(redis: RedisServer, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    port = free_port()
    tls = ["--tls-port", str(port), "--tls-cert-file", str(certificate), "--tls-key-file", str(key)]
    redis.stop()
    redis.start(*tls, "--tls-ca-cert-file", str(certificate), "--tls-auth-clients", "no")
    try:
        store = open_store(f"rediss://localhost:{port}/0?ssl_ca_certs={certificate}", wait=30.0)
        store.memory("").keep(memo("c1", 2), links(2), {})
        assert store.info().url == f"rediss://localhost:{port}/0"
        store.close()
        stranger = open_store(f"rediss://localhost:{port}/0", wait=30.0)
        with pytest.raises(StoreError, match="certificate"):
            stranger.open()
        stranger.close()
    finally:
        redis.stop()
        redis.start()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for localhost, and its key."""
    from datetime import datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    made = builder.sign(key, hashes.SHA256())
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kind, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, kind, plain))
    return certificate, private


@pytest.mark.parametrize("url", ["redis://h:secret/0", "redis://anna:secret@h/0?colour=red"])
def test_an_address_that_redis_does_not_know_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"store\.url") as raised:
        open_store(url)
    assert "secret" not in str(raised.value)


def test_looking_at_a_server_without_a_store_creates_nothing(
    reopen: Callable[..., Store], redis: RedisServer
) -> None:
    with pytest.raises(NoStore):
        reopen(wait=30.0, existing=True).info()
    with redis.client() as client:
        assert client.dbsize() == 0


def test_a_store_without_receipts_says_so(reopen: Callable[..., Store]) -> None:
    store = reopen(wait=30.0)
    store.record("", exchange(), [receipt("aaaaaa")])
    for read in (store.sessions, store.receipts, store.totals, store.days, store.earnings):
        with pytest.raises(NoReceipts, match=r"keeps no requests, receipts, originals and totals"):
            read("")
    assert not store.info().keeps_receipts


def test_all_keys_but_sums_and_sets_expire(reopen: Callable[..., Store], redis: RedisServer) -> None:
    store = reopen(wait=30.0)
    fill(store, "")
    with redis.client() as client:
        lasting = {key.decode() for key in client.scan_iter() if client.ttl(key) == -1}
    names = {"newest", "hidden", "requests", "experience:0 claude"}
    assert lasting == {"prunus:1:tenants", *(f"prunus:1::{name}" for name in names)}


def test_a_forgotten_conversation_leaves_no_key(reopen: Callable[..., Store], redis: RedisServer) -> None:
    store = reopen(wait=30.0)
    fill(store, "")
    with redis.client() as client:
        before = set(client.keys())
        store.memory("").keep(memo("gone", 40, (edit(2),), at=5.0), links(40, "gone"), {})
        store.ask("", "gone", "sweep")
        assert len(set(client.keys()) - before) > 40
        assert store.forget("", ["gone", "never there"]) == 1
        assert set(client.keys()) == before


def test_a_fork_keeps_the_links_that_it_took_over(reopen: Callable[..., Store]) -> None:
    store = reopen(wait=30.0)
    memory = store.memory("")
    memory.keep(memo("first", 6), links(6), {})
    fork = memo("fork", 4)
    memory.keep(fork, links(4), {})
    store.forget("", ["first"])
    assert recalled(memory, links(6)) == (fork, 4)


def test_vacuum_removes_what_is_older_than_the_limit(reopen: Callable[..., Store]) -> None:
    store = reopen(wait=30.0)
    now = time.time()
    store.memory("").keep(memo("old", 2, at=now - 31 * 86_400.0), links(2), {})
    store.memory("").keep(memo("new", 2, at=now), links(2, "new"), {})
    store.vacuum()
    assert [one.id for one in store.conversations("")] == ["new"]
    assert not store.memory("").find(links(2))


def test_more_threads_than_connections_all_get_an_answer(reopen: Callable[..., Store]) -> None:
    store = reopen(wait=30.0)
    store.memory("").keep(memo("c1", 2), links(2), {})
    found: list[object] = []
    threads = [Thread(target=lambda: found.append(store.memory("").load("c1"))) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [memo("c1", 2)] * 40


def fill(store: Store, tenant: str) -> None:
    """Write something of every kind."""
    from prunus.schedule.ledger import Written

    store.memory(tenant).keep(memo("c1", 6, (edit(2),)), links(6), {2: Written(b"key", b"text")})
    store.record(tenant, exchange(), [receipt("aaaaaa", kind="read")])
    store.save_hidden(tenant, "k", b"1")
    store.ask(tenant, "c1", "sweep")
