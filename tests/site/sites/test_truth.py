"""The ground truth is true: tests of the crawl trust it."""

from __future__ import annotations

import http.client
from typing import TYPE_CHECKING

import pytest

from tests.site.sites import docs_site, messy_site, news_site, shop_site, trap_site
from tests.site.sites.stockspider import HOST, body_of, links_of, reply_to, stock_crawl

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.sites import ModelSite

    Maker = Callable[[], ModelSite]

SITES = (trap_site, messy_site, news_site, shop_site, docs_site)
TIDY_SITES = (trap_site, news_site, shop_site, docs_site)
# What leads there is no plain link, or lies in a trap.
OTHERWISE_FOUND = {
    trap_site: {
        *("/events/boat-sale", "/events/carnival", "/events/harvest-fair"),
        *("/members/benefits", "/members/newsletter"),
        *("/shop/items/kettle", "/shop/items/sledge"),
    },
    news_site: {
        "/2026/03/12/tram-reopens-7",
        "/2026/04/26/council-wins-2/amp",
        "/2026/05/05/bridge-votes-again-1/amp",
        "/2026/05/14/harbour-reopens-0/amp",
    },
    shop_site: set(),
    docs_site: {"/docs/search"},
}
REDIRECTS = {301, 302}


@pytest.fixture(params=SITES, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Maker:
    maker: Maker = request.param
    return maker


@pytest.fixture
def model(make: Maker) -> ModelSite:
    return make()


class TestTruth:
    def test_every_real_page_is_there(self, model: ModelSite) -> None:
        assert {reply_to(model, target).status for target in model.truth} == {200}

    def test_no_target_is_two_things(self, model: ModelSite) -> None:
        kinds = [model.truth, model.optional, model.never, frozenset(model.refusals)]
        assert sum(map(len, kinds)) == len(frozenset().union(*kinds))
        assert {model.trap_of(target) for target in model.truth} == {None}

    def test_real_pages_have_texts_of_their_own(self, model: ModelSite) -> None:
        bodies = [body_of(model, target) for target in model.truth]
        assert len(set(bodies)) == len(bodies)

    def test_a_site_never_changes(self, make: Maker) -> None:
        one, other = make(), make()
        for target in one.truth:
            assert body_of(one, target) == body_of(other, target)

    def test_what_is_refused_after_a_fetch_answers_so(self, model: ModelSite) -> None:
        for target, refusal in model.refusals.items():
            if refusal.reason == "not_found":
                assert reply_to(model, target).status in {404, 410}
            if refusal.reason in {"redirected", "redirect_loop", "too_many_redirects"}:
                assert reply_to(model, target).status in REDIRECTS
            if refusal.reason == "soft_404":
                assert "Sorry!" in body_of(model, target).decode()

    def test_expected_mentions_are_of_documents_that_are_there(self, model: ModelSite) -> None:
        for mention in model.mentions:
            assert reply_to(model, mention.document).status == 200, mention


@pytest.mark.parametrize("make", TIDY_SITES, ids=lambda make: make.__name__)
class TestTidySites:
    def test_plain_links_lead_to_all_pages_but_those_that_are_said(self, make: Maker) -> None:
        model = make()
        asked = set(stock_crawl(model, 1_000, may_follow=lambda target: not model.trap_of(target)))
        assert model.reachable - asked == OTHERWISE_FOUND[make]
        assert not asked & model.unlinked

    def test_what_else_plain_links_lead_to_is_refused(self, make: Maker) -> None:
        model = make()
        asked = set(stock_crawl(model, 1_000, may_follow=lambda target: not model.trap_of(target)))
        reasons = {refusal.reason for refusal in model.refusals.values()}
        for target in asked - model.truth - set(model.refusals):
            is_file = target.endswith((".pdf", ".jpg"))
            assert (is_file and "skipped_file_type" in reasons) or target.startswith("/cart/")

    def test_expected_links_are_on_their_pages(self, make: Maker) -> None:
        model = make()
        for mention in model.mentions:
            if mention.source == "link" and mention.page not in OTHERWISE_FOUND[make]:
                known = {
                    target.partition("?osCsid=")[0] for target in links_of(model, mention.document)
                }
                assert mention.page in known, mention


class TestServing:
    def test_a_site_is_served_with_all_its_answers(self, model: ModelSite) -> None:
        with model.serve() as server:
            client = http.client.HTTPConnection(server.address, server.port, timeout=60)
            for target in sorted(model.truth)[:10]:
                client.request("GET", target)
                response = client.getresponse()
                assert response.status == 200, target
                assert response.read() == _served(model, target, f"{server.address}:{server.port}")
            client.close()
            assert server.paths() == sorted(model.truth)[:10]


def _served(model: ModelSite, target: str, host: str) -> bytes:
    return body_of(model, target).replace(f"http://{HOST}".encode(), f"http://{host}".encode())
