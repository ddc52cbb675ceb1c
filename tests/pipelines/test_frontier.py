from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import pytest

from sitecrawl.html.links import LinkSource
from sitecrawl.items import (
    NOT_SENT,
    Document,
    DocumentKind,
    FetchOutcome,
    Judged,
    MentionBatch,
    PageFacts,
    Source,
    Visit,
    VisitedPage,
)
from sitecrawl.pipelines.frontier import FrontierPipeline
from sitecrawl.robots.policy import Verdict, VerdictReason
from sitecrawl.store.queries.resume import KnownVisit, Resumption
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids
from sitecrawl.urls.refusal import Reason, Refusal
from tests.scan.build import make_scan

ROOT = "https://example.com"
HOME = Visit(1, f"{ROOT}/", clicks=0)
ROBOTS = f"{ROOT}/robots.txt"
ALLOWED = Judged(ROBOTS, Verdict(True, VerdictReason.NO_RULE))
FORBIDDEN = Judged(ROBOTS, Verdict(False, VerdictReason.RULE, "Disallow: /", 1, "*"))
XML = Refusal(Reason.SKIPPED_FILE_TYPE, "*.xml")


class Frontier:
    """The pipeline with a scan that has no more than it needs."""

    def __init__(self, resumption: Resumption | None = None, **settings: Any) -> None:
        self.scan = make_scan(resumption, **settings)
        self.scope = self.scan.config.scope([f"{ROOT}/"])
        self.pipeline = FrontierPipeline(self.scan)

    def batch(self, visit: Visit, *paths: str, **columns: Any) -> MentionBatch:
        urls = [path if ":" in path else ROOT + path for path in paths]
        columns = {"source": LinkSource.LINK, "judged": ALLOWED, **columns}
        batch = MentionBatch(
            document=visit.url,
            base=visit.url,
            scope=self.scope,
            positions=range(1, len(urls) + 1),
            locs=urls,
            visit=visit,
            **columns,
        )
        batch.urls = urls
        batch.ids = ids(*urls)
        return batch

    def visit(
        self,
        visit: Visit,
        *paths: str,
        text: int | None = None,
        outcome: FetchOutcome = FetchOutcome.OK,
        **columns: Any,
    ) -> Any:
        """Path, number, clicks and hops of what is to be visited next because of this page."""
        batch = self.batch(visit, *paths, **columns)
        document = Document(visit.url, DocumentKind.PAGE, "a link", outcome)
        facts = PageFacts(fingerprint=text)
        page = VisitedPage(visit, document, None, [batch], facts)
        self.pipeline.process_item(page)
        self.outcome = page.outcome
        return [
            (batch.urls[entry.row].removeprefix(ROOT), entry.number, entry.clicks)
            for entry in batch.to_visit
        ]


def ids(*urls: str) -> list[int]:
    return page_ids(urls, 1, KeyRules())


def test_what_is_new_gets_the_next_numbers_in_the_order_of_the_links() -> None:
    frontier = Frontier()
    start = frontier.visit(HOME, "/", source=Source.START)
    assert start == [("/", 1, 0)], "where it starts costs no click"
    assert frontier.visit(HOME, "/b", "/a", "/b", "/b/") == [("/b", 2, 1), ("/a", 3, 1)]
    second = Visit(2, f"{ROOT}/b", clicks=1)
    assert frontier.visit(second, "/", "/a", "/c") == [("/c", 4, 2)]
    assert frontier.scan.counters.visits_found == 4


def test_sitemaps_name_nothing_that_is_to_be_visited_unless_they_are_asked_to() -> None:
    frontier = Frontier()
    batch = frontier.batch(HOME, "/a", source=Source.SITEMAP)
    batch.visit = None
    assert frontier.pipeline.process_item(batch).to_visit == []
    batch.visit = Visit(0, f"{ROOT}/sitemap.xml", clicks=0)
    (entry,) = frontier.pipeline.process_item(batch).to_visit
    assert (entry.number, entry.clicks) == (1, 1)


class TestBounds:
    def test_what_is_too_far_is_counted_once(self) -> None:
        frontier = Frontier(max_crawl_depth=2)
        far = Visit(5, f"{ROOT}/far", clicks=2)
        assert frontier.visit(far, "/x", "/y") == []
        assert frontier.visit(far, "/y", "/x") == []
        assert frontier.scan.counters.beyond_depth == 2

    def test_what_is_reached_by_a_shorter_way_is_not_too_far(self) -> None:
        frontier = Frontier(max_crawl_depth=2)
        assert frontier.visit(Visit(5, f"{ROOT}/far", clicks=2), "/x", "/y") == []
        near = Visit(6, f"{ROOT}/near", clicks=1)
        assert frontier.visit(near, "/x") == [("/x", 1, 2)]
        assert frontier.scan.counters.beyond_depth == 1

    def test_a_redirect_costs_no_click(self) -> None:
        far = Visit(5, f"{ROOT}/far", clicks=2)
        frontier = Frontier(max_crawl_depth=2)
        assert frontier.visit(far, "/x", source=LinkSource.REDIRECT) == [("/x", 1, 2)]

    def test_no_limit_is_none(self) -> None:
        far = Visit(5, f"{ROOT}/far", clicks=2_000)
        assert Frontier(max_crawl_depth=0).visit(far, "/x") == [("/x", 1, 2_001)]

    @pytest.mark.parametrize(("hops", "url"), [(0, f"{ROOT}/a"), (3, "https://other.example/")])
    def test_hops_are_counted_since_the_site_was_left(self, hops: int, url: str) -> None:
        frontier = Frontier(max_crawl_depth=0)
        away = Visit(5, "https://elsewhere.example/", clicks=2, external_hops=2)
        batch = frontier.batch(away, url)
        (entry,) = frontier.pipeline.process_item(batch).to_visit
        assert entry.external_hops == hops


class TestWhatIsVisited:
    @pytest.mark.parametrize(
        "columns",
        [
            {"refused": {0: Refusal(Reason.SKIPPED_PATH, "/x")}},
            {"refused": {0: XML}},
            {"judged": FORBIDDEN},
            {"judged": None},
            {"sources": [LinkSource.FORM]},
            {"sources": [LinkSource.FEED_LINK], "refused": {0: Refusal(Reason.OFFSITE, "/")}},
        ],
        ids=["refused", "file", "robots", "robots not asked", "form", "feed of others"],
    )
    def test_not_this(self, columns: dict[str, Any]) -> None:
        frontier = Frontier()
        assert frontier.visit(HOME, "/x", **columns) == []
        assert frontier.visit(HOME, "/x") == [("/x", 1, 1)], "a better link may come"

    def test_a_feed_though_it_is_a_file(self) -> None:
        columns: dict[str, Any] = {"sources": [LinkSource.FEED_LINK], "refused": {0: XML}}
        assert Frontier().visit(HOME, "/feed.xml", **columns) == [("/feed.xml", 1, 1)]

    @pytest.mark.parametrize("is_obeyed", [True, False])
    @pytest.mark.parametrize(
        "columns",
        [{"rels": ["noopener nofollow"]}, {"is_nofollow": True}],
        ids=["link", "page"],
    )
    def test_nofollow_if_it_is_not_obeyed(self, columns: dict[str, Any], is_obeyed: bool) -> None:
        frontier = Frontier(obey_nofollow=is_obeyed)
        assert len(frontier.visit(HOME, "/x", **columns)) == (not is_obeyed)

    def test_a_word_that_only_holds_nofollow_is_another(self) -> None:
        frontier = Frontier(obey_nofollow=True)
        assert frontier.visit(HOME, "/x", rels=["x-nofollow-y"]) == [("/x", 1, 1)]


class TestPatterns:
    LIMITS: ClassVar[dict[str, Any]] = {"trap_pattern_pages": 2, "trap_growth": 1}
    NUMBERED = tuple(f"/item/{number}" for number in range(1, 6))

    def test_one_that_has_had_its_share_is_held_and_released_when_it_brings_something(
        self,
    ) -> None:
        frontier = Frontier(**self.LIMITS)
        found = frontier.visit(HOME, *self.NUMBERED)
        assert [number for _, number, _ in found] == [1, 2, None, None, None]
        item = Visit(2, f"{ROOT}/item/1", clicks=1)
        frontier.visit(item, "/elsewhere", text=12345)
        outcome = frontier.outcome
        assert outcome is not None
        assert outcome.is_productive
        assert outcome.released >= 1
        assert outcome.first_number == 4, "behind /elsewhere, which has number 3"
        after = frontier.visit(Visit(9, f"{ROOT}/z", clicks=1), "/last")
        assert after == [("/last", 4 + outcome.released, 2)]

    def test_a_visit_that_was_not_made_releases_nothing(self) -> None:
        frontier = Frontier(**self.LIMITS)
        frontier.visit(HOME, *self.NUMBERED)
        item = Visit(1, f"{ROOT}/item/1", clicks=1)
        for outcome in NOT_SENT:
            frontier.visit(item, outcome=outcome)
            assert frontier.outcome is None
        frontier.visit(item, "/elsewhere", text=12345)
        assert frontier.outcome is not None
        assert frontier.outcome.first_number == 4, "no number is lost"

    def test_what_a_sitemap_lists_is_no_merit_of_the_page_that_comes_next(self) -> None:
        def outcome_after(*listed: str) -> Any:
            frontier = Frontier(**self.LIMITS)
            frontier.visit(HOME, *self.NUMBERED)
            sitemap = Visit(0, f"{ROOT}/sitemap.xml", clicks=0)
            frontier.pipeline.process_item(frontier.batch(sitemap, *listed, source=Source.SITEMAP))
            frontier.visit(Visit(2, f"{ROOT}/item/1", clicks=1))
            assert frontier.outcome is not None
            return frontier.outcome.is_productive, frontier.outcome.released

        assert outcome_after("/x/a", "/y/b", "/z") == outcome_after()

    def test_what_was_given_up_is_counted(self) -> None:
        frontier = Frontier(**self.LIMITS)
        frontier.visit(HOME, *self.NUMBERED)
        for number in (1, 2):
            frontier.visit(Visit(number, f"{ROOT}/item/{number}", clicks=1))
        asyncio.run(frontier.pipeline.conclude())
        (cut,) = frontier.scan.counters.given_up_patterns
        assert (cut["visited"], cut["left_out"]) == (2, 3)
        assert cut["example"].startswith(f"{ROOT}/item/")


def test_a_crawl_that_goes_on_knows_its_frontier_and_its_last_number() -> None:
    known = [
        KnownVisit(page_id, f"{ROOT}{path}", number, outcome, None, None)
        for path, number, outcome in (("/", 1, "ok"), ("/a", 2, None), ("/b", 3, None))
        for page_id in ids(f"{ROOT}{path}")
    ]
    frontier = Frontier(Resumption(f"{ROOT}/", [], known, {}, 0, {}))
    assert frontier.visit(HOME, "/", "/a", "/b", "/c") == [("/c", 4, 1)]


def test_a_crawl_that_goes_on_has_spent_what_it_had_spent() -> None:
    paths = TestPatterns.NUMBERED
    whole, killed = Frontier(**TestPatterns.LIMITS), Frontier(**TestPatterns.LIMITS)
    whole.visit(HOME, *paths[:3])
    known = [
        KnownVisit(ids(ROOT + path)[0], ROOT + path, number, None, None, None)
        for path, number, _ in killed.visit(HOME, *paths[:3])
    ]
    resumed = Frontier(Resumption(f"{ROOT}/", [], known, {}, 0, {}), **TestPatterns.LIMITS)
    assert resumed.visit(HOME, *paths) == whole.visit(HOME, *paths)


def test_links_to_other_languages_are_not_followed_when_the_profile_says_so() -> None:
    paths = ("/de/a", "/fr/a", "/en/a", "/about", "/x?lang=es")
    segments = ["de", "fr", "en", "about", "x?lang=es"]
    everything = Frontier(languages="en").visit(HOME, *paths)
    assert [path for path, _, _ in everything] == list(paths), "marked, but visited"
    frontier = Frontier(languages="en", skip_other_languages=True)
    batch = frontier.batch(HOME, *paths)
    batch.segments = segments
    frontier.pipeline.process_item(batch)
    assert [batch.urls[entry.row] for entry in batch.to_visit] == [
        f"{ROOT}/en/a",
        f"{ROOT}/about",
    ]
    assert frontier.scan.counters.other_language == 3


def test_where_a_crawl_starts_is_visited_in_any_language() -> None:
    frontier = Frontier(languages="en", skip_other_languages=True)
    assert frontier.visit(HOME, "/pt-br", source=Source.START) == [("/pt-br", 1, 0)]
