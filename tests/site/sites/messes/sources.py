"""Links that are no ``<a href>``: in scripts, attributes, data and headers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.site.reply import Reply
from tests.site.sites.messes.mess import Find, Mess, messy_page
from tests.site.sites.model import ORIGIN

if TYPE_CHECKING:
    from collections.abc import Iterator


def source_messes() -> Iterator[Mess]:
    yield from _scripted_links()
    yield from _data_in_the_page()
    yield from _heads_and_headers()


def _scripted_links() -> Iterator[Mess]:
    yield messy_page(
        "noscript",
        '<noscript><p><a href="/machines/without-script">Plain</a></noscript>',
        Find("/machines/without-script", anchor="Plain"),
    )
    yield messy_page(
        "onclick",
        "<div onclick=\"location.href='/machines/clicked'\">A</div>"
        '<p onclick="window.location = &quot;/machines/assigned&quot;; return false">B</p>'
        "<span onclick=\"window.open('/machines/opened', 'w')\">C</span>",
        Find("/machines/clicked", "onclick"),
        Find("/machines/assigned", "onclick"),
        Find("/machines/opened", "onclick"),
    )
    yield messy_page(
        "data-attributes",
        '<div data-href="/machines/data-href">A</div><li data-url=/machines/data-url>B</li>'
        '<p data-link="/machines/data-link">C</p>'
        '<button data-navigate="/machines/navigated">D</button>',
        Find("/machines/data-href", "data-attribute"),
        Find("/machines/data-url", "data-attribute"),
        Find("/machines/data-link", "data-attribute"),
        Find("/machines/navigated", "button"),
    )
    yield messy_page(
        "router",
        '<span routerLink="/machines/routed">A</span>',
        Find("/machines/routed", "router-link"),
    )


def _data_in_the_page() -> Iterator[Mess]:
    graph = [
        {"@type": "Product", "url": "/machines/graph"},
        {"@type": "Article", "mainEntityOfPage": {"@id": "/machines/entity"}},
    ]
    yield messy_page(
        "json-ld",
        f'<script type="application/ld+json">{json.dumps({"@graph": graph})}</script>'
        '<script type="application/ld+json">{broken</script>',
        Find("/machines/graph", "json-ld", ""),
        Find("/machines/entity", "json-ld", ""),
    )
    data = {"props": {"pageProps": {"items": [{"href": "/machines/next-data"}]}}}
    yield messy_page(
        "next-data",
        f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(data)}</script>',
        Find("/machines/next-data", "json-island", ""),
    )
    yield messy_page(
        "open-graph",
        f'<meta property="og:url" content="{ORIGIN}/machines/shared">',
        Find("/machines/shared", "opengraph", ""),
    )
    yield messy_page(
        "inline-loc",
        f"<pre><url><loc>{ORIGIN}/machines/located</loc></url></pre>",
        Find("/machines/located", "inline-loc"),
    )


def _heads_and_headers() -> Iterator[Mess]:
    yield messy_page(
        "refresh",
        '<META HTTP-EQUIV=Refresh CONTENT="5; URL=/machines/refreshed">',
        Find("/machines/refreshed", "meta-refresh", ""),
    )
    yield messy_page(
        "http-refresh",
        "<p>Wait.",
        Find("/machines/header-refreshed", "http-refresh", ""),
        headers={"Refresh": "5; url=/machines/header-refreshed"},
    )
    yield messy_page(
        "http-link",
        "<p>See above.",
        Find("/machines/header-linked", "http-link", ""),
        headers={"Link": '</machines/header-linked>; rel="next"'},
    )
    untyped = Reply('<a href="/machines/untyped">No content type</a>')
    yield Mess("/old/no-content-type", untyped, (Find("/machines/untyped"),))
    xhtml = Reply(
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
        '<a href="/machines/strict"/></body></html>',
        content_type="application/xhtml+xml",
    )
    yield Mess("/old/xhtml", xhtml, (Find("/machines/strict"),))
