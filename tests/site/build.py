"""Builders for the documents that the tests serve."""

from __future__ import annotations

import gzip
from xml.sax.saxutils import escape

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def gz(body: bytes | str) -> bytes:
    """Reproducible: no time of packing inside."""
    return gzip.compress(body.encode() if isinstance(body, str) else body, mtime=0)


def sitemap(
    *locs: str, lastmod: str = "", changefreq: str = "", priority: float | None = None
) -> bytes:
    facts = _element("lastmod", lastmod) + _element("changefreq", changefreq)
    facts += "" if priority is None else _element("priority", str(priority))
    urls = "".join(f"<url>{_element('loc', loc)}{facts}</url>\n" for loc in locs)
    return _document("urlset", urls)


def sitemap_index(*locs: str, lastmod: str = "") -> bytes:
    dated = _element("lastmod", lastmod)
    maps = "".join(f"<sitemap>{_element('loc', loc)}{dated}</sitemap>\n" for loc in locs)
    return _document("sitemapindex", maps)


def text_map(*locs: str) -> bytes:
    return "".join(f"{loc}\n" for loc in locs).encode()


def rss(*links: str, title: str = "News") -> bytes:
    items = "".join(
        f"<item>{_element('title', f'{title} {number}')}{_element('link', link)}</item>\n"
        for number, link in enumerate(links, start=1)
    )
    channel = f"<channel>{_element('title', title)}\n{items}</channel>"
    return f'<?xml version="1.0"?>\n<rss version="2.0">{channel}</rss>\n'.encode()


def robots(
    *sitemaps: str,
    disallow: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
    crawl_delay: float | None = None,
    agent: str = "*",
) -> bytes:
    """One group, then the Sitemap lines; further groups are appended by the caller."""
    lines = [f"User-agent: {agent}"]
    lines += [f"Disallow: {path}" for path in disallow]
    lines += [f"Allow: {path}" for path in allow]
    lines += [] if crawl_delay is None else [f"Crawl-delay: {crawl_delay:g}"]
    lines += ["", *(f"Sitemap: {url}" for url in sitemaps)]
    return "\n".join([*lines, ""]).encode()


def page(title: str, *links: str, nav: tuple[str, ...] = ()) -> bytes:
    """A small HTML page; ``nav`` links go into its navigation, ``links`` into its content."""
    menu = "".join(f'<a href="{escape(link)}">{escape(link)}</a>' for link in nav)
    body = "".join(f'<p><a href="{escape(link)}">{escape(link)}</a></p>\n' for link in links)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head>\n<body><nav>{menu}</nav>\n"
        f"<main><h1>{escape(title)}</h1>\n{body}</main></body></html>\n"
    ).encode()


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>" if text else ""


def _document(root: str, content: str) -> bytes:
    declaration = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{declaration}\n<{root} xmlns="{NAMESPACE}">\n{content}</{root}>\n'.encode()
