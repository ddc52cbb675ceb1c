"""Pages for people without a session, as somebody without JavaScript uses them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sitecrawl.channels.email import UNSUBSCRIBE_PATH, unsubscribe_token
from sitecrawl.errors import NotFoundError
from sitecrawl.services import users
from sitecrawl.services.channels import NewChannel, add_channel, show_channel
from sitecrawl.services.permissions import Role
from sitecrawl.services.secret_keys import secret_box
from tests.web.serving import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.serving import Serving


def test_the_first_user_sets_the_server_up(server: Serving) -> None:
    secret = users.setup_link(server.database)
    client = server.anonymous()
    page = client.get(f"/setup/{secret}")
    assert page.status_code == 200
    assert page.headers["referrer-policy"] == "no-referrer"
    short = client.post(f"/setup/{secret}", data={"email": "ada@example.com", "password": "x"})
    assert short.status_code == 422
    assert "at least 12 characters" in short.text
    done = client.post(f"/setup/{secret}", data={"email": "Ada@Example.com", "password": PASSWORD})
    assert done.status_code == 303
    assert client.get("/api/session").json()["role"] == "owner"
    again = server.anonymous().post(
        f"/setup/{secret}", data={"email": "eve@example.com", "password": PASSWORD}
    )
    assert again.status_code == 404
    assert users.setup_link(server.database) is None


def test_an_invited_user_chooses_a_password_once(server: Serving) -> None:
    owner = server.signed_in(server.add_user())
    made = owner.post("/api/users", json={"email": "grace@example.com", "role": "viewer"}).json()
    path = made["passwordLink"].removeprefix(server.url)
    client = server.anonymous()
    assert "grace@example.com" in client.get(path).text
    assert client.post(path, data={"password": PASSWORD}).status_code == 303
    assert client.get("/api/session").json()["email"] == "grace@example.com"
    assert server.anonymous().post(path, data={"password": PASSWORD}).status_code == 404


def test_a_new_link_replaces_the_one_before(server: Serving) -> None:
    server.add_user()
    server.add_user(Role.MEMBER, "m@example.com")
    number = users.find_user(server.database, "m@example.com").id
    first = users.password_link(server.database, 1, number)
    users.password_link(server.database, 1, number)
    with pytest.raises(NotFoundError):
        users.use_password_link(server.database, first, PASSWORD)


def test_whoever_is_not_signed_in_is_sent_there_and_back(server: Serving) -> None:
    email = server.add_user()
    client = server.anonymous()
    client.headers["Accept"] = "text/html"
    sent = client.get("/?tab=1")
    assert sent.status_code == 303
    assert sent.headers["location"] == "/login?next=%2F%3Ftab%3D1"
    form = client.get(sent.headers["location"])
    [target] = re.findall(r'name="next" value="([^"]*)"', form.text)
    done = client.post("/login", data={"email": email, "password": PASSWORD, "next": target})
    assert done.headers["location"] == "/?tab=1"
    assert client.get("/").status_code == 200
    assert client.post("/logout").status_code == 303
    assert client.get("/").status_code == 303


def test_errors_are_pages_for_people_and_problems_for_programs(server: Serving) -> None:
    client = server.anonymous()
    page = client.get("/nowhere", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    problem = client.get("/api/nowhere", headers={"Accept": "text/html"})
    assert problem.headers["content-type"] == "application/problem+json"
    wrong_method = client.put("/api/health")
    assert wrong_method.status_code == 405
    assert wrong_method.json()["type"] == "/problems/method-not-allowed"
    assert "GET" in wrong_method.headers["allow"]
    meaning = client.get(wrong_method.json()["type"])
    assert meaning.text.startswith("Method not allowed")


def test_plain_http_from_elsewhere_is_warned_of(serve: Callable[..., Serving]) -> None:
    server = serve(web_public_url="http://monitor.example")
    client = server.anonymous()
    assert "not encrypted" not in client.get("/login").text
    assert "not encrypted" in client.get("/login", headers={"Host": "monitor.example"}).text


def test_only_a_post_unsubscribes_and_it_needs_no_session(server: Serving) -> None:
    """The button of mail programs posts like this (RFC 8058); scanners of mail open the link."""
    new = NewChannel("email", "anna@example.com")
    channel = add_channel(server.database, 1, new, server.config).channel
    key = secret_box(server.database, server.config).derived_key("unsubscribe")
    path = UNSUBSCRIBE_PATH + unsubscribe_token(channel.id, key)
    client = server.anonymous()
    for answer in (client.get(path), client.head(path)):
        assert answer.status_code in {200, 405}
        assert show_channel(server.database, 1, channel.id).enabled
    assert 'method="post"' in client.get(path).text
    one_click = client.post(path, data={"List-Unsubscribe": "One-Click"})
    assert one_click.status_code == 200
    assert not show_channel(server.database, 1, channel.id).enabled
