"""Findings of visited pages, of this scan and of the scan before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.findings.kinds import SiteFinding
from sitecrawl.items import FetchOutcome
from sitecrawl.report.gather import gather_report
from sitecrawl.report.previous_scan import compare_findings
from sitecrawl.store.queries.page_findings import PageFindings
from sitecrawl.store.writers.records import PageFactsRecord
from tests.store.crawling import Crawling, Link, address

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

UNCHANGED: dict[str, Any] = {
    "outcome": FetchOutcome.NOT_MODIFIED,
    "status": 304,
    "fetch": {"complete": False},
}
WHOLE = {"description": "Words", "h1": "Heading", "h1_count": 1}


def facts(**values: object) -> PageFactsRecord:
    return PageFactsRecord(**{**WHOLE, **values})  # type: ignore[arg-type]


def found(database: Database, scan: Scan) -> dict[SiteFinding, list[tuple[str, str]]]:
    """What was found of each kind, as path and detail."""
    with database.reading() as connection:
        by_kind = dict(PageFindings(connection, scan).by_kind())
    return {
        kind: [(item.url.removeprefix(address("").rstrip("/")), item.detail) for item in items]
        for kind, items in by_kind.items()
        if items
    }


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


@pytest.mark.parametrize(
    ("kind", "values", "detail"),
    [
        (
            SiteFinding.MIXED_CONTENT,
            {"insecure_resources": 2, "insecure_example": "http://a.example/x.js"},
            "2 by http, such as http://a.example/x.js",
        ),
        (SiteFinding.SLOW_PAGE, {"elapsed_ms": 1_001}, "1001 ms"),
        (SiteFinding.HEAVY_PAGE, {"bytes": 512_345}, "512 KB of HTML"),
        (SiteFinding.NOINDEX, {"is_noindex": True}, ""),
        (SiteFinding.H1_MISSING, {"h1": "", "h1_count": 0}, ""),
    ],
)
def test_a_page_is_found_by_its_facts(
    database: Database,
    crawling: Crawling,
    kind: SiteFinding,
    values: dict[str, object],
    detail: str,
) -> None:
    crawling.visit("/", "/a", title="Home", canonical=address("/"), facts=facts())
    crawling.visit("/a", title="A", canonical=address("/a"), facts=facts(**{"h1": "A", **values}))
    assert found(database, crawling.end())[kind] == [("/a", detail)]


@pytest.mark.parametrize(
    "values", [{"elapsed_ms": 1_000}, {"bytes": 500_000}, {"images": 3}], ids=str
)
def test_at_its_limit_a_page_is_in_order(
    database: Database, crawling: Crawling, values: dict[str, object]
) -> None:
    crawling.visit("/", title="t" * 60, canonical=address("/"), facts=facts(**values))
    assert found(database, crawling.end()) == {}


def test_words_matter_only_where_search_engines_show_them(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/hidden", "/copy", title="Home", facts=facts())
    crawling.visit("/hidden", facts=facts(is_noindex=True))
    canonical_id = crawling.page_id(address("/"))
    crawling.visit("/copy", title="Home", facts=facts(canonical_id=canonical_id))
    kinds = found(database, crawling.end())
    assert SiteFinding.TITLE_MISSING not in kinds
    assert SiteFinding.TITLE_DUPLICATE not in kinds
    assert kinds[SiteFinding.CANONICALIZED] == [("/copy", "")]


def test_a_copy_of_the_whole_site_is_audited(database: Database, crawling: Crawling) -> None:
    original = Link("https://www.example.org/", source="canonical", refused=("offsite", ""))
    canonical_id = crawling.page_id(original.url)
    crawling.visit("/", original, canonical=original.url, facts=facts(canonical_id=canonical_id))
    kinds = found(database, crawling.end())
    assert kinds[SiteFinding.TITLE_MISSING] == [("/", "")]
    assert kinds[SiteFinding.CANONICAL_OFFSITE] == [("/", original.url)]


def test_language_versions_have_to_name_each_other(database: Database, crawling: Crawling) -> None:
    en, de, fr = (crawling.page_id(address(path)) for path in ("/", "/de", "/fr"))
    crawling.visit("/", "/de", "/fr", "/es", facts=facts(alternates={en: "en", de: "de", fr: "fr"}))
    crawling.visit("/de", facts=facts(alternates={en: "en", de: "de"}))
    crawling.visit("/fr", facts=facts(alternates={fr: "fr"}))
    # Nothing is known of a page that was not visited.
    kinds = found(database, crawling.end())
    assert kinds[SiteFinding.HREFLANG_NO_RETURN] == [("/", f"fr: {address('/fr')}")]


def test_broken_links_have_every_source(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", Link("/gone", "Old"), Link("/gone", "Old again"))
    crawling.visit("/a", Link("/gone", "Gone"))
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    scan = crawling.end()
    with database.reading() as connection:
        sources = PageFindings(connection, scan).sources(SiteFinding.BROKEN_LINK, 10)
        first = PageFindings(connection, scan).sources(SiteFinding.BROKEN_LINK, 1)
    page_id = crawling.page_id(address("/gone"))
    assert sources[page_id].first == [(address("/"), "Old"), (address("/a"), "Gone")]
    assert (first[page_id].total, len(first[page_id].first)) == (2, 1)


def test_what_only_a_sitemap_names_is_no_broken_link(
    database: Database, crawling: Crawling
) -> None:
    crawling.list_in_sitemap("/gone")
    crawling.visit("/", Link("/gone", source="start"))
    crawling.visit("/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found")
    assert SiteFinding.BROKEN_LINK not in found(database, crawling.end())


# --- the scan before ------------------------------------------------------------------------


def second_scan(database: Database, **outcome: Any) -> Scan:
    """A second crawl of the root, whose visit ends as *outcome* says."""
    again = Crawling(database)
    again.start()
    again.visit("/", **outcome)
    return again.end()


def test_an_unchanged_page_keeps_its_facts(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", facts=facts(h1="", images=2, images_without_alt=1))
    crawling.end()
    for _ in range(2):
        scan = second_scan(database, **UNCHANGED)
        kinds = found(database, scan)
        assert kinds[SiteFinding.IMAGE_ALT_MISSING] == [("/", "1 of 2 images")]
        assert kinds[SiteFinding.H1_MISSING] == [("/", "")]
        with database.reading() as connection:
            # Its speed is that of the scan that read it.
            assert PageFindings(connection, scan).speeds() == []


def test_a_page_is_what_the_visit_said_that_read_it(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", title="Home", facts=facts())
    crawling.end()
    scan = second_scan(database, **UNCHANGED)
    assert SiteFinding.TITLE_MISSING not in found(database, scan)


def test_findings_are_new_fixed_or_not_visited_again(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", "/fixed", "/kept", "/left", title="Home", facts=facts())
    for path in ("/fixed", "/kept", "/left"):
        crawling.visit(path, facts=facts())
    first = crawling.end()
    again = Crawling(database)
    again.start()
    again.visit("/", "/fixed", "/kept", "/new", title="Home", facts=facts())
    again.visit("/fixed", title="A title", facts=facts())
    again.visit("/kept", facts=facts())
    again.visit("/new", facts=facts())
    report = gather_report(database, again.end())
    assert report["before"] is not None
    assert (report["before"]["scan_id"], report["before"]["visited"]) == (first.id, 4)
    missing = next(each for each in report["findings"] if each["kind"] == "title_missing")
    assert missing["count"] == 2
    assert missing["before"] == {"count": 3, "new": 1, "fixed": 1, "not_visited": 1}


def test_a_finding_that_is_gone_is_told(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", facts=facts())
    crawling.end()
    scan = second_scan(database, title="Home", canonical=address("/"), facts=facts())
    before = compare_findings(database, scan, [])
    assert before is not None
    fixed = {each["kind"]: each["before"] for each in before["fixed"]}
    assert fixed["title_missing"] == {"count": 1, "new": 0, "fixed": 1, "not_visited": 0}


def test_a_first_scan_has_nothing_to_be_compared_with(
    database: Database, crawling: Crawling
) -> None:
    crawling.visit("/", facts=facts())
    assert compare_findings(database, crawling.end(), []) is None
