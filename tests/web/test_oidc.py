"""Signing in by a real OpenID provider on loopback."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from joserfc.jwk import RSAKey

from tests.web.openid import CLIENT_ID, CLIENT_SECRET, OpenIdProvider

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.web.serving import Serving

EMAIL = "ada@example.com"
VERIFIED = {"email": EMAIL, "email_verified": True}


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with OpenIdProvider() as running:
        running.claims = {**VERIFIED}
        yield running


@pytest.fixture
def server(serve: Callable[..., Serving], provider: OpenIdProvider) -> Serving:
    return serve(
        web_oidc_issuer=provider.url,
        web_oidc_client_id=CLIENT_ID,
        web_oidc_client_secret=CLIENT_SECRET,
        web_public_url="http://127.0.0.1:8400",
    )


def sign_in(server: Serving, client: httpx.Client, target: str = "/") -> httpx.Response:
    """What a browser does: to the provider, and back to us."""
    begun = client.get("/login/provider", params={"next": target})
    assert begun.status_code == 303, begun.text
    approved = httpx.get(begun.headers["location"])
    back = approved.headers["location"].replace("http://127.0.0.1:8400", server.url)
    return client.get(back)


def test_a_user_signs_in_by_the_provider(server: Serving) -> None:
    server.add_user(email=EMAIL)
    client = server.anonymous()
    assert "/login/provider" in client.get("/login").text
    done = sign_in(server, client, "/sites/1")
    assert (done.status_code, done.headers["location"]) == (303, "/sites/1")
    assert client.get("/api/session").json()["email"] == EMAIL


def test_later_the_user_is_known_by_its_identity(server: Serving, provider: OpenIdProvider) -> None:
    server.add_user(email=EMAIL)
    assert sign_in(server, server.anonymous()).status_code == 303
    provider.claims = {"email": "ada@married.example", "email_verified": True}
    client = server.anonymous()
    assert sign_in(server, client).status_code == 303
    assert client.get("/api/session").json()["email"] == EMAIL


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "stranger@example.com", "email_verified": True},
        {"email": EMAIL, "email_verified": False},
        {"email": EMAIL},
        {**VERIFIED, "aud": "somebody else"},
        {**VERIFIED, "iss": "https://evil.example"},
        {**VERIFIED, "exp": int(time.time()) - 3_600},
        {**VERIFIED, "nonce": "of another sign-in"},
    ],
)
def test_others_are_refused(
    server: Serving, provider: OpenIdProvider, claims: dict[str, Any]
) -> None:
    server.add_user(email=EMAIL)
    provider.claims = claims
    client = server.anonymous()
    assert sign_in(server, client).status_code == 401
    assert client.get("/api/session").status_code == 401


def test_a_token_that_somebody_else_signed_is_refused(
    server: Serving, provider: OpenIdProvider
) -> None:
    server.add_user(email=EMAIL)
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "one"})
    assert sign_in(server, server.anonymous()).status_code == 401


def test_a_sign_in_that_another_browser_began_is_refused(server: Serving) -> None:
    server.add_user(email=EMAIL)
    attacker, victim = server.anonymous(), server.anonymous()
    begun = attacker.get("/login/provider")
    back = httpx.get(begun.headers["location"]).headers["location"]
    path = back.replace("http://127.0.0.1:8400", "")
    assert victim.get(path).status_code == 401
    victim.get("/login/provider")
    assert victim.get(path).status_code == 401


@pytest.mark.parametrize("value", ["W10=", "eyJzdGF0ZSI6MX0=", "bnVsbA==", "%%"])
def test_a_cookie_that_somebody_made_up_is_refused(server: Serving, value: str) -> None:
    headers = {"Cookie": f"sitecrawl-provider={value}"}
    path = "/login/provider/callback?state=x&code=y"
    assert server.anonymous().get(path, headers=headers).status_code == 401


def test_without_a_provider_there_is_no_such_page(serve: Callable[..., Serving]) -> None:
    client = serve().anonymous()
    assert client.get("/login/provider").status_code == 404
    assert "/login/provider" not in client.get("/login").text
