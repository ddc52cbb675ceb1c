"""What a fetcher has read goes through the database, and comes out as it was."""

from __future__ import annotations

import os
import pickle
from itertools import chain

import pytest
from scrapy.http import Response

from sitecrawl.html.audit import PageAudit
from sitecrawl.html.links import LinkSource, Region
from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    FetchOutcome,
    MentionBatch,
    MenuItem,
    PackedBody,
    PageFacts,
    PageFormat,
    RenderOutcome,
    Visit,
    VisitedPage,
)
from sitecrawl.parsing.findings import Finding, FindingKind
from sitecrawl.scan.answers import FetchedPage, pack_answer, unpack_answer
from sitecrawl.sitemaps.entries import Alternate, EntryDetails
from sitecrawl.urls.refusal import Reason, Refusal
from sitecrawl.urls.scope import Scope

URL = "https://example.com/a"
SCOPE = Scope.from_urls([URL])


def make_page() -> VisitedPage:
    """A page with something in every field that a fetcher may fill."""
    visit = Visit(7, URL, 2, redirected_from=("https://example.com/old",))
    document = Document(
        *(URL, DocumentKind.PAGE, "a link", FetchOutcome.OK),
        packed_body=PackedBody("zlib", b"x", 1),
        robots_meta=["noindex"],
    )
    batch = MentionBatch(
        *(URL, URL, LinkSource.LINK, SCOPE),
        positions=range(1, 2),
        locs=["/b"],
        sources=[LinkSource.LINK],
        regions=[next(iter(Region))],
        details={0: EntryDetails(alternates=(Alternate("de", "/de"),))},
        menu=[MenuItem("B", 0, 1)],
        visit=visit,
        followed={0},
        refused={0: Refusal(Reason.ROUTE_PATTERN, "/:id")},
    )
    read = DocumentRead(
        *(URL, PageFormat.HTML, 1, 10, False),
        findings=[Finding(next(iter(FindingKind)), "what", 1)],
    )
    facts = PageFacts(title="A", audit=PageAudit(), refusal=Refusal(Reason.SOFT_404, URL))
    return VisitedPage(visit, document, read, [batch], facts, RenderOutcome.RENDERED)


def test_a_page_comes_back_as_it_was() -> None:
    probe = Document(URL, DocumentKind.PROBE, "made up", FetchOutcome.NOT_FOUND)
    page, documents, shown = unpack_answer(pack_answer(FetchedPage(make_page(), [probe])), SCOPE)
    expected = make_page()
    page.document.fetched_at = expected.document.fetched_at
    assert (page, documents, shown) == (expected, [probe], None)


def test_a_browser_gets_the_answer_as_it_came() -> None:
    headers = {"Content-Type": "text/html", "Set-Cookie": ["a=1", "b=2"]}
    response = Response(URL, 203, headers, b"<p>\xff")
    shown = unpack_answer(pack_answer(FetchedPage(make_page(), [], response)), SCOPE).shown
    assert shown is not None
    assert (shown.url, shown.status, shown.body) == (URL, 203, b"<p>\xff")
    assert shown.headers == response.headers


@pytest.mark.parametrize("kind", [*chain(Reason, LinkSource, Region, FindingKind, FetchOutcome)])
def test_every_word_of_a_reading_comes_back(kind: str) -> None:
    page = make_page()
    page.batches[0].anchors = [kind]
    fetched = unpack_answer(pack_answer(FetchedPage(page, [])), SCOPE)
    assert fetched.page.batches[0].anchors == [kind]


class _Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize(
    "content", [_Harmful(), (_Harmful(), [], None), ([], [], None), (os.stat_result,)]
)
def test_nothing_else_is_read(content: object) -> None:
    with pytest.raises((pickle.UnpicklingError, TypeError)):
        unpack_answer(pickle.dumps(content), SCOPE)
