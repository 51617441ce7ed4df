"""Codes work once and in time; cookies are bound to a token."""

from __future__ import annotations

import pytest

from prunus.dashboard.sign_in import SignIn

HOST = "127.0.0.1:8787"


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sign_in(clock: Clock) -> SignIn:
    return SignIn({"a1": b"alpha", "b2": b"beta"}, clock)


def cookie_of(sign_in: SignIn, tenant: str) -> str:
    return sign_in.cookie(tenant, HOST).decode().partition(";")[0]


def test_a_code_works_once(sign_in: SignIn) -> None:
    code = sign_in.code("a1")
    assert sign_in.redeem(code) == "a1"
    assert sign_in.redeem(code) is None


def test_a_code_ends_after_a_minute(sign_in: SignIn, clock: Clock) -> None:
    code = sign_in.code("a1")
    clock.now += 61
    assert sign_in.redeem(code) is None


def test_a_cookie_names_its_tenant_until_it_expires(sign_in: SignIn, clock: Clock) -> None:
    cookie = cookie_of(sign_in, "b2")
    assert sign_in.signed_in(f"other=1; {cookie}", HOST) == "b2"
    clock.now += 13 * 3600
    assert sign_in.signed_in(cookie, HOST) is None


def test_a_cookie_is_for_scripts_and_other_sites_out_of_reach(sign_in: SignIn) -> None:
    header = sign_in.cookie("a1", HOST).decode()
    assert all(word in header for word in ("HttpOnly", "SameSite=Strict", "Path=/dashboard", "Max-Age="))
    assert "alpha" not in header


def test_a_cookie_of_another_port_is_another_cookie(sign_in: SignIn) -> None:
    assert sign_in.signed_in(cookie_of(sign_in, "a1"), "127.0.0.1:9000") is None


def test_a_code_is_no_cookie_and_a_cookie_no_code(sign_in: SignIn) -> None:
    assert sign_in.signed_in(f"prunus-8787={sign_in.code('a1')}", HOST) is None
    assert sign_in.redeem(cookie_of(sign_in, "a1").partition("=")[2]) is None


def test_another_token_makes_cookies_worthless(sign_in: SignIn, clock: Clock) -> None:
    again = SignIn({"a1": b"alpha"}, clock)
    assert again.signed_in(cookie_of(sign_in, "a1"), HOST) == "a1"
    changed = SignIn({"a1": b"gamma"}, clock)
    assert changed.signed_in(cookie_of(sign_in, "a1"), HOST) is None


@pytest.mark.parametrize(
    "value", ["", ".", "a1", "a1.9999999999.x.y", "a1.²²²²²²²²²².x.y", "\x00", "b2.1e9.n.s", "\N{SNOWMAN}.1.2.3"]
)
def test_an_invented_code_or_cookie_does_not_sign_in(sign_in: SignIn, value: str) -> None:
    assert sign_in.redeem(value) is None
    assert sign_in.signed_in(f"prunus-8787={value}", HOST) is None


def test_a_cookie_with_another_tenant_is_refused(sign_in: SignIn) -> None:
    assert sign_in.signed_in(cookie_of(sign_in, "a1").replace("=a1.", "=b2."), HOST) is None
