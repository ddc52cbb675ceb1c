"""Connections that are never ready to carry a request; how ready ones are used, a site sees."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler
from tests.site.raw import RawServer
from tests.stages.stored import evidence, fetches

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Fetch = Callable[..., CrawlResult]


@pytest.fixture
def fetch(crawl: Callable[..., CrawlResult]) -> Fetch:
    def run(site: SiteServer, page: str, **settings: object) -> CrawlResult:
        values = {"SPIDER_MODULES": "tests.site.spiders", "TEST_PAGES": page, "RETRY_TIMES": 0}
        return crawl(site.url, spider="pages", settings={**values, **settings})

    return run


def test_a_handshake_that_does_not_end_is_a_time_out(
    make_site: Callable[..., SiteServer], fetch: Fetch
) -> None:
    tls = make_site(tls=True, handshake_seconds=(600,))
    began = time.monotonic()
    done = fetch(tls, tls.at("/page"), SITECRAWL_PAGE_TIMEOUT_SECONDS=1)
    assert time.monotonic() - began < 60
    assert fetches(done)[tls.at("/page")].outcome == "timeout"
    assert tls.requests() == []


def test_a_certificate_that_is_not_trusted(
    make_site: Callable[..., SiteServer], fetch: Fetch
) -> None:
    tls = make_site(tls=True)
    document = fetches(fetch(tls, tls.at("/page")))[tls.at("/page")]
    assert document.outcome == "unreachable"
    expected = "the certificate could not be verified (SITECRAWL_VERIFY_CERTIFICATES)"
    assert document.error == expected
    assert tls.requests() == []


def test_a_port_without_tls_is_not_a_matter_of_certificates(site: SiteServer, fetch: Fetch) -> None:
    address = site.at("/page").replace("http:", "https:")
    document = fetches(fetch(site, address))[address]
    assert document.outcome == "unreachable"
    assert document.error == "there is no TLS that both sides understand"


def test_a_server_that_does_not_speak_tls(site: SiteServer, fetch: Fetch) -> None:
    page = site.at("/page").replace("http:", "https:")
    done = fetch(site, page)
    assert fetches(done)[page].outcome == "unreachable"
    assert site.requests() == []
    ((words, metadata),) = evidence(done, "politeness_ledger")
    assert words == "0 requests to 0 hosts, 0 bytes", "what was not sent is not counted"
    assert metadata["by_host"] == []


def test_a_server_that_closes_kept_connections_without_a_word(
    crawl: Callable[..., CrawlResult],
) -> None:
    """It is noticed before the next request is sent: nothing is lost, nothing is sent twice."""
    pages = [f"/page{number}" for number in range(60)]
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
    with RawServer(dict.fromkeys(pages, answer)) as server:
        settings = {
            "SPIDER_MODULES": "tests.site.spiders",
            "TEST_PAGES": " ".join(pages),
            "RETRY_TIMES": 0,
        }
        done = crawl(server.url, spider="pages", settings=settings).succeeded()
    assert {each.outcome for each in fetches(done).values()} == {"ok"}
    assert sorted(server.paths) == sorted(pages), "the server saw each once"
    ((_, metadata),) = evidence(done, "politeness_ledger")
    assert metadata["requests"] == len(pages)


class LosingDownloadHandler(GuardedDownloadHandler):
    """Loses every kept connection after it was chosen for another request."""

    async def _connection_kept(self, *arguments: Any) -> None:
        connector: Any = self._session.connector
        for protocol in connector._acquired:
            protocol.transport.abort()
        await super()._connection_kept(*arguments)


def test_a_kept_connection_that_is_lost_before_a_request_is_written(
    site: SiteServer, fetch: Fetch
) -> None:
    pages = [f"/page{number}" for number in range(4)]
    site.routes |= dict.fromkeys(pages, b"x")
    handler = f"{__name__}.{LosingDownloadHandler.__name__}"
    done = fetch(
        site,
        " ".join(pages),
        DOWNLOAD_HANDLERS=json.dumps({"http": handler, "https": handler}),
        CONCURRENT_REQUESTS=1,
    ).succeeded()
    assert {each.outcome for each in fetches(done).values()} == {"ok"}
    assert [each.path for each in site.requests()] == pages, "the server saw each once"
    ((_, metadata),) = evidence(done, "politeness_ledger")
    assert metadata["requests"] == len(pages)
