"""The whole demo site as data: the response for each path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from sitecrawl.demo import pages, sitemaps
from sitecrawl.demo.content import earlier_content, load_content
from sitecrawl.demo.layout import Draft, Layout, packet_image, paragraphs, pdf, stylesheet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.demo.content import Content

NOT_FOUND = "/404"
"""The page that is served for every path the site does not have."""

_HTML, _XML = "text/html; charset=utf-8", "application/xml; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"
_REDIRECTS = {
    "/home": "/",
    "/shop": "/seeds/",
    "/shop/tomatoes": "/seeds/tomatoes/",
    "/de": "/de/",
    "/rss": sitemaps.FEED,
}
_NOTICES_IN_SITEMAP = 2
_LAUNCHED = date(2025, 3, 20)
_DEPLOYED = time(6, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Page:
    status: HTTPStatus
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    """Beyond Content-Type and Content-Length."""


def build_site(origin: str, *, is_earlier: bool = False) -> Mapping[str, Page]:
    """Every path of the site (without a query), for an origin such as ``http://127.0.0.1:8000``.

    ``is_earlier``: as it was some weeks before, so that there is a history to look at.
    """
    content = earlier_content(load_content()) if is_earlier else load_content()
    layout = Layout(origin, content.pages)
    drafts = _drafts(content)
    site = {
        draft.path: _page(_HTML, layout.render(draft), draft.updated)
        for kind in drafts.values()
        for draft in kind
    }
    site |= _documents(origin, content, drafts)
    if is_earlier:
        robots = sitemaps.robots_txt(origin, is_earlier=True).encode()
        site["/robots.txt"] = _page(_TEXT, robots, _LAUNCHED)
    site |= {path: _redirect(target) for path, target in _REDIRECTS.items()}
    missing = Draft(NOT_FOUND, "Not in any drawer", paragraphs("No such page."), _LAUNCHED)
    site[NOT_FOUND] = Page(HTTPStatus.NOT_FOUND, _HTML, layout.render(missing))
    return site


def _drafts(content: Content) -> dict[str, list[Draft]]:
    return {
        "home": list(pages.home_pages(content)),
        "standing": list(pages.standing_pages(content)),
        "listings": [*pages.seed_listings(content), *pages.blog_listings(content)],
        "guides": list(pages.guide_pages(content)),
        "events": list(pages.event_pages(content)),
        "news": list(pages.news_pages(content)),
        "posts": list(pages.post_pages(content)),
        "varieties": list(pages.variety_pages(content)),
        "service": list(pages.service_pages(_LAUNCHED)),
    }


def _documents(origin: str, content: Content, drafts: Mapping[str, list[Draft]]) -> dict[str, Page]:
    newest = content.notices[0].date
    by_path = {draft.path: draft for kind in drafts.values() for draft in kind}
    in_pages_sitemap = [
        *drafts["home"],
        *drafts["standing"],
        # The blog's further pages and tags are found through links only.
        *(d for d in drafts["listings"] if d.path == "/blog/" or "/blog/" not in d.path),
        by_path["/guides/"],
        *drafts["events"],
        *drafts["news"][: 1 + _NOTICES_IN_SITEMAP],
    ]
    refused = [origin + "/cart", origin + pages.CATALOGUE, sitemaps.PARTNER]
    in_guides_sitemap = [*drafts["guides"], by_path["/how-it-works"], by_path["/faq"]]
    documents: dict[str, tuple[str, str | bytes]] = {
        "/robots.txt": (_TEXT, sitemaps.robots_txt(origin)),
        sitemaps.INDEX: (_XML, sitemaps.sitemap_index(origin, content)),
        sitemaps.PAGES: (_XML, sitemaps.pages_sitemap(origin, in_pages_sitemap, refused)),
        sitemaps.BLOG: ("application/gzip", sitemaps.blog_sitemap(origin, drafts["posts"])),
        sitemaps.SEEDS: (_XML, sitemaps.seeds_sitemap(origin, content.varieties)),
        sitemaps.GUIDES: (_TEXT, sitemaps.guides_sitemap(origin, in_guides_sitemap)),
        sitemaps.FEED: ("application/rss+xml", sitemaps.news_feed(origin, content.notices)),
        "/assets/site.css": ("text/css; charset=utf-8", stylesheet()),
        pages.CATALOGUE: ("application/pdf", pdf("Lindental Seed Library: catalogue 2026")),
    }
    served = {
        path: _page(content_type, body if isinstance(body, bytes) else body.encode(), newest)
        for path, (content_type, body) in documents.items()
    }
    for variety in content.varieties:
        image = packet_image(variety).encode()
        served[variety.image] = _page("image/svg+xml", image, variety.updated)
    return served


def _page(content_type: str, body: bytes, updated: date) -> Page:
    modified = format_datetime(datetime.combine(updated, _DEPLOYED), usegmt=True)
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    return Page(HTTPStatus.OK, content_type, body, {"ETag": etag, "Last-Modified": modified})


def _redirect(target: str) -> Page:
    return Page(HTTPStatus.MOVED_PERMANENTLY, _TEXT, b"", {"Location": target})
