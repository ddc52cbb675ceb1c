from __future__ import annotations

from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    FetchOutcome,
    MentionBatch,
    Visit,
    VisitedPage,
)
from sitecrawl.urls.scope import Scope

URL = "https://shop.example/"


def test_items_are_short_in_the_log() -> None:
    document = Document(URL, DocumentKind.PAGE, "the crawl", FetchOutcome.OK, body=b"x" * 100_000)
    locs = [f"/{number}" for number in range(5_000)]
    scope = Scope.from_urls([URL], strict=True, subdomains=False)
    batch = MentionBatch(URL, URL, "link", scope, range(5_000), locs)
    page = VisitedPage(Visit(1, URL, 0), document, batches=[batch])
    read = DocumentRead(f"{URL}map.xml", "xml", 7, 1_000, truncated=False)
    assert [repr(item) for item in (document, batch, page, read)] == [
        f"<Document page {URL}: ok>",
        f"<MentionBatch {URL}: 5000 mentions>",
        f"<VisitedPage {URL}: ok, 5000 mentions>",
        f"<DocumentRead {URL}map.xml: 7 entries>",
    ]
