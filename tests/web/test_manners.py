"""What holds for every request of the API: errors, caching, repeating, waiting, compression."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.services import idempotency
from sitecrawl.web.problems import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.serving import Serving
    from tests.web.world import World


@pytest.mark.parametrize(
    ("method", "path", "given", "kind"),
    [
        ("GET", "/api/nothing", {}, "not-found"),
        ("GET", "/api/sites/999", {}, "not-found"),
        ("GET", "/api/sites/x", {}, "invalid-input"),
        ("GET", "/api/sites/1/pages?cursor=x", {}, "invalid-input"),
        ("GET", "/api/sites?limit=100000", {}, "invalid-input"),
        ("PUT", "/api/sites", {}, "method-not-allowed"),
        ("POST", "/api/sites", {"content": b"{"}, "invalid-input"),
        ("POST", "/api/sites", {"content": b"\xff\xfe"}, "invalid-input"),
        ("POST", "/api/sites", {"content": b"[" * 100_000}, "bad-request"),
        ("POST", "/api/sites", {"json": {"rootUrl": 7}}, "invalid-input"),
        ("POST", "/api/sites", {"json": {"rootUrl": "https://a.example", "x": 1}}, "invalid-input"),
        ("POST", "/api/sites", {"json": ["https://a.example"]}, "invalid-input"),
        ("POST", "/api/sites/import", {"content": b"x"}, "unsupported-media-type"),
    ],
)
def test_every_error_is_a_problem(
    shared_world: World, method: str, path: str, given: dict[str, Any], kind: str
) -> None:
    headers = {} if "json" in given or "import" in path else {"Content-Type": "application/json"}
    answer = shared_world.owner.request(method, path, headers=headers, **given)
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert (problem["type"], problem["status"]) == (f"/problems/{kind}", answer.status_code)
    assert answer.status_code == PROBLEMS[kind].status
    if kind == "method-not-allowed":
        assert set(answer.headers["allow"].split(", ")) >= {"GET", "POST"}
    if kind == "invalid-input":
        assert problem["errors"]
    assert "Traceback" not in answer.text
    # The type leads to what it means.
    assert PROBLEMS[kind].title in shared_world.anonymous.get(problem["type"]).text


def test_a_change_of_somebody_else_is_not_overwritten(server: Serving) -> None:
    client = server.signed_in(server.add_user())
    made = client.post("/api/sites", json={"rootUrl": "https://example.com"})
    path = f"/api/sites/{made.json()['id']}"
    tag = client.get(path).headers["etag"]
    first = client.patch(path, headers={"If-Match": tag}, json={"tags": ["one"]})
    assert first.status_code == 200
    assert first.headers["etag"] != tag
    late = client.patch(path, headers={"If-Match": tag}, json={"tags": ["two"]})
    assert (late.status_code, late.json()["type"]) == (412, "/problems/changed-meanwhile")
    assert client.get(path).json()["site"]["tags"] == ["one"]
    newest = client.patch(path, headers={"If-Match": first.headers["etag"]}, json={"tags": []})
    assert newest.status_code == 200
    both = f'"other", {newest.headers["etag"]}'
    assert client.patch(path, headers={"If-Match": both}, json={"tags": []}).status_code == 200
    assert client.patch(path, headers={"If-Match": "*"}, json={"tags": []}).status_code == 200


def test_scans_are_accepted_and_what_is_deleted_is_gone(server: Serving) -> None:
    client = server.signed_in(server.add_user())
    new = {"rootUrl": "https://example.com", "enabled": False}
    path = f"/api/sites/{client.post('/api/sites', json=new).json()['id']}"
    queued = client.post(f"{path}/scan")
    assert queued.status_code == 202
    assert queued.json()["status"] == "queued"
    job = client.get(queued.headers["location"])
    assert job.json()["status"] == "queued"
    gone = client.delete(path)
    assert (gone.status_code, gone.content) == (204, b"")
    assert client.get(path).status_code == 404


def test_a_repeated_request_is_answered_and_not_repeated(server: Serving) -> None:
    client = server.signed_in(server.add_user())
    key = {"Idempotency-Key": "once"}
    answers = [client.post("/api/groups", headers=key, json={"name": "one"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert "idempotency-replayed" not in answers[0].headers
    assert answers[1].headers["idempotency-replayed"] == "true"
    assert len(client.get("/api/groups").json()["groups"]) == 1
    # The keys of others are others.
    other = server.signed_in(server.add_user(email="other@example.com"))
    assert other.post("/api/groups", headers=key, json={"name": "two"}).status_code == 201


def test_what_failed_can_be_sent_again_as_soon_as_its_answer_is_there(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes to forget the key."""
    client = server.signed_in(server.add_user())
    client.post("/api/groups", json={"name": "one"}).raise_for_status()
    release = idempotency.release

    def release_late(*given: Any) -> None:
        time.sleep(0.3)
        release(*given)

    monkeypatch.setattr("sitecrawl.services.idempotency.release", release_late)
    key = {"Idempotency-Key": "again"}
    assert client.post("/api/groups", headers=key, json={"name": "one"}).status_code == 409
    assert client.post("/api/groups", headers=key, json={"name": "two"}).status_code == 201


def test_large_answers_are_compressed_and_small_ones_are_not(shared_world: World) -> None:
    path = f"/api/sites/{shared_world.site_id}/pages"
    zipped = shared_world.owner.get(path, headers={"Accept-Encoding": "gzip"})
    assert zipped.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in zipped.headers["vary"].lower()
    plain = shared_world.owner.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == zipped.json()
    assert "content-encoding" not in shared_world.owner.get("/api/health").headers


def test_files_are_streamed(shared_world: World) -> None:
    path = f"/api/sites/{shared_world.site_id}/pages.csv"
    with shared_world.owner.stream("GET", path) as answer:
        assert "content-length" not in answer.headers
        assert answer.headers["transfer-encoding"] == "chunked"
        assert answer.headers["content-disposition"].startswith("attachment")
        assert next(answer.iter_lines()).startswith("url,")


def test_a_limit_of_requests_says_how_long_to_wait(serve: Callable[..., Serving]) -> None:
    server = serve(web_requests_per_minute=5)
    client = server.signed_in(server.add_user())
    answers = [client.get("/api/groups") for _ in range(8)]
    refused = answers[-1]
    assert (refused.status_code, refused.json()["type"]) == (429, "/problems/throttled")
    assert 1 <= int(refused.headers["retry-after"]) <= 60


def test_probes_need_nobody(server: Serving) -> None:
    client = server.anonymous()
    for path in ("/api/health", "/api/ready"):
        assert client.get(path).status_code == 200
        asked = client.head(path)
        assert (asked.status_code, asked.content) == (200, b"")


def test_a_stream_goes_on_after_what_the_client_has(shared_world: World) -> None:
    """What it has seen is not sent again."""
    with shared_world.owner.stream("GET", "/api/live/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        [number] = [next(each[4:] for each in lines if each.startswith("id: "))]
    path = f"/api/jobs/{shared_world.objects['job_id']}"
    assert shared_world.owner.post(f"{path}/cancel").status_code in {200, 202, 204, 409}
    headers = {"Last-Event-ID": number}
    with shared_world.owner.stream("GET", "/api/live/events", headers=headers) as answer:
        again = next(each[4:] for each in answer.iter_lines() if each.startswith("id: "))
    assert again != number
