"""Signing in by the API: cookies, fixation, throttling, revoking."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import SignInRefusedError, ThrottledError
from sitecrawl.services import sessions
from sitecrawl.services.callers import SessionRules, caller_by_session
from sitecrawl.services.permissions import Role
from sitecrawl.services.sessions import Client
from tests.web.serving import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.serving import Serving

RULES = SessionRules()


def test_a_session_is_a_guarded_cookie(server: Serving) -> None:
    email = server.add_user()
    client = server.anonymous()
    answer = client.post("/api/session", json={"email": email, "password": PASSWORD})
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("sitecrawl-insecure=")
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert client.get("/api/session").json()["email"] == email


def test_by_https_the_cookie_is_bound_to_the_host(serve: Callable[..., Serving]) -> None:
    server = serve(web_trusted_proxies=("127.0.0.1",))
    email = server.add_user()
    answer = server.anonymous().post(
        "/api/session",
        json={"email": email, "password": PASSWORD},
        headers={"X-Forwarded-Proto": "https"},
    )
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("__host-sitecrawl=")
    assert "secure" in cookie
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_a_proxy_that_is_not_trusted_says_nothing(server: Serving) -> None:
    email = server.add_user()
    answer = server.anonymous().post(
        "/api/session",
        json={"email": email, "password": PASSWORD},
        headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"},
    )
    assert "strict-transport-security" not in answer.headers
    client = server.signed_in(email)
    seen = {each["address"] for each in client.get("/api/sessions").json()["sessions"]}
    assert seen == {"127.0.0.1"}


def test_a_session_that_somebody_planted_is_not_used(server: Serving) -> None:
    email = server.add_user()
    client = server.anonymous()
    client.cookies.set("sitecrawl-insecure", "planted", domain="127.0.0.1")
    before = server.signed_in(email)
    old = before.cookies["sitecrawl-insecure"]
    before.post("/api/session", json={"email": email, "password": PASSWORD})
    answer = client.post("/api/session", json={"email": email, "password": PASSWORD})
    assert "planted" not in answer.headers["set-cookie"]
    # Signing in again ends the session that the browser came with.
    assert caller_by_session(server.database, old, RULES) is None


def test_the_answer_does_not_tell_which_accounts_exist(server: Serving) -> None:
    email = server.add_user()
    client = server.anonymous()
    answers = [
        client.post("/api/session", json={"email": each, "password": "wrong password"})
        for each in (email, "nobody@example.com", "not an address")
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1


@pytest.mark.parametrize("email", ["owner-1@example.com", "nobody@example.com"])
def test_failures_block_an_account_whether_it_exists_or_not(server: Serving, email: str) -> None:
    server.add_user()
    client = server.anonymous()
    wrong = {"email": email, "password": "wrong password"}
    statuses = [client.post("/api/session", json=wrong).status_code for _ in range(9)]
    assert statuses == [401] * 8 + [429]
    answer = client.post("/api/session", json={"email": email, "password": PASSWORD})
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["retry-after"]) <= 31


def test_a_block_is_over_after_a_while(server: Serving) -> None:
    email = server.add_user()
    now = datetime.now(UTC)
    client = Client("192.0.2.1")
    for _ in range(8):
        with pytest.raises(SignInRefusedError):
            sessions.sign_in(server.database, email, "wrong", client, RULES, now)
    with pytest.raises(ThrottledError):
        sessions.sign_in(server.database, email, PASSWORD, client, RULES, now)
    later = now + timedelta(seconds=31)
    opened = sessions.sign_in(server.database, email, PASSWORD, client, RULES, later)
    assert opened.email == email


def test_sessions_end_when_they_are_idle_or_old(server: Serving) -> None:
    email = server.add_user()
    now = datetime.now(UTC)
    opened = sessions.sign_in(server.database, email, PASSWORD, Client("192.0.2.1"), RULES, now)

    def is_known(later: timedelta) -> bool:
        return caller_by_session(server.database, opened.secret, RULES, now + later) is not None

    assert not is_known(RULES.idle)
    for hours in range(0, 14 * 24, 11):  # used often enough
        assert is_known(timedelta(hours=hours))
    assert not is_known(RULES.absolute)


def test_sessions_can_be_seen_and_revoked(server: Serving) -> None:
    email = server.add_user()
    here, there = server.signed_in(email), server.signed_in(email)
    listed = here.get("/api/sessions").json()["sessions"]
    [other] = [each["id"] for each in listed if not each["isCurrent"]]
    assert here.delete(f"/api/sessions/{other}").status_code == 204
    assert there.get("/api/session").status_code == 401
    assert here.delete(f"/api/sessions/{other}").status_code == 404
    stranger = server.signed_in(server.add_user(Role.VIEWER))
    assert stranger.delete(f"/api/sessions/{listed[0]['id']}").status_code == 404
    assert here.delete("/api/session").status_code == 204
    assert here.get("/api/session").status_code == 401


def test_another_password_ends_the_other_sessions(server: Serving) -> None:
    email = server.add_user()
    here, there = server.signed_in(email), server.signed_in(email)
    new = "another long password"
    wrong = {"currentPassword": "wrong password", "newPassword": new}
    assert here.put("/api/session/password", json=wrong).status_code == 401
    right = {"currentPassword": PASSWORD, "newPassword": new}
    assert here.put("/api/session/password", json=right).status_code == 204
    assert here.get("/api/session").status_code == 200
    assert there.get("/api/session").status_code == 401
    server.signed_in(email, new)
