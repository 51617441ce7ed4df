"""Rare but valid HTTP: through the proxy, a client gets what it gets directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.proxy.provider import behind
from tests.proxy.raw import RawUpstream, Seen, ask, request, talk

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture
def upstream() -> Iterator[RawUpstream]:
    with RawUpstream() as running:
        yield running


@pytest.fixture
def proxy(upstream: RawUpstream) -> Iterator[str]:
    with behind(upstream) as running:  # type: ignore[arg-type]
        yield running.url


ANSWERS = {
    "sized": OK + b"content-length: 5\r\n\r\nhello",
    "until the end of the connection": OK + b"\r\nhello",
    "status 299": b"HTTP/1.1 299 Odd\r\ncontent-length: 2\r\n\r\nok",
    "status 600": b"HTTP/1.1 600 Odd\r\ncontent-length: 2\r\n\r\nok",
    "status 999": b"HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\nok",
    "status without a phrase": b"HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok",
    "304 with a length": b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\netag: x\r\n\r\n",
    "304": b"HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n",
    "204": b"HTTP/1.1 204 No Content\r\nx-a: 1\r\n\r\n",
    "300 headers": OK + b"".join(b"x-%d: %d\r\n" % (n, n) for n in range(300)) + b"content-length: 2\r\n\r\nok",
    "a header of 100 KB": OK + b"x-long: " + b"y" * 100_000 + b"\r\ncontent-length: 2\r\n\r\nok",
    "bytes behind the body": OK + b"content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled",
    "bytes behind the chunks": OK + b"transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nsmuggled",
    "the length twice": OK + b"content-length: 2\r\ncontent-length: 2\r\n\r\nok",
    "chunks and a length": OK + b"content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "trailers": OK + b"transfer-encoding: chunked\r\ntrailer: x-t\r\n\r\n2;e=1\r\nok\r\n0\r\nx-t: 1\r\n\r\n",
    "interim answers": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
    + OK
    + b"\r\nok",
    "Latin-1": OK + b"x-name: caf\xe9 \xff\r\ncontent-length: 2\r\n\r\nok",
    "UTF-8": OK + "x-name: café\r\ncontent-length: 2\r\n\r\nok".encode(),
    "an empty value": OK + b"x-empty:\r\nx-spaces:   a  b  \r\ncontent-length: 2\r\n\r\nok",
    "a folded header": OK + b"x-folded: a\r\n  b\r\ncontent-length: 2\r\n\r\nok",
    "bare line feeds": b"HTTP/1.1 200 OK\ncontent-length: 2\n\nok",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nok",
    "the same header twice": OK + b"set-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 2\r\n\r\nok",
}


def understood(seen: Seen) -> tuple[Any, ...]:
    """All of an answer but the length, which a proxy may leave out, add, or say once."""
    length = b"content-length"
    return seen.status, sorted(pair for pair in seen.headers if pair[0] != length), seen.body, seen.whole


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_answer_is_the_one_that_a_client_gets_directly(
    upstream: RawUpstream, proxy: str, name: str, method: str
) -> None:
    upstream.answer = ANSWERS[name]
    direct, passed = (talk(url, request(method)) for url in (upstream.url, proxy))
    assert direct.whole
    assert understood(passed) == understood(direct)


@pytest.mark.parametrize("name", ["304 with a length", "sized"])
def test_the_content_length_of_an_answer_is_forwarded(upstream: RawUpstream, proxy: str, name: str) -> None:
    upstream.answer = ANSWERS[name]
    assert talk(proxy, request("GET")).header(b"content-length") == b"5"


@pytest.mark.parametrize("length", [b"", b"content-length: 123\r\n", b"transfer-encoding: chunked\r\n"])
def test_an_answer_to_head_has_headers_only(upstream: RawUpstream, proxy: str, length: bytes) -> None:
    upstream.answer = OK + length + b"x-a: 1\r\n\r\n"
    upstream.end = "stay"
    direct, passed = (talk(url, request("HEAD")) for url in (upstream.url, proxy))
    assert understood(passed) == understood(talk(proxy, request("HEAD"))) == understood(direct)
    assert passed.header(b"content-length") == direct.header(b"content-length")
    assert upstream.connections == 2


CUT = {
    "until the end of the connection": OK + b"\r\nhel",
    "sized": OK + b"content-length: 5\r\n\r\nhel",
    "chunked": OK + b"transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n",
    "within a chunk": OK + b"transfer-encoding: chunked\r\n\r\n5\r\nhel",
    "before the last line": OK + b"transfer-encoding: chunked\r\n\r\n3\r\nhel\r\n0\r\n",
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("end", ["reset", "close"])
@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
def test_an_answer_that_breaks_off_does_not_look_whole(
    upstream: RawUpstream, proxy: str, name: str, end: Any, path: str
) -> None:
    upstream.answer, upstream.end = CUT[name], end
    passed = talk(proxy, request("POST", path, body=b"{}"))
    in_order = name.startswith("until") and end == "close"
    # A reset that arrives together with the headers leaves no answer to pass on.
    assert (passed.status, passed.whole) in ([(200, True)] if in_order else [(200, False), (502, True)])
    if passed.status == 200:
        assert passed.body == b"hel"


@pytest.mark.parametrize("name", CUT)
def test_an_answer_that_breaks_off_does_not_look_whole_to_http_1_0(
    upstream: RawUpstream, proxy: str, name: str
) -> None:
    upstream.answer, upstream.end = CUT[name], "reset"
    got, in_order = ask(proxy, b"GET /v1/x HTTP/1.0\r\nhost: localhost\r\n\r\n")
    head, _, body = got.partition(b"\r\n\r\n")
    too_short = b"content-length: 5" in head and len(body) < 5
    assert not in_order or too_short or b" 502 " in head


@pytest.mark.parametrize(
    "answer",
    [ANSWERS["until the end of the connection"], ANSWERS["trailers"].replace(b"ok", b"he") + b"", ANSWERS["sized"]],
)
def test_an_answer_has_no_chunks_for_http_1_0(upstream: RawUpstream, proxy: str, answer: bytes) -> None:
    upstream.answer = answer
    got, in_order = ask(proxy, b"GET /v1/x HTTP/1.0\r\nhost: localhost\r\n\r\n")
    head, _, body = got.partition(b"\r\n\r\n")
    assert in_order
    assert b"transfer-encoding" not in head
    assert body in (b"hello", b"he")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\nok", "status 099"),
        (b"HTTP/1.1 000 Odd\r\ncontent-length: 2\r\n\r\nok", "status 000"),
        (b"HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n", "another protocol"),
        (b"HTTP/1.1 1000 Odd\r\ncontent-length: 2\r\n\r\nok", "does not speak HTTP/1.1"),
        (b"220 mail.example ESMTP\r\n\r\n", "does not speak HTTP/1.1"),
        (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n", "does not speak HTTP/1.1"),
        (b"", "before it answered"),
        (b"HTTP/1.1 200 OK\r\ncontent-le", "before it answered"),
        (OK + b"content-length: 2\r\ncontent-length: 3\r\n\r\nok", "Content-Length"),
        (OK + b"content-length: 2, 3\r\n\r\nok", "Content-Length"),
        (OK + b"content-length: -1\r\n\r\nok", "Content-Length"),
        (OK + b"content-length: " + b"9" * 5_000 + b"\r\n\r\nok", "Content-Length"),
        (OK + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "transfer coding"),
        (OK + b"transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "transfer coding"),
        (OK + b"x-a: 1\x002\r\n\r\nok", "HTTP does not allow"),
        (OK + b"x-a: 1\r2\r\n\r\nok", "HTTP does not allow"),
        (OK + b"x(a: 1\r\n\r\nok", "HTTP does not allow"),
        (OK + b"no colon\r\n\r\nok", "without a colon"),
        (OK + b"x-a: " + b"y" * 1_100_000, "longer than"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/messages", "/v1/x", "/v1beta/models/g:generateContent"])
def test_an_answer_that_is_not_http_becomes_an_error_in_the_providers_format(
    upstream: RawUpstream, proxy: str, answer: bytes, reason: str, path: str
) -> None:
    upstream.answer = answer
    got = talk(proxy, request("POST", path, body=b"{}"))
    assert (got.status, got.whole) == (502, True)
    assert reason in json.loads(got.body)["error"]["message"]


@pytest.mark.parametrize("size", [b"x", b"", b"-1", b"f" * 17])
def test_a_chunk_without_a_size_breaks_off(upstream: RawUpstream, proxy: str, size: bytes) -> None:
    upstream.answer = OK + b"transfer-encoding: chunked\r\n\r\n2\r\nok\r\n" + size + b"\r\nok\r\n0\r\n\r\n"
    got = talk(proxy, request("GET"))
    assert not got.whole or got.status == 502


def test_bytes_after_an_answer_never_answer_the_next_request(upstream: RawUpstream, proxy: str) -> None:
    upstream.end = "stay"
    upstream.answer = OK + b"content-length: 2\r\n\r\nok" + OK + b"content-length: 4\r\n\r\nevil"
    for _ in range(5):
        assert talk(proxy, request("GET")).body == b"ok"
    assert upstream.connections == 5


def test_every_connection_header_names_headers_of_the_connection(upstream: RawUpstream, proxy: str) -> None:
    lines = [
        b"connection: x-one",
        b"x-one: 1",
        b"Connection: x-two , X-THREE",
        b"x-two: 2",
        b"x-three: 3",
        b"x-four: 4",
    ]
    upstream.answer = OK + b"\r\n".join(lines) + b"\r\ncontent-length: 2\r\n\r\nok"
    got = talk(proxy, request("POST", "/v1/x", *lines))
    assert [name for name, _ in got.headers if name.startswith(b"x-")] == [b"x-four"]
    names = [line.partition(b":")[0] for line in upstream.asked[0].split(b"\r\n")]
    assert [name for name in names if name.startswith(b"x-")] == [b"x-four"]


def parsed(raw: bytes) -> tuple[bytes, list[bytes], bytes]:
    """First line, headers of the message, and body of a request."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    fields = [line.partition(b":") for line in lines]
    gone = (b"host", b"connection", b"te", b"trailer", b"expect", b"upgrade", b"http2-settings")
    return first, sorted(k.lower() + b":" + v.strip() for k, _, v in fields if k.lower() not in gone), body


CHUNKS = b"5\r\nhello\r\n0\r\n"
REQUESTS = {
    "no body": request("GET"),
    "a body behind GET": request("GET", body=b"hello"),
    "an empty body": request("POST", "/v1/x", b"content-length: 0"),
    "a body": request(body=b"hello"),
    "chunks": request("POST", "/v1/x", b"transfer-encoding: chunked") + CHUNKS + b"\r\n",
    "DELETE": request("DELETE"),
    "OPTIONS": request("OPTIONS"),
    "PATCH": request("PATCH", body=b"{}"),
    "Latin-1": request("GET", "/v1/x", b"x-name: caf\xe9 \xff"),
    "UTF-8": request("GET", "/v1/x", "x-name: café".encode()),
    "an odd value": request("GET", "/v1/x", b"x-empty:", b"x-spaces:  a  b ", b'x-quoted: "a, b"'),
    "a header of 100 KB": request("GET", "/v1/x", b"x-long: " + b"y" * 100_000),
    "300 headers": request("GET", "/v1/x", *(b"x-%d: %d" % (n, n) for n in range(300))),
    "a header twice": request("GET", "/v1/x", b"x-twice: 1", b"x-twice: 2"),
    "a query of any bytes": request("GET", "/v1/x?a=%20&b=%zz&c={}|&a=1"),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_the_one_that_the_upstream_gets_directly(upstream: RawUpstream, proxy: str, name: str) -> None:
    for url in (upstream.url, proxy):
        assert talk(url, REQUESTS[name]).status == 200
    direct, passed = map(parsed, upstream.asked)
    assert passed == direct


@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
def test_trailers_of_a_request_do_not_become_headers(upstream: RawUpstream, proxy: str, path: str) -> None:
    trailers = b"authorization: stolen\r\nx-trailer: 1\r\ncontent-encoding: gzip\r\n\r\n"
    got = talk(proxy, request("POST", path, b"transfer-encoding: chunked") + CHUNKS + trailers)
    assert got.status == 200
    [asked] = upstream.asked
    assert b"hello" in asked
    for name in (b"authorization", b"x-trailer", b"content-encoding"):
        assert name not in asked.lower()


@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
def test_expect_100_continue_is_answered_by_the_proxy(upstream: RawUpstream, proxy: str, path: str) -> None:
    sent = request("POST", path, b"expect: 100-continue", body=b'{"a": 1}')
    got, _ = ask(proxy, sent)
    assert got.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert b"expect" not in upstream.asked[0].lower()
    assert upstream.asked[0].endswith(b'{"a": 1}')


@pytest.mark.parametrize(
    "lines",
    [
        [b"content-length: 5", b"transfer-encoding: chunked"],
        [b"content-length: 5", b"content-length: 6"],
        [b"content-length: +5"],
        [b"transfer-encoding: xchunked"],
        [b"transfer-encoding: gzip, chunked"],
        [b"transfer-encoding: chunked", b"transfer-encoding: chunked"],
        [b"transfer-encoding : chunked"],
        [b"host: elsewhere"],
        [b"x-a: 1\x00"],
    ],
)
def test_a_request_of_two_meanings_is_refused(upstream: RawUpstream, proxy: str, lines: list[bytes]) -> None:
    got, _ = ask(proxy, request("POST", "/v1/x", *lines) + b"hello")
    assert got.startswith(b"HTTP/1.1 400 ")
    assert upstream.asked == []


def test_bytes_behind_a_request_do_not_cut_its_answer(upstream: RawUpstream, proxy: str) -> None:
    got, _ = ask(proxy, request("POST", "/v1/x", body=b"hello", close=False) + b"garbage\r\n\r\n")
    assert got.startswith(b"HTTP/1.1 200 OK\r\n")
    assert got.endswith(b"ok")
    assert upstream.asked[0].endswith(b"\r\n\r\nhello")


def test_two_requests_in_a_row_are_answered_in_order(upstream: RawUpstream, proxy: str) -> None:
    upstream.end = "stay"
    got, _ = ask(proxy, request("GET", "/v1/one", close=False) + request("GET", "/v1/two"))
    assert got.count(b"HTTP/1.1 200 OK") == 2
    assert [asked.split(b" ")[1] for asked in upstream.asked] == [b"/v1/one", b"/v1/two"]


@pytest.mark.parametrize("path", ["/v1/x", "/v1/messages"])
def test_an_offer_of_http_2_is_not_taken(upstream: RawUpstream, proxy: str, path: str) -> None:
    offer = (b"connection: Upgrade, HTTP2-Settings", b"upgrade: h2c", b"http2-settings: AAMAAABk")
    got = talk(
        proxy,
        request("POST", path, *offer, body=b'{"a": 1}', close=False).replace(b"Settings\r", b"Settings, close\r"),
    )
    assert got.status == 200
    assert upstream.asked[0].endswith(b'{"a": 1}')
    assert b"upgrade" not in upstream.asked[0].lower()
    assert b"http2-settings" not in upstream.asked[0].lower()
