"""The robots.txt, sitemaps and feed of the demo site, with mistakes that real sites make.

The index names a sitemap that does not exist; the sitemaps list a partner's site, the cart, a PDF
and some pages twice; the links of the feed have campaign parameters.
"""

from __future__ import annotations

import gzip
from datetime import datetime, time, timedelta, timezone
from email.utils import format_datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from sitecrawl.demo.content import Content, Notice, Variety
    from sitecrawl.demo.layout import Draft

INDEX = "/sitemap_index.xml"
FEED = "/news/feed.xml"
PAGES, BLOG = "/sitemaps/pages.xml", "/sitemaps/blog.xml.gz"
SEEDS, GUIDES = "/sitemaps/seeds.xml", "/sitemaps/guides.txt"
GONE = "/sitemaps/events-2025.xml"
PARTNER = "https://www.blue-hen-nursery.example/lindental"

_SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
_IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
_WINTER_TIME = timezone(timedelta(hours=1))
_PUBLISHED = time(8, 30, tzinfo=_WINTER_TIME)
_CDATA_EVERY = 3
_CAMPAIGN = "?utm_source=rss&utm_medium=feed"


def robots_txt(origin: str, *, is_earlier: bool = False) -> str:
    since = "" if is_earlier else "Disallow: /*?sort=\n"
    return f"""\
# Lindental Seed Library. Crawlers are welcome; the cart is for people.
User-agent: *
Disallow: /cart
Disallow: /account/
Disallow: /search
Allow: /search/help
{since}
User-agent: GreedyBot
User-agent: CopyCat
Disallow: /

Sitemap: {origin}{INDEX}
Sitemap: {origin}{FEED}
"""


def sitemap_index(origin: str, content: Content) -> str:
    dates = {
        PAGES: content.notices[0].date,
        BLOG: content.posts[0].date,
        SEEDS: max(variety.updated for variety in content.varieties),
        GUIDES: max(guide.updated for guide in content.guides),
        GONE: max(event.updated for event in content.events),
    }
    maps = "".join(
        f"<sitemap><loc>{origin}{path}</loc><lastmod>{updated}</lastmod></sitemap>\n"
        for path, updated in dates.items()
    )
    return _document("sitemapindex", [_SITEMAP], maps)


def pages_sitemap(origin: str, drafts: Iterable[Draft], extra: Iterable[str]) -> str:
    """*extra* are URLs without lastmod, changefreq and priority."""
    urls = "".join(
        f"<url><loc>{escape(origin + draft.path)}</loc><lastmod>{draft.updated}</lastmod>"
        f"<changefreq>{draft.change}</changefreq><priority>{draft.priority}</priority></url>\n"
        for draft in drafts
    )
    urls += "".join(f"<url><loc>{escape(loc)}</loc></url>\n" for loc in extra)
    return _document("urlset", [_SITEMAP], urls)


def blog_sitemap(origin: str, drafts: Iterable[Draft]) -> bytes:
    urls = "".join(
        f"<url><loc>{escape(origin + draft.path)}</loc>"
        f"<lastmod>{_published(draft.updated).isoformat()}</lastmod></url>\n"
        for draft in drafts
    )
    return gzip.compress(_document("urlset", [_SITEMAP], urls).encode(), mtime=0)


def seeds_sitemap(origin: str, varieties: Iterable[Variety]) -> str:
    urls = []
    for position, variety in enumerate(varieties):
        paths = {"en": variety.path, "de": variety.path_de, "x-default": variety.path}
        alternates = "".join(
            f'<xhtml:link rel="alternate" hreflang="{language}" href="{origin}{path}"/>\n'
            for language, path in paths.items()
        )
        for path, name in ((variety.path, variety.name), (variety.path_de, variety.name_de)):
            loc = f"{origin}{path}"
            shown = f"<![CDATA[{loc}]]>" if position % _CDATA_EVERY == 0 else escape(loc)
            urls.append(
                f"<url>\n<loc>{shown}</loc>\n<lastmod>{variety.updated}</lastmod>\n{alternates}"
                f"<image:image><image:loc>{origin}{variety.image}</image:loc>"
                f"<image:title><![CDATA[{name}]]></image:title></image:image>\n</url>\n"
            )
    return _document("urlset", [_SITEMAP, _XHTML, _IMAGE], "".join(urls))


def guides_sitemap(origin: str, drafts: Iterable[Draft]) -> str:
    return "".join(f"{origin}{draft.path}\n" for draft in drafts)


def news_feed(origin: str, notices: Iterable[Notice]) -> str:
    items = "".join(
        f"<item><title>{escape(notice.title)}</title>"
        f"<link>{escape(f'{origin}/news/{notice.slug}{_CAMPAIGN}')}</link>"
        f'<guid isPermaLink="false">lindental-news-{notice.slug}</guid>'
        f"<pubDate>{format_datetime(_published(notice.date))}</pubDate>"
        f"<description>{escape(notice.text)}</description></item>\n"
        for notice in notices
    )
    channel = (
        f"<channel><title>Lindental Seed Library: news</title><link>{origin}/news/</link>"
        f"<description>Short notices from the library</description>\n{items}</channel>"
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n{channel}\n</rss>\n'


def _published(day: date) -> datetime:
    return datetime.combine(day, _PUBLISHED)


def _document(root: str, namespaces: list[str], content: str) -> str:
    declaration = '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{declaration}\n<{root} {' '.join(namespaces)}>\n{content}</{root}>\n"
