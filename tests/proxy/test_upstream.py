"""The way to an upstream: credentials in its URL, TLS, proxies of the network, connections that are used again."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from prunus.errors import SettingsError
from prunus.proxy.address import ServerAddress, credential_notes
from tests.proxy.caller import call, dial
from tests.proxy.provider import behind
from tests.proxy.raw import RawUpstream, request, talk

BASIC = b"Basic " + b64encode(b"me:p@ss")


@pytest.fixture
def upstream() -> Iterator[RawUpstream]:
    with RawUpstream() as running:
        yield running


def headers(raw: bytes) -> dict[bytes, bytes]:
    fields = [line.partition(b": ") for line in raw.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]]
    return {name.lower(): value for name, _, value in fields}


def through(upstream: RawUpstream, url: str, *lines: bytes, path: str = "/v1/x") -> int:
    """The status of a request by a proxy whose upstreams are at `url`."""
    with behind(upstream, upstreams=dict.fromkeys(("anthropic", "openai", "gemini"), url)) as proxy:  # type: ignore[arg-type]
        return talk(proxy.url, request("POST", path, *lines, body=b"{}")).status


@pytest.mark.parametrize("lines", [[], [b"Authorization: Bearer of-the-client"]])
@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
def test_credentials_of_the_url_take_the_place_of_the_clients(
    upstream: RawUpstream, lines: list[bytes], path: str
) -> None:
    url = upstream.url.replace("http://", "http://me:p%40ss@")
    assert through(upstream, url, *lines, b"x-api-key: k", path=path) == 200
    [asked] = upstream.asked
    assert headers(asked)[b"authorization"] == BASIC
    assert headers(asked)[b"x-api-key"] == b"k"
    assert headers(asked)[b"host"] == upstream.url.removeprefix("http://").encode()
    assert asked.lower().count(b"authorization:") == 1


def test_a_url_is_shown_without_its_credentials() -> None:
    notes = credential_notes({"a": "http://me:secret@h", "b": "http://h", "c": "https://token@h/v1"})
    assert [note.partition(":")[0] for note in notes] == ["upstream a", "upstream c"]
    assert "secret" not in "".join(notes)
    assert "token" not in "".join(notes)


@pytest.mark.parametrize("address", ["http://me:secret@h:port", "ftp://h", "h", "http://", "http://me:secret@"])
def test_an_address_that_cannot_be_used_is_named_by_its_setting(address: str) -> None:
    with pytest.raises(SettingsError, match=r"upstreams\.a: ") as raised:
        credential_notes({"a": address})
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "target", "host"),
    [
        ("https://h", "/v1/x?q=1", "h"),
        ("https://h:443/", "/v1/x?q=1", "h"),
        ("https://h:80/api/v1/", "/api/v1/x?q=1", "h:80"),
        ("http://v1", "/v1/x?q=1", "v1"),
        ("http://[::1]:8080/a b", "/a%20b/v1/x?q=1", "[::1]:8080"),
        ("https://h/openai?api-version=3", "/openai/v1/x?api-version=3&q=1", "h"),
    ],
)
def test_requests_go_below_the_address(
    address: str, target: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prunus.proxy.address.getproxies", dict)
    place = ServerAddress.parse(address, "upstreams.a")
    assert (place.target("/v1/x", "q=1"), place.authority) == (target, host)


def test_a_connection_is_used_again_and_one_that_was_closed_is_not(upstream: RawUpstream) -> None:
    upstream.end = "stay"
    with behind(upstream) as proxy:  # type: ignore[arg-type]
        for _ in range(3):
            assert talk(proxy.url, request("GET")).status == 200
        assert upstream.connections == 1
        upstream.end = "close"
        for _ in range(3):
            assert talk(proxy.url, request("GET")).status == 200
    assert len(upstream.asked) == 6


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_the_proxy_of_the_network_is_asked_for_the_whole_url(
    upstream: RawUpstream, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, upstream.url.replace("http://", "http://me:p%40ss@"))
    monkeypatch.setenv("no_proxy", "")
    assert through(upstream, "http://provider.example/base", b"authorization: Bearer k") == 200
    [asked] = upstream.asked
    assert asked.startswith(b"POST http://provider.example/base/v1/x HTTP/1.1\r\nHost: provider.example\r\n")
    assert headers(asked)[b"proxy-authorization"] == BASIC
    assert headers(asked)[b"authorization"] == b"Bearer k"


class Tunnel:
    """A proxy that connects everything to one place; `asked` is what it was asked for."""

    def __init__(self, target: str, status: bytes = b"200 OK") -> None:
        self._target = ("127.0.0.1", int(target.rpartition(":")[2]))
        self._status = status
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://me:p%40ss@127.0.0.1:{self._listener.getsockname()[1]}"
        self.asked = b""
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with self._listener:
            line, _ = self._listener.accept()
        with line, socket.create_connection(self._target) as other:
            while not self.asked.endswith(b"\r\n\r\n"):
                self.asked += line.recv(65_536)
            line.sendall(b"HTTP/1.1 " + self._status + b"\r\ncontent-length: 0\r\n\r\n")
            back = threading.Thread(target=self._relay, args=(other, line), daemon=True)
            back.start()
            self._relay(line, other)
            back.join()

    @staticmethod
    def _relay(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["-keyout", str(path), "-out", str(path.with_name("cert.pem"))]
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *made],
        check=True,
        capture_output=True,
    )
    path.write_text(path.read_text() + path.with_name("cert.pem").read_text())
    return path


@pytest.fixture
def secure(certificate: Path) -> Iterator[RawUpstream]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with RawUpstream(context) as running:
        yield running


def test_a_certificate_that_is_trusted_is_taken(
    secure: RawUpstream, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert through(secure, secure.url) == 200


@pytest.mark.parametrize("end", ["close", "cut"])
def test_a_slow_reader_of_a_secure_answer_gets_all_of_it(
    secure: RawUpstream, certificate: Path, monkeypatch: pytest.MonkeyPatch, end: Any
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    secure.answer = b"HTTP/1.1 200 OK\r\ncontent-length: 20000000\r\n\r\n" + b"y" * 20_000_000
    secure.end = end
    with behind(secure) as proxy, dial(proxy.url, "/v1/x", b"x" * 3_000_000, "connection: close") as line:  # type: ignore[arg-type]
        got = 0
        while piece := line.recv(1 << 20):
            got += len(piece)
            time.sleep(0.002)
    assert got > 20_000_000
    assert secure.asked[-1].endswith(b"x" * 3_000_000)


@pytest.mark.skipif(find_spec("uvloop") is None, reason="asyncio's own loop does not tell such an end apart")
@pytest.mark.parametrize(("end", "whole"), [("close", True), ("cut", False), ("reset", False)])
def test_an_end_that_tls_does_not_vouch_for_does_not_look_whole(
    secure: RawUpstream, certificate: Path, monkeypatch: pytest.MonkeyPatch, end: Any, whole: bool
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    secure.answer, secure.end = b"HTTP/1.1 200 OK\r\n\r\nhello", end
    with behind(secure) as proxy:  # type: ignore[arg-type]
        got = talk(proxy.url, request("GET"))
    assert (got.whole and got.status == 200) is whole


def test_a_certificate_that_is_not_trusted_is_refused(secure: RawUpstream) -> None:
    with behind(secure) as proxy:  # type: ignore[arg-type]
        got = talk(proxy.url, request("POST", "/v1/messages", body=b"{}"))
    assert got.status == 502
    assert b"certificate of the upstream is not valid" in got.body
    assert secure.asked == []


def test_tls_goes_through_the_proxy_of_the_network_unread(
    secure: RawUpstream, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tunnel = Tunnel(secure.url)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("https_proxy", tunnel.url)
    monkeypatch.setenv("no_proxy", "")
    assert through(secure, secure.url, b"authorization: Bearer k") == 200
    place = secure.url.removeprefix("https://").encode()
    assert tunnel.asked == b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nProxy-Authorization: %b\r\n\r\n" % (
        place,
        place,
        BASIC,
    )
    [asked] = secure.asked
    assert asked.startswith(b"POST /v1/x HTTP/1.1\r\nHost: " + place)
    assert b"proxy-authorization" not in asked.lower()


def test_a_refusal_of_the_network_proxy_is_reported(secure: RawUpstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", Tunnel(secure.url, b"407 Proxy Authentication Required").url)
    monkeypatch.setenv("no_proxy", "")
    with behind(secure) as proxy:  # type: ignore[arg-type]
        got = talk(proxy.url, request("POST", "/v1/messages", body=b"{}"))
    assert got.status == 502
    assert b"the proxy of the network answered 407" in got.body


@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
@pytest.mark.parametrize("chunked", [False, True])
def test_an_answer_that_comes_before_the_request_was_sent_is_passed_on(path: str, chunked: bool) -> None:
    def refuse() -> None:
        line, _ = listener.accept()
        with line:
            while b"\r\n\r\n" not in line.recv(100_000):
                pass
            line.sendall(b"HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbig")
            line.shutdown(socket.SHUT_WR)
            while line.recv(1 << 20):
                pass

    body = b"x" * 20_000_000
    framed = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    with socket.create_server(("127.0.0.1", 0)) as listener, RawUpstream() as other:
        threading.Thread(target=refuse, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with behind(other, upstreams={"anthropic": url, "openai": url}) as proxy:  # type: ignore[arg-type]
            got = call(proxy.url, "POST", path, framed, [("transfer-encoding", "chunked")] if chunked else [])
    assert (got.status, got.body) == (413, b"big")
