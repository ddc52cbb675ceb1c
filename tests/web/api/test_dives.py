"""Dives, search, answers, conversations and gaps over the API, on a site with two pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.client import ApiError, Client
from sitecrawl.services.permissions import Permission, Role
from tests.dive.conftest import make_searchable
from tests.dive.model_server import ModelServer
from tests.store.scanning import SITE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

    from tests.web.serving import Serving

_HIVE = "A hive has one queen and many workers, who feed her through the winter."
_PAGES = {
    "/bees": f"<title>Bees</title><main><h1>Bees</h1><p>{_HIVE}</p></main>",
    "/hours": "<title>Hours</title><main><p>We open at nine in the morning.</p></main>",
}


@dataclass(frozen=True)
class Diving:
    server: Serving
    http: httpx.Client
    api: Client
    site_id: int

    def streamed(self, question: str, **given: Any) -> list[tuple[str, Any]]:
        """The events of an answer."""
        path, body = f"/api/sites/{self.site_id}/ask/stream", {"question": question, **given}
        with self.http.stream("POST", path, json=body) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream"), answer.read()
            lines = [line.partition(": ") for line in answer.iter_lines() if line]
        names = [value for name, _, value in lines if name == "event"]
        return list(
            zip(names, (json.loads(v) for name, _, v in lines if name == "data"), strict=True)
        )


@pytest.fixture
def diving(serve: Callable[..., Serving]) -> Iterator[Callable[..., Diving]]:
    clients: list[Client] = []

    def start(**settings: Any) -> Diving:
        server = serve(**settings)
        make_searchable(server.database, _PAGES)
        owner = server.signed_in(server.add_user())
        added = owner.post("/api/sites", json={"rootUrl": f"https://{SITE}/"}).json()
        owner.post(f"/api/jobs/{added['activeJobId']}/cancel")
        token = owner.post("/api/tokens", json={"name": "all", "scopes": list(Permission)})
        clients.append(Client(server.url, token.json()["token"]))
        return Diving(server, owner, clients[0], added["id"])

    yield start
    for client in clients:
        client.close()


def test_passages_are_found_with_their_score(diving: Callable[..., Diving]) -> None:
    site = diving()
    [first, *_] = site.api.search_site(site.site_id, q="who feeds the queen")["hits"]
    assert (first["title"], first["text"]) == ("Bees", _HIVE)
    assert first["link"].startswith(f"https://{SITE}/bees#:~:text=A%20hive")
    score = first["score"]
    shares = score["weight"] * score["meaning"] + (1 - score["weight"]) * score["words"]
    assert score["total"] == pytest.approx(shares)
    [only] = site.api.search_site(site.site_id, q="queen", prefix=f"https://{SITE}/hours")["hits"]
    assert only["title"] == "Hours"
    for wrong in ("q=", f"q={'x' * 1_001}", "q=a&limit=101", "q=a&no=1"):
        answer = site.http.get(f"/api/sites/{site.site_id}/search?{wrong}")
        assert answer.status_code == 422, wrong


def test_answers_are_streamed_and_kept(diving: Callable[..., Diving]) -> None:
    site = diving()
    events = site.streamed("Who feeds the queen of a hive?")
    assert [name for name, _ in events] == ["piece", "answer"]
    answer = events[-1][1]
    assert events[0][1] == {"text": answer["text"]}
    assert (answer["kind"], answer["model"]) == ("extractive", "")
    assert answer["text"] == f"{_HIVE} [S1]"
    [citation] = answer["citations"]
    assert (citation["label"], citation["quote"]) == ("S1", _HIVE)
    conversation = answer["conversationId"]
    missing = site.api.ask_site(
        site.site_id, {"question": "What is a black hole?", "conversationId": conversation}
    )
    assert missing["kind"] == "not_found"
    kept = site.api.get_conversation(site.site_id, conversation)["turns"]
    assert [(turn["kind"], len(turn["citations"])) for turn in kept] == [
        ("extractive", 1),
        ("not_found", 0),
    ]
    [listed] = site.api.list_conversations(site.site_id)["conversations"]
    assert (listed["id"], listed["turns"]) == (conversation, 2)
    [gap] = site.api.list_gaps(site.site_id)["gaps"]
    assert (gap["question"], gap["asked"]) == ("What is a black hole?", 1)


def test_conversations_are_of_one_person(diving: Callable[..., Diving]) -> None:
    site = diving()
    own = site.api.ask_site(site.site_id, {"question": "Who feeds the queen?"})["conversationId"]
    other = site.server.signed_in(site.server.add_user(Role.MEMBER))
    path = f"/api/sites/{site.site_id}"
    assert other.get(f"{path}/conversations").json() == {"conversations": []}
    assert other.get(f"{path}/conversations/{own}").status_code == 404
    body = {"question": "And then?", "conversationId": own}
    assert other.post(f"{path}/ask", json=body).status_code == 404
    refused = other.post(f"{path}/ask/stream", json=body)
    assert refused.status_code == 404
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_model_is_streamed_and_its_tokens_count(diving: Callable[..., Diving]) -> None:
    with ModelServer("The workers feed", " her [S1]. ", "Buy at https://evil.example/.") as model:
        site = diving(
            model_url=model.url,
            model_name="tiny",
            address_allow=(model.endpoint,),
            model_daily_tokens=100,
        )
        events = site.streamed("Who feeds the queen?")
        assert [name for name, _ in events] == ["piece", "answer"]
        assert events[-1][1]["text"] == "The workers feed her [S1]."
        assert (events[-1][1]["kind"], events[-1][1]["model"]) == ("model", "tiny")
        # That one question has used what a day allows.
        assert site.streamed("Who feeds the queen?")[-1][1]["kind"] == "extractive"


def test_what_a_model_invents_is_marked(diving: Callable[..., Diving]) -> None:
    said = ("The workers feed her [S1]. ", "A hive costs 900 euros in Graz [S1].")
    with ModelServer(*said) as model:
        site = diving(model_url=model.url, model_name="tiny", address_allow=(model.endpoint,))
        answer = site.streamed("Who feeds the queen?")[-1][1]
        [doubted] = answer["unsupported"]
        assert (doubted["text"], doubted["missing"]) == (
            said[1],
            ["900", "Graz", "costs", "euros"],
        )
        number = answer["conversationId"]
        [turn] = site.api.get_conversation(site.site_id, number)["turns"]
        assert turn["unsupported"] == answer["unsupported"]
        page = site.http.get(f"/sites/{site.site_id}/ask?conversation={number}").text
        assert page.count('class="unsupported"') == 1
        assert "not in its sources: &#34;900&#34;, &#34;Graz&#34;" in page


def test_topics_and_similar_pages_are_told(diving: Callable[..., Diving]) -> None:
    site = diving()
    told = site.api.get_topics(site.site_id)
    assert (told["topics"], told["pages"], told["competing"]) == ([], [], [])
    [hit] = site.api.search_site(site.site_id, q="hive", limit=1)["hits"]
    [other] = site.api.list_similar_pages(site.site_id, hit["pageId"])["pages"]
    assert other["url"] == f"https://{SITE}/hours"
    with pytest.raises(ApiError) as caught:
        site.api.list_similar_pages(site.site_id, "77")
    assert caught.value.status == 404


def test_a_dive_is_queued_followed_and_cancelled(diving: Callable[..., Diving]) -> None:
    site = diving()
    dive = site.api.start_dive(site.site_id, {"cluster": "/docs"})
    assert (dive["status"], dive["wanted"]) == ("queued", {"cluster": "/docs"})
    with pytest.raises(ApiError) as caught:
        site.api.start_dive(site.site_id, {})
    assert caught.value.status == 409
    stream = site.api.stream_dive(site.site_id, dive["id"])
    _, name, data = next(stream)
    assert (name, data["status"]) == ("progress", "queued")
    assert dive["jobId"] is not None
    site.api.cancel_job(dive["jobId"])
    [(_, name, data)] = stream
    assert (name, data["status"]) == ("ended", "cancelled")
    listed = site.api.list_dives(site.site_id)
    assert [each["status"] for each in listed["dives"]] == ["cancelled", "running"]
    assert (listed["searchablePages"], listed["searchablePassages"]) == (2, 2)


def test_a_site_without_a_dive_says_what_is_missing(server: Serving) -> None:
    owner = server.signed_in(server.add_user())
    site_id = owner.post("/api/sites", json={"rootUrl": "https://example.org/"}).json()["id"]
    for method, path in (("get", "search?q=x"), ("get", "dives"), ("post", "dives")):
        answer = owner.request(method, f"/api/sites/{site_id}/{path}", json={})
        assert answer.status_code == 404
        assert "has not been scanned yet" in answer.json()["detail"]
