"""A site as a function of the request, with the ground truth about its URLs.

A *target* is a path with its query, as the canonical form of a URL has it: parameters sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.site.reply import Reply
from tests.site.server import SiteServer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.site.reply import Handler, Request

ORIGIN = "http://origin.invalid"
"""In a page where it names the host that it is served from."""


@dataclass(frozen=True, slots=True)
class ExpectedMention:
    """One link that a crawl has to report: what it leads to, and where and how it was found."""

    page: str
    document: str
    source: str
    region: str = ""
    anchor: str = ""
    """Empty: whatever it is."""


@dataclass(frozen=True, slots=True)
class ExpectedRefusal:
    reason: str = ""
    """Empty: whatever it is."""
    rule: str = ""
    """The target or URL that the rule names; empty: whatever it is."""


def no_trap(_target: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class ModelSite:
    """One answer to every request, however endless the site is, and what is true of its URLs."""

    answer: Handler
    truth: frozenset[str]
    """Targets of the real pages, as they should be listed."""
    start: str = "/"
    """Where a crawl begins; the truth holds only what is below."""
    unlinked: frozenset[str] = frozenset()
    """Those of the truth to which nothing leads."""
    trap_of: Callable[[str], str | None] = no_trap
    """The trap that a target belongs to; what is in one may be listed, and need not be."""
    most_requests: Mapping[str, int] = field(default_factory=dict)
    """By trap: how often a crawl without other limits may ask for something in it."""
    optional: frozenset[str] = frozenset()
    """Targets that may be listed, and need not be."""
    refusals: Mapping[str, ExpectedRefusal] = field(default_factory=dict)
    """By target, or by URL where it is of another host or scheme."""
    never: frozenset[str] = frozenset()
    """Targets that only look like links: neither listed nor asked for."""
    mentions: tuple[ExpectedMention, ...] = ()

    def serve(self) -> SiteServer:
        return SiteServer({"/*": self.answer})

    @property
    def reachable(self) -> frozenset[str]:
        return self.truth - self.unlinked


def not_found(text: str = "Not found", status: int = 404) -> Reply:
    body = f"<!doctype html>\n<title>{text}</title>\n<h1>{text}</h1>\n"
    return Reply(body, status=status, content_type="text/html; charset=utf-8")


def with_origin(reply: Reply, request: Request) -> Reply:
    body = reply.content(request)
    assert isinstance(body, bytes)
    origin = f"http://{request.headers['Host']}"
    return replace(reply, body=body.replace(ORIGIN.encode(), origin.encode()))
