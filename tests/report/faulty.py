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
MAPS = ("pages", "more", "briefs", "dated", "mistakes", "failing", "none")
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
    "broken_link": ({"/gone", "/lost", "/dead"}, "HTTP 410"),
    "page_error": ({"/broken"}, "HTTP 500"),
    "redirected_link": ({"/moved", "/first", "/second", "/old"}, "/linked"),
    "title_missing": ({"/untitled"}, ""),
    "title_duplicate": ({"/copy", "/original", "/text", "/much-the-same"}, "A text (on 2 pages"),
    "title_too_long": ({"/verbose"}, "70 characters: "),
    "description_duplicate": ({"/said", "/said-again"}, "The same words (on 2 pages"),
    "description_too_long": ({"/verbose"}, "160 characters: "),
    "h1_multiple": ({"/headings"}, "2 h1, the first: One"),
    "h1_duplicate": ({"/said", "/said-again"}, "The same heading (on 2 pages"),
    "h1_too_long": ({"/verbose"}, "80 characters: "),
    "canonicalized": (
        {"/variant", "/to-dead", "/to-old", "/to-hidden", "/to-variant", "/not-this"},
        "/linked",
    ),
    "canonical_broken": ({"/to-dead"}, "/dead (not_found)"),
    "canonical_redirect": ({"/to-old"}, "/old"),
    "canonical_noindex": ({"/to-hidden"}, "/hidden"),
    "canonical_chain": ({"/to-variant"}, "/variant -> "),
    "canonical_offsite": ({"/syndicated"}, "https://elsewhere.example/original"),
    "noindex": ({"/hidden", "/hidden-by-header", "/not-this"}, ""),
    "noindex_canonical": ({"/not-this"}, "canonical: "),
    "nofollow": ({"/hidden-by-header", "/silent"}, ""),
    "image_alt_missing": ({"/pictures"}, "1 of 3 images"),
    "hreflang_invalid": ({"/de"}, "german!"),
    "hreflang_no_return": ({"/de"}, "en: "),
    "hreflang_broken": ({"/de"}, "fr: "),
    "heavy_page": ({"/heavy"}, " KB of HTML"),
    "deep_page": ({"/way/5", "/way/6"}, "5 clicks"),
    "redirect_chain": ({"/first"}, "/second -> "),
    "redirect_loop": ({"/round", "/and-round"}, "/round"),
    "trap": ({_DEEP}, "trap_path"),
    "duplicate_text": ({"/copy"}, "same as "),
    "near_duplicate": ({"/much-the-same"}, "% the same as "),
}
_AUDITED = (
    *("/untitled", "/verbose", "/said", "/said-again", "/headings", "/to-dead", "/to-old"),
    *("/to-hidden", "/to-variant", "/not-this", "/syndicated", "/silent", "/pictures", "/de"),
    *("/en", "/heavy", "/way/1"),
)
UNLISTED = {
    *("/original", "/copy", "/text", "/much-the-same", "/third", "/linked-only"),
    *(*_AUDITED, *(f"/way/{step}" for step in range(2, 7))),
}
# Most pages have neither; these have, besides others.
WITHOUT = {
    "description_missing": {"/linked", "/headings"},
    "h1_missing": {"/linked", "/untitled"},
    "canonical_missing": {"/linked", "/headings"},
}
WITH = {
    "description_missing": {"/verbose", "/said", "/hidden", "/to-dead"},
    "h1_missing": {"/headings", "/said", "/hidden", "/to-dead"},
    "canonical_missing": {"/to-dead", "/hidden", "/syndicated"},
}


def add_faults(server: SiteServer) -> None:
    """Let the server be this site."""
    server.routes |= _documents(server) | _pages(server)


def _documents(server: SiteServer) -> dict[str, Route]:
    maps = [server.at(f"/maps/{name}.xml") for name in MAPS]
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
        *(_DEEP, *_BRIEF, *_DATED, *_AUDITED, "/old"),
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
        **_audited(server),
        "/old": _redirect("/linked"),
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


def _audited(server: SiteServer) -> dict[str, Route]:
    def canonical(target: str) -> str:
        return f'<link rel="canonical" href="{target}">'

    said = '<meta name="description" content="The same words">'
    noindex = '<meta name="robots" content="noindex">'
    alternates = "".join(
        f'<link rel="alternate" hreflang="{language}" href="{server.at(path)}">'
        for language, path in (("de", "/de"), ("en", "/en"), ("fr", "/dead"), ("german!", "/de"))
    )
    way = {
        f"/way/{step}": _html(
            f"Way {step}", f'{paragraphs(f"way {step}", 3)}<a href="/way/{step + 1}">on</a>'
        )
        for step in range(1, 6)
    }
    pages = {
        "/untitled": ("", ""),
        "/verbose": (
            "t" * 70,
            f'<meta name="description" content="{"d" * 160}"><body><h1>{"h" * 80}</h1>',
        ),
        "/said": ("Said", f"{said}<body><h1>The same heading</h1>"),
        "/said-again": ("Said again", f"{said}<body><h1>The same heading</h1>"),
        "/headings": ("Headings", "<body><h1>One</h1><h1>Two</h1>"),
        "/to-dead": ("To dead", canonical("/dead")),
        "/to-old": ("To old", canonical("/old")),
        "/to-hidden": ("To hidden", canonical("/hidden")),
        "/to-variant": ("To variant", canonical(server.at("/variant"))),
        "/not-this": ("Not this", canonical("/linked") + noindex),
        "/syndicated": ("Syndicated", canonical("https://elsewhere.example/original")),
        "/silent": ("Silent", '<meta name="robots" content="nofollow">'),
        "/pictures": ("Pictures", '<body><img src="a.png"><img alt=""><img alt="B">'),
        "/de": ("Deutsch", alternates),
        "/en": ("English", ""),
        "/heavy": ("Heavy", f"<!-- {'x' * 600_000} -->"),
    }
    routes: dict[str, Route] = {**way}
    return (
        routes
        | {path: _html(title, paragraphs(path, 3), head) for path, (title, head) in pages.items()}
        | {"/way/6": _html("Way 6", paragraphs("way 6", 3))}
    )


def _html(title: str, body: str, head: str = "") -> Reply:
    text = f"<!doctype html>\n<html><head><title>{title}</title>{head}</head><body>{body}</body>"
    return Reply(f"{text}</html>\n", content_type="text/html; charset=utf-8")


def _redirect(target: str) -> Reply:
    return Reply(b"", status=301, headers={"Location": target})
