"""The crawl of every model site finds what is there, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.crawl.scanned import Mention
from tests.site.sites import docs_site, messy_site, news_site, shop_site, trap_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.crawl.scanned import ScannedSite

    Scan = Callable[..., ScannedSite]

SITES = (trap_site, messy_site, news_site, shop_site, docs_site)
REFUSED_BEFORE_A_FETCH = {
    *("offsite", "outside_base", "scheme_not_allowed"),
    *("skipped_path", "skipped_file_type", "blocked_by_robots"),
}
# What the crawl asks for beside pages.
ENTRIES = ("/robots.txt", "/sitemap", "/wp-sitemap", "/no-such-page-")


@pytest.fixture(params=SITES, ids=lambda make: make.__name__)
def scanned(request: pytest.FixtureRequest, scan: Scan) -> ScannedSite:
    return scan(request.param)


def test_every_real_page_is_listed(scanned: ScannedSite) -> None:
    assert scanned.model.reachable - scanned.listed == set()


def test_nothing_else_is_listed(scanned: ScannedSite) -> None:
    model = scanned.model
    others = scanned.listed - model.reachable - model.optional
    assert {target for target in others if model.trap_of(target) is None} == set()


def test_no_page_is_both_listed_and_refused(scanned: ScannedSite) -> None:
    assert scanned.listed & scanned.refused.keys() == set()


def test_traps_are_left_in_time(scanned: ScannedSite) -> None:
    spent, limits = scanned.requests_by_trap(), scanned.model.most_requests
    assert {trap: count for trap, count in spent.items() if count > limits[trap]} == {}


def test_what_is_refused_has_its_reason(scanned: ScannedSite) -> None:
    expected = {target: refusal.reason for target, refusal in scanned.model.refusals.items()}
    found = {target: scanned.refused.get(target, {}).get("reason") for target in expected}
    assert found == expected


def test_what_is_refused_has_its_rule(scanned: ScannedSite) -> None:
    expected = {
        target: refusal.rule for target, refusal in scanned.model.refusals.items() if refusal.rule
    }
    found = {target: scanned.target(scanned.refused[target]["rule"]) for target in expected}
    assert found == expected


def test_links_are_told_with_source_region_and_text(scanned: ScannedSite) -> None:
    exact = scanned.mentions
    without_anchors = {mention._replace(anchor="") for mention in exact}
    missing = [
        expected
        for expected in scanned.model.mentions
        if Mention(
            expected.page, expected.document, expected.source, expected.region, expected.anchor
        )
        not in (exact if expected.anchor else without_anchors)
    ]
    assert missing == []


def test_what_only_looks_like_a_link_is_left_alone(scanned: ScannedSite) -> None:
    never = scanned.model.never
    assert never & {*scanned.asked, *scanned.listed, *scanned.refused} == set()


def test_nothing_is_asked_for_twice_or_without_need(scanned: ScannedSite) -> None:
    model = scanned.model
    pages = [target for target in scanned.asked if not target.startswith(ENTRIES)]
    asked = Counter(target for target in pages if target not in model.optional)
    assert [target for target, count in asked.items() if count > 1] == []
    feeds = {mention.page for mention in model.mentions if mention.source == "feed-link"}
    unseen = {
        target
        for target, refusal in model.refusals.items()
        if refusal.reason in REFUSED_BEFORE_A_FETCH and target not in feeds
    }
    assert unseen & asked.keys() == set()
