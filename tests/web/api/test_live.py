"""Progress as server-sent events, and the figures for Prometheus."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import httpx
import pytest

from sitecrawl.client import ApiError, Client
from sitecrawl.services.permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.serving import Serving


@pytest.fixture
def client(server: Serving) -> Iterator[Client]:
    owner = server.signed_in(server.add_user())
    given = {"name": "all", "scopes": list(Permission)}
    token = owner.post("/api/tokens", json=given).json()["token"]
    with Client(server.url, token) as made:
        yield made


def test_a_job_is_followed_to_its_end(client: Client) -> None:
    job_id = client.create_site({"rootUrl": "https://example.com"})["activeJobId"]
    assert job_id is not None
    seen = []
    for number, name, data in client.stream_job(job_id):
        seen.append((name, data["job"]["status"]))
        if len(seen) == 1:
            client.cancel_job(job_id)
            first = number
    assert seen == [("progress", "queued"), ("ended", "cancelled")]
    # Whoever connects again is not told what it knows.
    [(again, name, _)] = client.stream_job(job_id, last_event_id=first)
    assert name == "ended"
    assert list(client.stream_job(job_id, last_event_id=again)) == []
    assert client.get_job_progress(job_id)["progress"] is None


def test_a_job_that_is_not_there_has_no_stream(client: Client) -> None:
    with pytest.raises(ApiError) as caught:
        next(iter(client.stream_job(99)))
    assert caught.value.status == 404


def test_many_follow_a_workspace(server: Serving, client: Client) -> None:
    client.create_site({"rootUrl": "https://example.com"})
    headers = {**client._http.headers}
    got: list[str] = []

    def follow() -> None:
        with (
            httpx.Client(base_url=server.url, headers=headers, timeout=30) as own,
            own.stream("GET", "/api/live/events") as answer,
        ):
            got.append(next(line for line in answer.iter_lines() if line.startswith("data:")))

    threads = [threading.Thread(target=follow) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 30
    assert len(set(got)) == 1
    assert '"queued":1' in got[0]


def test_metrics_count_requests_by_route(client: Client) -> None:
    client.create_site({"rootUrl": "https://example.com"})
    with pytest.raises(ApiError):
        client.get_site(77)
    text = client.get_metrics().decode()
    assert 'requests_total{method="GET",route="getSite",status="404"} 1.0' in text
    assert "sitecrawl_sites 1.0" in text
    assert 'sitecrawl_jobs{status="queued"} 1.0' in text
    [waiting] = re.findall(r"^sitecrawl_queue_oldest_seconds (\S+)", text, re.MULTILINE)
    assert float(waiting) > 0
