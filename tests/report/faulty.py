"""A site with one of each fault that a report can find, and what the report has to say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.build import page, robots, sitemap, sitemap_index
from tests.site.reply import Reply
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.site import SiteServer
    from tests.site.reply import Route

SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_CRAWL_LISTED_PAGES": True,
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_MAX_CRAWL_PAGES": 0,
    "RETRY_TIMES": 0,
}
_DEEP = "/" + "/".join("abcdefghijklmnopqrstuvwxy")
_BRIEF = [f"/brief/{number}" for number in range(12)]
_DATED = [f"/dated/{number}" for number in range(12)]

# By kind: the addresses, and words of the first one's detail.
EXPECTED: Mapping[str, tuple[set[str], str]] = {
    "sitemap_not_found": ({"/gone"}, "HTTP 410"),
    "sitemap_soft_404": ({"/lost"}, ""),
    "sitemap_blocked": ({"/private/x"}, "Disallow: /private"),
    "sitemap_noindex": ({"/hidden", "/hidden-by-header"}, ""),
    "sitemap_error": ({"/broken"}, "HTTP 500"),
    "sitemap_redirect": ({"/moved"}, "/linked"),
    "sitemap_non_canonical": ({"/variant"}, "/linked"),
    "sitemap_other_host": ({"https://elsewhere.example/x"}, ""),
    "sitemap_duplicate": ({"/twice"}, "2 entries"),
    "sitemap_unreadable": ({"/maps/failing.xml"}, "HTTP 503"),
    "sitemap_missing": ({"/maps/none.xml"}, "another sitemap"),
    "sitemap_malformed": ({"/maps/mistakes.xml"}, "raw ampersand (1)"),
    "lastmod_invalid": ({"/maps/mistakes.xml"}, "yesterday"),
    "lastmod_implausible": ({"/future"}, "2099-01-01"),
    "lastmod_all_equal": ({"/maps/briefs.xml"}, "2019-03-04 in all 12 entries"),
    "lastmod_stale": ({"/maps/briefs.xml"}, "the newest of 12 is 2019-03-04"),
    "orphan": ({"/alone"}, "/maps/pages.xml"),
    "broken_link": ({"/gone", "/lost", "/dead"}, "linked by "),
    "redirect_chain": ({"/first"}, "/second -> "),
    "redirect_loop": ({"/round", "/and-round"}, "/round"),
    "trap": ({_DEEP}, "trap_path"),
    "duplicate_text": ({"/copy"}, "same as "),
    "near_duplicate": ({"/much-the-same"}, "% the same as "),
}
UNLISTED = {"/original", "/copy", "/text", "/much-the-same", "/third", "/linked-only"}


def add_faults(server: SiteServer) -> None:
    """Let the server be this site."""
    server.routes |= _documents(server) | _pages(server)


def _documents(server: SiteServer) -> dict[str, Route]:
    names = ("pages", "more", "briefs", "dated", "mistakes", "failing", "none")
    maps = [server.at(f"/maps/{name}.xml") for name in names]
    entries = (
        *("/", "/linked", "/alone", "/gone", "/lost", "/private/x", "/hidden", "/broken"),
        *("/hidden-by-header", "/moved", "/variant", "/twice"),
    )
    return {
        "/robots.txt": robots(server.at("/index.xml"), disallow=("/private",)),
        "/index.xml": sitemap_index(*maps),
        "/maps/pages.xml": sitemap(*map(server.at, entries), "https://elsewhere.example/x"),
        "/maps/more.xml": sitemap(server.at("/twice")),
        "/maps/briefs.xml": sitemap(*map(server.at, _BRIEF), lastmod="2019-03-04"),
        "/maps/dated.xml": sitemap(*map(server.at, _DATED), lastmod="2026-01-02").replace(
            b"2026-01-02", b"2026-01-03", 1
        ),
        "/maps/mistakes.xml": _mistakes(server),
        "/maps/failing.xml": Reply(b"no", status=503),
        "/maps/none.xml": Reply(b"no", status=404),
    }


def _mistakes(server: SiteServer) -> bytes:
    good = sitemap(server.at("/future"), lastmod="2099-01-01").decode()
    bad = (
        f"<url><loc>{server.at('/ampersand')}?a=1&b=2</loc><lastmod>yesterday</lastmod></url>\n"
        "</urlset>"
    )
    return good.replace("</urlset>", bad).encode()


def _pages(server: SiteServer) -> dict[str, Route]:
    links = (
        *("/linked", "/gone", "/hidden", "/hidden-by-header", "/moved", "/variant", "/twice"),
        *("/broken", "/lost", "/dead", "/first", "/round", "/original", "/copy", "/text"),
        *("/much-the-same", "/linked-only", "/private/x", "/future", "/ampersand?a=1&b=2"),
        *(_DEEP, *_BRIEF, *_DATED),
    )
    text = paragraphs("a long text", 40)
    canonical = f'<link rel="canonical" href="{server.at("/linked")}">'
    return {
        "/": _html("Home", "".join(f'<a href="{link}">{link}</a>\n' for link in links)),
        **{
            path: _html(path, paragraphs(path, 3))
            for path in ("/linked", "/alone", "/twice", "/third", "/linked-only", "/future")
        },
        **{path: _html(path, paragraphs(path, 3)) for path in (*_BRIEF, *_DATED, "/ampersand*")},
        "/hidden": _html("Hidden", paragraphs("hidden"), '<meta name="robots" content="noindex">'),
        "/hidden-by-header": Reply(
            page("Hidden by a header"),
            headers={"X-Robots-Tag": "none"},
            content_type="text/html; charset=utf-8",
        ),
        "/variant": _html("Variant", paragraphs("variant", 2), canonical),
        "/original": _html("A text", paragraphs("the same text", 3)),
        "/copy": _html("A text", paragraphs("the same text", 3)),
        "/text": _html("Long", text),
        "/much-the-same": _html("Long", text.replace("</p>", " again</p>", 1)),
        "/broken": Reply(b"broken", status=500),
        "/gone": Reply(b"gone", status=410),
        "/dead": Reply(b"dead", status=404),
        "/moved": _redirect("/linked"),
        "/first": _redirect("/second"),
        "/second": _redirect("/third"),
        "/round": _redirect("/and-round"),
        "/and-round": _redirect("/round"),
        # Whatever else is asked for: an error page that says all is well.
        "/*": _html("Sorry", "<p>We could not find what you were looking for.</p>"),
    }


def _html(title: str, body: str, head: str = "") -> Reply:
    text = f"<!doctype html>\n<html><head><title>{title}</title>{head}</head><body>{body}</body>"
    return Reply(f"{text}</html>\n", content_type="text/html; charset=utf-8")


def _redirect(target: str) -> Reply:
    return Reply(b"", status=301, headers={"Location": target})
