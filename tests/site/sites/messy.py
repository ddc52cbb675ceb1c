"""An old site, written by hand: broken pages, wrong encodings, odd answers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tests.site.reply import Reply, redirect, redirect_chain
from tests.site.sites.messes import messes
from tests.site.sites.model import (
    ExpectedMention,
    ExpectedRefusal,
    ModelSite,
    not_found,
    with_origin,
)
from tests.site.sites.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.site.reply import Answer, Request
    from tests.site.sites.messes.mess import Mess

_MOVED = {
    "/old/moved": redirect("/machines/moved-here", 301),
    **redirect_chain("/old/chain", 3, "/machines/chain-end"),
    **redirect_chain("/old/round", 2, "/old/round"),
    **redirect_chain("/old/long", 15, "/machines/never-reached"),
    "/old/moved-away": redirect("https://elsewhere.example/mill"),
    "/old/moved-nowhere": redirect("/machines/missing"),
}
# Every hop is an address of its own, refused for where it leads.
_REDIRECT_REFUSALS = {
    "/old/moved": ExpectedRefusal("redirected", "/machines/moved-here"),
    "/old/chain": ExpectedRefusal("redirected", "/old/chain-1"),
    "/old/chain-2": ExpectedRefusal("redirected", "/machines/chain-end"),
    "/old/round": ExpectedRefusal("redirect_loop"),
    "/old/round-1": ExpectedRefusal("redirect_loop"),
    "/old/long": ExpectedRefusal("too_many_redirects"),
    "/old/long-10": ExpectedRefusal("too_many_redirects"),
    "/old/moved-away": ExpectedRefusal("redirected", "https://elsewhere.example/mill"),
    "/old/moved-nowhere": ExpectedRefusal("redirected", "/machines/missing"),
}
_FIRST_HOPS = [path for path in _MOVED if not path[-1].isdecimal()]
_ODD = {
    "/old/no-location": Reply(status=302),
    "/old/bad-location": redirect("http://[broken/"),
    "/old/broken": Reply(b"<h1>Stack trace</h1>", status=500, content_type="text/html"),
    "/machines/datasheet": Reply(b"%PDF-1.4\n%%EOF\n", content_type="application/pdf"),
}
_GONE = {
    "/machines/missing": not_found(),
    "/machines/gone": not_found("Gone", 410),
}
_SOFT_404 = ("/machines/sold-in-1998", "/offers/spring", "/machines/unknown?id=12")
_TARGETS_OF_REDIRECTS = ("/machines/moved-here", "/machines/chain-end")


def messy_site() -> ModelSite:
    found = list(messes())
    leaves = {find.page for mess in found for find in mess.finds} | {*_TARGETS_OF_REDIRECTS}
    replies: Mapping[str, Reply] = {
        "/": Reply(_root(found), content_type="text/html"),
        **{path: _machine(path) for path in sorted(leaves)},
        **{mess.path: mess.reply for mess in found},
        **_MOVED,
        **_ODD,
        **_GONE,
    }

    def answer(request: Request) -> Answer:
        return with_origin(replies.get(request.target) or _soft_404(request), request)

    return ModelSite(
        answer,
        truth=frozenset({"/", *leaves, *(mess.path for mess in found)}),
        optional=frozenset(_ODD),
        refusals={
            **_REDIRECT_REFUSALS,
            **{path: ExpectedRefusal("not_found") for path in _GONE},
            **{path: ExpectedRefusal("soft_404") for path in _SOFT_404},
            "javascript:go(1)": ExpectedRefusal("scheme_not_allowed"),
            "mailto:shop@mill.example": ExpectedRefusal("scheme_not_allowed"),
            "tel:+43123": ExpectedRefusal("scheme_not_allowed"),
            "data:text/html,x": ExpectedRefusal("scheme_not_allowed"),
            "http://elsewhere.example/x": ExpectedRefusal("offsite"),
            "http://127.0.0.1:1/": ExpectedRefusal("offsite"),
            "http://[broken/": ExpectedRefusal("invalid_url"),
        },
        never=frozenset(
            {"/old/long-12", "/machines/never-reached", *(path for m in found for path in m.never)}
        ),
        mentions=tuple(
            ExpectedMention(find.page, mess.path, find.source, find.region, find.anchor)
            for mess in found
            for find in mess.finds
        ),
    )


def _root(found: list[Mess]) -> bytes:
    """Latin-1 that nobody declares, in a table that is never closed."""
    paths = [mess.path for mess in found]
    paths += [*_FIRST_HOPS, *_ODD, *_GONE, *_SOFT_404]
    cells = "".join(f"<TD><A HREF={escape(path)}>{escape(path)}</A>\n" for path in paths)
    page = f"<HTML><TITLE>Mühle & Söhne</TITLE><BODY>\n<TABLE BORDER=0><TR>\n{cells}"
    return page.encode("latin-1")


def _machine(path: str) -> Reply:
    title = escape(path.rpartition("/")[2])
    body = f"<html><head><title>{title}</title><body><h1>{title}</h1>\n{paragraphs(path, 3)}"
    return Reply(f'{body}<p><a href="/">Home', content_type="text/html; charset=utf-8")


def _soft_404(request: Request) -> Reply:
    """Whatever is asked for, robots.txt and sitemaps too: a kind word, and all is well."""
    asked = escape(request.target)
    body = f"""<html><head><title>Mill</title></head><body><h1>Sorry!</h1>
<p>We could not find {asked}. The page may have been moved or removed, or its address was
mistyped. Please go back to our <a href="/">home page</a> and try again from there.</p>
<p>If you think that this is a mistake, tell our webmaster which link brought you here.</p>"""
    return Reply(body, content_type="text/html; charset=utf-8")
