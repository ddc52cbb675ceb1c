"""Clients of model servers that speak OpenAI's protocol: Ollama, vLLM, llama.cpp, hosted ones.

Nothing is sent to a server unless its URL is set. Every connection passes the address guard,
redirects are not followed, and answers have limits of bytes and time.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from sitecrawl.errors import SitecrawlError
from sitecrawl.safety.connector import AddressRefusedError, guarded_connector
from sitecrawl.safety.policy import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence

    from sitecrawl.config import Config
    from sitecrawl.dive.embeddings import Vectors

_MAX_LINE_BYTES: Final = 256 * 1024
_MAX_STREAM_BYTES: Final = 4 * 1024 * 1024
_MAX_EMBEDDING_BYTES: Final = 64 * 1024 * 1024
_TEXTS_AT_ONCE: Final = 64
_DONE: Final = "[DONE]"


class ModelFailedError(SitecrawlError):
    """A model server failed; the message says how."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The address of a server, and its limits."""

    url: str
    model: str
    key: str = field(default="", repr=False)
    policy: AddressPolicy = field(default_factory=AddressPolicy)
    timeout_seconds: float = 60.0
    max_tokens: int = 600

    def address(self, path: str) -> str:
        return f"{self.url.rstrip('/')}/{path}"

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=guarded_connector(self.url, self.policy),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self.headers(),
            trust_env=False,
            read_bufsize=_MAX_LINE_BYTES,
        )


def chat_server(config: Config) -> ModelServer | None:
    """The server that answers questions; None: none is set."""
    if not config.model_url:
        return None
    return ModelServer(
        config.model_url,
        config.model_name,
        config.model_key,
        AddressPolicy(allow=config.address_allow),
        config.model_timeout_seconds,
        config.model_max_tokens,
    )


def embedding_server(config: Config) -> ModelServer | None:
    """The server that embeds passages; None: none is set."""
    if not config.embedding_url:
        return None
    return ModelServer(
        config.embedding_url,
        config.embedding_name,
        config.embedding_key,
        AddressPolicy(allow=config.address_allow),
        config.model_timeout_seconds,
    )


class ServedChatModel:
    """Answers messages by ``/chat/completions``, as a stream."""

    def __init__(self, server: ModelServer):
        self._server = server

    @property
    def name(self) -> str:
        return self._server.model

    def stream(self, messages: Sequence[dict[str, str]]) -> Iterator[str]:
        """Pieces of the answer; ``ModelFailedError`` when it does not come in order.

        Not to be called on a running event loop.
        """
        with asyncio.Runner() as runner:
            pieces = self._pieces(messages)
            deadline = runner.get_loop().time() + self._server.timeout_seconds
            try:
                while True:
                    yield runner.run(_next(pieces, deadline))
            except StopAsyncIteration:
                return
            finally:
                runner.run(pieces.aclose())

    async def _pieces(self, messages: Sequence[dict[str, str]]) -> AsyncGenerator[str]:
        body = {
            "model": self._server.model,
            "messages": list(messages),
            "stream": True,
            "temperature": 0,
            "max_tokens": self._server.max_tokens,
        }
        url = self._server.address("chat/completions")
        async with (
            self._server.session() as session,
            session.post(url, json=body, allow_redirects=False) as response,
        ):
            _check_status(response.status)
            received = 0
            async for line in response.content:
                received += len(line)
                if received > _MAX_STREAM_BYTES:
                    raise ModelFailedError("the model server sent too much")
                text = line.decode("utf-8", "replace").strip()
                if not text.startswith("data:"):
                    continue
                data = text.removeprefix("data:").strip()
                if data == _DONE:
                    return
                if piece := _piece(data):
                    yield piece


class ServedEmbedder:
    """Embeds texts by ``/embeddings``."""

    def __init__(self, server: ModelServer):
        self._server = server
        self._dimensions = 0

    @property
    def name(self) -> str:
        return f"{self._server.model}@{self._server.url}"

    @property
    def dimensions(self) -> int:
        """Found by embedding a word the first time."""
        if not self._dimensions:
            self.encode(["word"])
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        rows: list[Any] = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            rows += asyncio.run(self._rows(texts[start : start + _TEXTS_AT_ONCE]))
        try:
            vectors: Vectors = np.array(rows, dtype=np.float32)
        except (TypeError, ValueError):
            raise ModelFailedError("the embedding server gave vectors that are none") from None
        if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():  # noqa: PLR2004
            raise ModelFailedError("the embedding server gave vectors that are none")
        if self._dimensions and vectors.shape[1] != self._dimensions:
            raise ModelFailedError(
                f"the embedding server gave vectors of {vectors.shape[1]} numbers after some of"
                f" {self._dimensions}"
            )
        self._dimensions = vectors.shape[1]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = vectors / np.maximum(lengths, 1e-12)
        return unit

    async def _rows(self, texts: Sequence[str]) -> list[Any]:
        url = self._server.address("embeddings")
        body = {"model": self._server.model, "input": list(texts)}
        with _explained():
            async with (
                asyncio.timeout(self._server.timeout_seconds),
                self._server.session() as session,
                session.post(url, json=body, allow_redirects=False) as response,
            ):
                _check_status(response.status)
                content = await _read(response.content)
        try:
            found = sorted(json.loads(content)["data"], key=lambda each: each["index"])
            rows = [each["embedding"] for each in found]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ModelFailedError("the answer of the embedding server cannot be read") from None
        if len(rows) != len(texts):
            raise ModelFailedError(
                f"the embedding server gave {len(rows)} vectors for {len(texts)} texts"
            )
        return rows


async def _read(stream: aiohttp.StreamReader) -> bytes:
    """The whole body; a single ``read(size)`` gives what has arrived so far."""
    content = bytearray()
    async for chunk in stream.iter_any():
        content += chunk
        if len(content) > _MAX_EMBEDDING_BYTES:
            raise ModelFailedError("the embedding server sent too much")
    return bytes(content)


async def _next(pieces: AsyncIterator[str], deadline: float) -> str:
    with _explained():
        async with asyncio.timeout_at(deadline):
            return await anext(pieces)


@contextmanager
def _explained() -> Iterator[None]:
    """Raise errors of a server as a ``ModelFailedError`` without secrets."""
    try:
        yield
    except TimeoutError:
        raise ModelFailedError("the model server did not answer in time") from None
    except AddressRefusedError as error:
        raise ModelFailedError(
            f"{error}; allow it by SITECRAWL_ADDRESS_ALLOW if it is yours"
        ) from None
    except (aiohttp.ClientError, OSError) as error:
        raise ModelFailedError(
            f"the model server cannot be reached ({type(error).__name__})"
        ) from None
    except (ValueError, HttpProcessingError):  # of aiohttp: a line that is too long
        raise ModelFailedError("the answer of the model server cannot be read") from None


def _check_status(status: int) -> None:
    if status != HTTPStatus.OK:
        raise ModelFailedError(f"the model server answered {status}")


def _piece(data: str) -> str:
    """The text of one event; empty if it is not an event with a text."""
    try:
        piece = json.loads(data)["choices"][0]["delta"].get("content")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return ""
    return piece if isinstance(piece, str) else ""
