"""Callers are distinguished by their credentials, and no credential is ever shown."""

from __future__ import annotations

import pytest

from prunus.proxy.headers import caller_of

KEY = b"sk-secret-0123456789"


@pytest.mark.parametrize("name", [b"authorization", b"Authorization", b"x-api-key", b"x-goog-api-key", b"api-key"])
def test_another_key_is_another_caller(name: bytes) -> None:
    found = {caller_of([(name, key), (b"host", b"x")], "") for key in (KEY, KEY + b"1", b"")}
    assert len(found) == 3 and all("secret" not in caller for caller in found)


def test_a_key_in_the_address_counts() -> None:
    assert caller_of([], "alt=sse&key=a") != caller_of([], "alt=sse&key=b")
    assert caller_of([], "alt=sse&key=a") == caller_of([], "key=a")


def test_the_same_key_is_the_same_caller_whatever_else_is_sent() -> None:
    one = caller_of([(b"x-api-key", KEY), (b"user-agent", b"a")], "beta=true")
    assert one == caller_of([(b"accept", b"b"), (b"X-Api-Key", KEY)], "")
    assert caller_of([(b"user-agent", b"a")], "beta=true") == ""


def test_two_credentials_are_not_mistaken_for_one() -> None:
    assert caller_of([(b"x-api-key", b"ab"), (b"api-key", b"c")], "") != caller_of([(b"x-api-key", b"abc")], "")
