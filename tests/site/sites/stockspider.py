"""What a plain spider does with a tidy site: follow every ``<a href>`` that it has not seen."""

from __future__ import annotations

import re
from collections import deque
from email.message import Message
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from w3lib.url import canonicalize_url

from tests.site.reply import Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.sites.model import ModelSite

    Canonical = Callable[[str], str | None]

HOST = "site.example"
_ROOT = f"http://{HOST}"
_HREF = re.compile(rb'<a [^>]*?href="([^"]*)"')


def stock_crawl(
    site: ModelSite,
    max_requests: int,
    *,
    newest_first: bool = False,
    may_follow: Callable[[str], bool] = lambda _target: True,
    canonical: Canonical = canonicalize_url,
) -> list[str]:
    """The targets in the order in which they are asked for; no limits but the given ones.

    Scrapy takes the newest first unless it is told otherwise, and remembers sorted queries.
    """
    waiting = deque([site.start])
    seen = {site.start}
    asked: list[str] = []
    while waiting and len(asked) < max_requests:
        target = waiting.pop() if newest_first else waiting.popleft()
        asked.append(target)
        for link in links_of(site, target, canonical):
            if link not in seen and may_follow(link):
                seen.add(link)
                waiting.append(link)
    return asked


def links_of(
    site: ModelSite, target: str, canonical: Canonical = canonicalize_url
) -> Iterator[str]:
    """Targets on the same host that a page links to, or that it redirects to."""
    reply = reply_to(site, target)
    location = reply.headers.get("Location")
    hrefs = [str(location)] if location else _hrefs(_body(reply, target))
    for href in hrefs:
        url = canonical(urljoin(_ROOT + target, href))
        if url is not None and url.startswith(f"{_ROOT}/"):
            yield url.removeprefix(_ROOT)


def reply_to(site: ModelSite, target: str) -> Reply:
    answer = site.answer(_request(target))
    return answer if isinstance(answer, Reply) else Reply(answer)


def body_of(site: ModelSite, target: str) -> bytes:
    return _body(reply_to(site, target), target)


def _body(reply: Reply, target: str) -> bytes:
    content = reply.content(_request(target))
    assert isinstance(content, bytes)
    return content


def _hrefs(body: bytes) -> list[str]:
    return [unescape(href.decode()) for href in _HREF.findall(body)]


def _request(target: str) -> Request:
    headers = Message()
    headers["Host"] = HOST
    return Request("GET", target, headers, b"")
