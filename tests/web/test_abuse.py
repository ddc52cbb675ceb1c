"""What somebody with bad intentions would try."""

from __future__ import annotations

import csv
import io
import re
import resource
import select
import socket
import threading
from http.client import HTTPResponse
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from sitecrawl.errors import SignInRefusedError, ThrottledError
from sitecrawl.services import sessions
from sitecrawl.services.callers import SessionRules
from sitecrawl.services.passwords import is_password
from sitecrawl.services.permissions import Role
from sitecrawl.services.sessions import Client
from sitecrawl.web import pages
from sitecrawl.web.app import create_app, described_api
from tests.web.serving import PASSWORD
from tests.web.world import HOSTILE, MARK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.serving import Serving
    from tests.web.world import World


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "SAME"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/session"),
        ("POST", "/login"),
        ("POST", "/logout"),
        ("POST", "/api/groups"),
        ("PATCH", "/api/sites/1"),
        ("DELETE", "/api/sites/1"),
    ],
)
def test_other_sites_cannot_send_requests(
    shared_world: World, method: str, path: str, headers: dict[str, str]
) -> None:
    own = shared_world.server.url
    given = {name: value.replace("SAME", own) for name, value in headers.items()}
    answer = shared_world.owner.request(method, path, headers=given, json={})
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems/cross-site"


def test_other_sites_reach_no_route_that_changes_something(shared_world: World) -> None:
    """Of the API and of the pages, whatever the number of an object."""
    app = create_app(shared_world.server.config, shared_world.server.database)
    asked = 0
    for context in iter_route_contexts(app.routes):
        for method in set(getattr(context, "methods", None) or ()) - {"GET", "HEAD"}:
            path = re.sub(r"\{\w+(:path)?\}", "1", context.path or "")
            answer = shared_world.owner.request(
                method, path, headers={"Sec-Fetch-Site": "cross-site"}
            )
            assert answer.status_code == 403, f"{method} {path}"
            assert answer.json()["type"] == "/problems/cross-site"
            asked += 1
    assert asked > 60


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "SAME"}, {}])
def test_our_own_pages_and_programs_can(shared_world: World, headers: dict[str, str]) -> None:
    given = {
        name: value.replace("SAME", shared_world.server.url) for name, value in headers.items()
    }
    name = f"group of {sorted(headers)} {headers}"
    answer = shared_world.owner.post("/api/groups", headers=given, json={"name": name[:90]})
    assert answer.status_code == 201


def test_another_name_of_the_server_is_refused(shared_world: World) -> None:
    answer = shared_world.anonymous.get("/login", headers={"Host": "rebound.example"})
    assert answer.status_code == 421
    probe = shared_world.anonymous.get("/api/health", headers={"Host": "10.0.0.7:8400"})
    assert probe.status_code == 200


def test_references_to_objects_of_others_are_refused(shared_world: World) -> None:
    stranger, site_id = shared_world.stranger, shared_world.site_id
    group = shared_world.owner.post("/api/groups", json={"name": "ours"}).json()["id"]
    new = {"rootUrl": "https://theirs.example", "groupId": group}
    assert stranger.post("/api/sites", json=new).status_code == 422
    hook = {"type": "webhook", "target": "https://hooks.example.com/x"}
    for scope in ({"siteId": site_id}, {"groupId": group}):
        answer = stranger.post("/api/channels", json={**hook, **scope})
        assert answer.status_code in {404, 422}, answer.text
    answer = stranger.post("/api/sites/bulk", json={"action": "delete", "ids": [site_id]})
    assert answer.json() == {"done": [], "failed": {}}
    assert shared_world.owner.get(f"/api/sites/{site_id}").status_code == 200
    assert stranger.put("/api/session/workspace", json={"workspaceId": 1}).status_code == 404


def test_private_addresses_are_not_reached_through_webhooks(shared_world: World) -> None:
    for target in ("http://169.254.169.254/latest", "http://127.0.0.1:22/", "file:///etc/passwd"):
        added = shared_world.owner.post("/api/channels", json={"type": "webhook", "target": target})
        if added.status_code == 201:
            tested = shared_world.owner.post(f"/api/channels/{added.json()['id']}/test").json()
            assert tested["ok"] is False, target
        else:
            assert added.status_code == 422, added.text


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:22/",
        "127.0.0.1",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest/meta-data",
        "https://10.0.0.5",
        "http://localhost:8400",
        "http://a.localhost",
        "http://metadata.google.internal/",
        "http://metadata/",
        "http://printer.local.",
        "http://router.home.arpa",
    ],
)
def test_private_addresses_are_not_reached_through_sites(shared_world: World, url: str) -> None:
    owner, site_id = shared_world.owner, shared_world.site_id
    for answer in (
        owner.post("/api/sites", json={"rootUrl": url}),
        owner.patch(f"/api/sites/{site_id}", json={"rootUrl": url}),
    ):
        assert answer.status_code == 422, answer.text
        [error] = answer.json()["errors"]
        assert error["field"] == "rootUrl"
    [row] = owner.post("/api/sites/import", json={"csv": url}).json()["results"]
    assert row["outcome"] == "invalid"
    assert "SITECRAWL_ADDRESS_ALLOW" in row["message"]


def test_nobody_in_the_web_allows_private_addresses(shared_world: World) -> None:
    owner = shared_world.owner
    given = {"rootUrl": "http://127.0.0.1:22/", "allowPrivate": True}
    assert owner.post("/api/sites", json=given).status_code == 422
    columns = "root_url,allow_private,settings\n"
    for setting in ("SITECRAWL_ALLOW_PRIVATE_SITE", "SITECRAWL_ADDRESS_ALLOW"):
        settings = {setting: "127.0.0.1"}
        new = {"rootUrl": "https://new.example", "settings": settings}
        assert owner.post("/api/sites", json=new).status_code == 422
        row = f'http://127.0.0.1:22/,true,"{{""{setting}"": ""127.0.0.1""}}"'
        [result] = owner.post("/api/sites/import", json={"csv": columns + row}).json()["results"]
        assert result["outcome"] == "invalid"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2f%2e%2e%2fsettings.py",
        "/static//etc/passwd",
        "/problems/../../etc/passwd",
    ],
)
def test_paths_lead_to_no_other_file(shared_world: World, path: str) -> None:
    host, port = shared_world.server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        answer = b""
        while chunk := connection.recv(65_536):
            answer += chunk
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"import" not in answer
    assert b"root:" not in answer


def test_bodies_have_a_limit(serve: Callable[..., Serving]) -> None:
    server = serve(web_max_body_bytes=10_000)
    client = server.signed_in(server.add_user())
    too_large = {"csv": "x" * 20_000}
    for answer in (
        client.post("/api/sites/import", json=too_large),
        client.post("/login", data={"email": "x" * 20_000, "password": "x"}),
        # Without a length, as it comes.
        client.post(
            "/api/sites/import",
            content=(b"x" * 1_000 for _ in range(20)),
            headers={"Content-Type": "application/json"},
        ),
    ):
        assert answer.status_code == 413
        assert answer.json()["type"] == "/problems/too-large"


def test_who_sends_too_much_gets_the_answer(serve: Callable[..., Serving]) -> None:
    """Also a client that reads nothing before it has sent everything."""
    server = serve(web_max_body_bytes=10_000)
    host, port = server.url.removeprefix("http://").split(":")
    size = 20_000_000
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        head = "POST /api/sites/import HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        connection.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode())
        connection.sendall(b"x" * size)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"/problems/too-large" in answer


@pytest.mark.parametrize("path", ["/setup/x", "/password/x", "/unsubscribe/x", "/login/provider"])
def test_public_pages_have_a_limit_of_requests(serve: Callable[..., Serving], path: str) -> None:
    client = serve(web_requests_per_minute=2).anonymous()
    assert [client.get(path).status_code for _ in range(3)] == [404, 404, 429]


def test_a_body_that_does_not_come_is_given_up(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it comes byte by byte."""
    monkeypatch.setattr("sitecrawl.web.middleware._BODY_SECONDS", 0.5)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        head = "POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
        for _ in range(900):
            if select.select([connection], [], [], 0.1)[0]:
                break
            connection.sendall(b" ")
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408"), answer
    assert b"/problems/too-slow" in answer
    assert server.anonymous().get("/api/health").status_code == 200


@pytest.mark.parametrize("head", ["", "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_a_head_that_does_not_come_is_given_up(
    server: Serving, monkeypatch: pytest.MonkeyPatch, head: str
) -> None:
    """Also when it comes byte by byte, and as that of a second request."""
    monkeypatch.setattr("sitecrawl.web.server._HEAD_SECONDS", 0.5)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        if head:
            connection.sendall(f"{head}\r\n".encode())
            with HTTPResponse(connection) as answer:
                answer.begin()
                assert (answer.status, bool(answer.read())) == (200, True)
            connection.sendall(head.encode())
        for _ in range(300):
            if select.select([connection], [], [], 0.1)[0]:
                break
            if head:
                connection.sendall(b"x")
        assert connection.recv(65_536) == b""


def test_a_thousand_guesses_are_stopped_by_address_and_account(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of them cost a hash, and no answer tells which account there is."""
    known = server.add_user()
    checked: list[str | None] = []

    def is_wrong(_password: str, known_hash: str | None) -> bool:
        checked.append(known_hash)
        return False

    monkeypatch.setattr("sitecrawl.services.sessions.is_password", is_wrong)
    answers: dict[str, set[str]] = {"known": set(), "unknown": set()}
    for number in range(1_000):
        email = known if number % 2 else f"guess-{number % 20}@example.com"
        client = Client(f"192.0.2.{number % 5}", "")
        with pytest.raises((SignInRefusedError, ThrottledError)) as caught:
            sessions.sign_in(server.database, email, "guess", client, SessionRules())
        kind = type(caught.value).__name__
        words = re.sub(r"\d+", "N", str(caught.value))
        answers["known" if number % 2 else "unknown"].add(f"{kind}: {words}")
    # Of an address 40 are free, of an account there 8; then every failure doubles the wait.
    assert len(checked) <= 5 * 40
    assert answers["known"] == answers["unknown"]
    assert len(answers["known"]) == 2


def test_a_thousand_logins_over_http_hold_nobody_up(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From two addresses, 20 at a time, while somebody who is signed in goes on working."""
    server = serve(web_trusted_proxies=("127.0.0.1",), web_requests_per_minute=0)
    known = server.add_user()
    owner = server.signed_in(known)
    hashing = _Counting(is_password)
    monkeypatch.setattr("sitecrawl.services.sessions.is_password", hashing)
    before = _resident_bytes()
    answers: list[httpx.Response] = []

    def guess(first: int) -> None:
        with httpx.Client(base_url=server.url, timeout=120) as client:
            for number in range(first, 1_000, 20):
                email = known if number % 2 else f"guess-{number}@example.com"
                answers.append(
                    client.post(
                        "/api/session",
                        json={"email": email, "password": "guess"},
                        headers={"X-Forwarded-For": f"192.0.2.{number // 20 % 2}"},
                    )
                )

    threads = [threading.Thread(target=guess, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    others = [owner.get("/api/sites").status_code for _ in range(20)]
    for thread in threads:
        thread.join()
    assert others == [200] * 20
    assert len(answers) == 1_000
    assert {each.status_code for each in answers} == {401, 429}
    for answer in answers:
        assert answer.status_code == 401 or int(answer.headers["retry-after"]) >= 1
    # Of an address 40 may fail; those that wait meanwhile are checked, too.
    assert hashing.calls <= 2 * (40 + 20)
    assert hashing.most_at_once <= 2
    assert _resident_bytes() - before < 150_000_000
    # The owner gets in from where it has been before.
    monkeypatch.undo()
    assert server.signed_in(known).get("/api/session").status_code == 200


class _Counting:
    """A function that notes how often it is called, and how often at once."""

    def __init__(self, function: Callable[..., bool]) -> None:
        self._function = function
        self._lock = threading.Lock()
        self._running = 0
        self.calls = 0
        self.most_at_once = 0

    def __call__(self, *given: Any) -> bool:
        with self._lock:
            self.calls += 1
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        try:
            return self._function(*given)
        finally:
            with self._lock:
                self._running -= 1


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_no_password_is_hashed_for_a_wrong_setup_link(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    monkeypatch.setattr("sitecrawl.services.users.hash_password", hashed.append)
    form = {"email": "eve@example.com", "password": PASSWORD}
    assert server.anonymous().post("/setup/guess", data=form).status_code == 404
    assert hashed == []


def test_too_many_requests_have_to_wait(serve: Callable[..., Serving]) -> None:
    server = serve(web_requests_per_minute=10)
    client = server.anonymous()
    statuses = [client.get("/api/session").status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    answer = client.get("/api/session")
    assert int(answer.headers["retry-after"]) >= 1
    # Others are served all the same.
    assert client.get("/api/health").status_code == 200


def test_many_who_sign_in_at_once_do_not_stop_the_others(server: Serving) -> None:
    server.add_user()
    statuses: list[int] = []

    def sign_in(number: int) -> None:
        client = server.anonymous()
        given = {"email": f"nobody-{number}@example.com", "password": PASSWORD}
        statuses.append(client.post("/api/session", json=given).status_code)

    threads = [threading.Thread(target=sign_in, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    took = []
    for _ in range(5):
        answer = server.anonymous().get("/api/health")
        assert answer.status_code == 200
        took.append(answer.elapsed.total_seconds())
    for thread in threads:
        thread.join()
    assert set(statuses) <= {401, 429}
    assert max(took) < 5


def test_what_sites_are_called_is_no_formula_in_a_download(server: Serving) -> None:
    client = server.signed_in(server.add_user())
    new = {"rootUrl": "https://example.com", "name": "=HYPERLINK(1)", "tags": ["+1", "@x"]}
    assert client.post("/api/sites", json=new).status_code == 201
    for path in ("/api/sites/export.csv", "/api/sites/export.csv?full=true"):
        rows = csv.reader(io.StringIO(client.get(path).text))
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "+", "-", "@")), cell


_TABLES = sorted(
    path.replace("{format}", "csv")
    for path, methods in described_api()["paths"].items()
    if "text/csv" in methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
)


@pytest.mark.parametrize("path", _TABLES)
def test_what_a_site_says_is_no_formula_in_a_download(shared_world: World, path: str) -> None:
    """A page is titled ``=1+1``; a number that is negative is no formula."""
    answer = shared_world.owner.get(path.format(site_id=shared_world.site_id))
    assert answer.status_code == 200, answer.text
    for row in csv.reader(io.StringIO(answer.text)):
        for cell in row:
            is_number = re.fullmatch(r"-[0-9.]+", cell)
            assert is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), row


_PAGES = sorted(
    context.path or ""
    for context in iter_route_contexts(pages.router.routes)
    if "GET" in (getattr(context, "methods", None) or ())
)


@pytest.mark.parametrize("path", _PAGES)
def test_hostile_text_is_text_on_every_page(shared_world: World, path: str) -> None:
    """People have written it into everything that they can write, and the site into its pages."""
    values = {**shared_world.objects, "secret": "x", "token": "x", "name": "x"}
    filled = re.sub(r"\{(\w+)(:path)?\}", lambda name: str(values[name[1]]), path)
    client = shared_world.owner
    headers = {"Accept": "text/html"}
    for query in ("", f"?search={quote(HOSTILE)}&q={quote(HOSTILE)}&tag={quote(HOSTILE)}"):
        with client.stream("GET", filled + query, headers=headers) as answer:
            is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
            # A stream does not end: its first event says enough.
            text = next(answer.iter_text()) if is_stream else answer.read().decode()
        assert answer.status_code < 500, text
        assert "<script>alert" not in text
        assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("number", ["0", "-1", "9223372036854775808", "9" * 30, "9" * 5_000])
def test_numbers_that_no_row_can_have_are_not_found(shared_world: World, number: str) -> None:
    for path in ("/sites/{}", "/tasks/{}", "/sites/{}/pages", "/sites/1/scans/{}", "/compare/{}"):
        answer = shared_world.owner.get(path.format(number))
        assert answer.status_code in {404, 422}, (path, answer.text)
    for path in ("/api/sites/{}", "/api/jobs/{}", "/api/sites/1/pages/{}"):
        answer = shared_world.owner.get(path.format(number))
        assert answer.status_code in {404, 422}, (path, answer.text)
    bulk = f'{{"action": "scan", "ids": [{number}]}}'
    headers = {"Content-Type": "application/json"}
    answer = shared_world.owner.post("/api/sites/bulk", content=bulk, headers=headers)
    assert answer.status_code in {400, 422}, answer.text


def test_the_hostile_text_is_there(shared_world: World) -> None:
    """Else the pages above would show nothing."""
    for path in ("/sites", "/groups", f"/sites/{shared_world.site_id}", "/channels"):
        page = shared_world.owner.get(path, headers={"Accept": "text/html"})
        assert page.status_code == 404 or MARK in page.text, path
    found = shared_world.owner.get(f"/sites/{shared_world.site_id}/pages?search=orphan")
    assert "alert(1)" in found.text


def test_a_page_shows_what_people_wrote_as_text(server: Serving) -> None:
    client = server.anonymous()
    evil = '"><script>alert(1)</script>'
    answer = client.post("/login", data={"email": evil, "password": "x", "next": evil})
    assert answer.status_code == 401
    assert "<script>" not in answer.text
    assert "unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil.example"])
def test_signing_in_leads_to_no_other_site(server: Serving, target: str) -> None:
    email = server.add_user()
    answer = server.anonymous().post(
        "/login", data={"email": email, "password": PASSWORD, "next": target}
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == "/"


def test_a_disabled_user_is_out_at_once(server: Serving) -> None:
    owner = server.signed_in(server.add_user())
    member = server.signed_in(server.add_user(Role.MEMBER))
    token = member.post("/api/tokens", json={"name": "t", "scopes": ["read"]}).json()["token"]
    by_token = server.by_token(token)
    assert by_token.get("/api/session").status_code == 200
    number = member.get("/api/session").json()["id"]
    assert owner.patch(f"/api/users/{number}", json={"disabled": True}).status_code == 200
    assert member.get("/api/session").status_code == 401
    assert by_token.get("/api/session").status_code == 401


def test_a_role_that_was_lowered_counts_at_once(server: Serving) -> None:
    owner = server.signed_in(server.add_user())
    member = server.signed_in(server.add_user(Role.MEMBER))
    number = member.get("/api/session").json()["id"]
    owner.patch(f"/api/users/{number}", json={"role": "viewer"})
    assert member.post("/api/groups", json={"name": "x"}).status_code == 403
    own: Any = owner.get("/api/session").json()["id"]
    assert owner.patch(f"/api/users/{own}", json={"role": "viewer"}).status_code == 409
