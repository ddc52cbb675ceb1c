"""Answers of the site, as they are shown to the browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# These were true of the transfer, which is over: the body is decoded and complete.
_OF_THE_TRANSFER = frozenset(
    {
        *("alt-svc", "connection", "content-encoding", "content-length"),
        *("keep-alive", "transfer-encoding"),
    }
)
_MAX_RESOURCE_BYTES = 8_000_000
_MAX_ALL_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class SiteAnswer:
    """A document or a resource that has been fetched."""

    url: str
    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = field(repr=False)

    def shown_headers(self) -> dict[str, str]:
        """Several headers of one name become one, as browsers understand them."""
        shown: dict[str, str] = {}
        for name, value in self.headers:
            key = name.lower()
            if key not in _OF_THE_TRANSFER:
                separator = "\n" if key == "set-cookie" else ", "
                shown[key] = f"{shown[key]}{separator}{value}" if key in shown else value
        return shown


class ResourceShelf:
    """Scripts and style sheets that were fetched once and serve all pages of a scan.

    A browser whose requests are judged one by one keeps none itself, and the site would be asked
    for its bundles with every page. When the shelf is full, what lies longest goes.
    """

    def __init__(self) -> None:
        self._answers: dict[str, SiteAnswer] = {}
        self._bytes = 0

    def get(self, url: str) -> SiteAnswer | None:
        return self._answers.get(url)

    def put(self, answer: SiteAnswer) -> None:
        size = len(answer.body)
        if size > _MAX_RESOURCE_BYTES or answer.url in self._answers:
            return
        if "no-store" in answer.shown_headers().get("cache-control", "").lower():
            return
        while self._answers and self._bytes + size > _MAX_ALL_BYTES:
            oldest = next(iter(self._answers))
            self._bytes -= len(self._answers.pop(oldest).body)
        self._answers[answer.url] = answer
        self._bytes += size
