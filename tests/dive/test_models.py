"""Servers of models: what they are sent, and what happens when they misbehave."""

from __future__ import annotations

import pytest

from sitecrawl.dive.models import ModelFailedError, ModelServer, ServedChatModel, ServedEmbedder
from sitecrawl.safety.policy import AddressPolicy
from tests.dive.model_server import ModelServer as RunningServer

MESSAGES = [{"role": "user", "content": "When?"}]


def server(running: RunningServer) -> ModelServer:
    policy = AddressPolicy(allow=[running.endpoint])
    seconds = 1.0 if running.fault == "hang" else 60.0
    return ModelServer(running.url, "tiny", policy=policy, timeout_seconds=seconds)


def test_pieces_come_as_they_were_sent() -> None:
    with RunningServer("At ", "nine.") as running:
        assert list(ServedChatModel(server(running)).stream(MESSAGES)) == ["At ", "nine."]
        [request] = running.requests
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"] == MESSAGES
    assert "authorization" not in request.headers


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("error", "answered 500"),
        ("redirect", "answered 307"),
        ("hang", "in time"),
        ("a long line", "cannot be read"),
        ("many lines", "too much"),
    ],
)
def test_faults_are_told(fault: str, words: str) -> None:
    with RunningServer(fault=fault) as running, pytest.raises(ModelFailedError, match=words):
        list(ServedChatModel(server(running)).stream(MESSAGES))


@pytest.mark.parametrize("fault", ["nonsense", "nested"])
def test_nonsense_is_no_text(fault: str) -> None:
    with RunningServer(fault=fault) as running:
        assert list(ServedChatModel(server(running)).stream(MESSAGES)) == []


def test_a_server_that_is_not_there() -> None:
    with RunningServer() as running:
        gone = server(running)
    with pytest.raises(ModelFailedError, match="cannot be reached"):
        list(ServedChatModel(gone).stream(MESSAGES))


def test_private_addresses_are_refused() -> None:
    with RunningServer("x") as running:
        unguarded = ModelServer(running.url, "tiny")
        with pytest.raises(ModelFailedError, match="SITECRAWL_ADDRESS_ALLOW"):
            list(ServedChatModel(unguarded).stream(MESSAGES))
        assert running.requests == []


def test_embeddings_have_length_one() -> None:
    with RunningServer(vectors=[[3.0, 4.0], [0.0, 2.0]]) as running:
        vectors = ServedEmbedder(server(running)).encode(["a", "b"])
    assert vectors.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]


def test_embeddings_of_many_packets_are_read_whole() -> None:
    rows = [[1 / 3] * 1_500 for _ in range(64)]
    with RunningServer(vectors=rows) as running:
        assert ServedEmbedder(server(running)).encode(["a"] * 64).shape == (64, 1_500)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("error", "answered 500"),
        ("hang", "in time"),
        ("nonsense", "cannot be read"),
        ("nested vectors", "cannot be read"),
        ("a long line", "cannot be read"),
    ],
)
def test_faults_of_an_embedding_server_are_told(fault: str, words: str) -> None:
    with RunningServer(fault=fault) as running, pytest.raises(ModelFailedError, match=words):
        ServedEmbedder(server(running)).encode(["a"])


def test_vectors_of_another_length_than_those_before() -> None:
    with RunningServer(vectors=lambda texts: [[1.0] * len(texts[0])] * len(texts)) as running:
        embedder = ServedEmbedder(server(running))
        assert embedder.encode(["a" * 3]).shape == (1, 3)
        with pytest.raises(ModelFailedError, match="of 2 numbers after some of 3"):
            embedder.encode(["a" * 2])


@pytest.mark.parametrize(
    "vectors", [[[1.0]], [[1.0], "x"], [["a"], ["b"]], [[1.0], [1.0, 2.0]], [[], []]]
)
def test_vectors_that_are_none(vectors: list[object]) -> None:
    with (
        RunningServer(vectors=vectors) as running,
        pytest.raises(ModelFailedError, match="vectors"),
    ):
        ServedEmbedder(server(running)).encode(["a", "b"])
