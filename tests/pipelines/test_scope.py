from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.build import robots, sitemap
from tests.stages.stored import refusals, summary, truncations

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}


def test_skip_rules_refuse_with_reason_and_rule(site: SiteServer, crawl: Crawl) -> None:
    wanted = ["/administration", "/about", "/a?q=1"]
    skipped = {
        "/admin/users": ("skipped_path", "/admin"),
        "/Cart": ("skipped_path", "/cart"),
        "/tag/x": ("skipped_path", "/tag/*"),
        "/files/a.PDF": ("skipped_file_type", "*.pdf"),
    }
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = sitemap(*skipped, *wanted, "https://other.example/admin")
    done = crawl(site.url, settings=ENOUGH, skip="/tag/*").succeeded()
    assert done.urls == [site.at(path) for path in wanted]
    refused = refusals(done)
    assert refused.pop("https://other.example/admin")[0] == "offsite", "the first refusal stands"
    assert refused == {site.at(path): rule for path, rule in skipped.items()}
    assert summary(done)["refused"] == {"skipped_path": 3, "skipped_file_type": 1, "offsite": 1}


def test_the_audit_profile_refuses_queries_and_takes_a_thousand_urls(
    site: SiteServer, crawl: Crawl
) -> None:
    site.routes["/robots.txt"] = robots("/map.xml")
    site.routes["/map.xml"] = sitemap("/a?q=1", "/b?utm_source=x", *(f"/{n}" for n in range(1_200)))
    done = crawl(site.url, profile="audit").ended_in_part()
    assert refusals(done) == {site.at("/a?q=1"): ("skipped_query", "?")}
    assert site.at("/b") in done.urls, "nothing is left of its query"
    assert len(done.rows) + len(refusals(done)) == 1_000
    assert truncations(done) == {"SITECRAWL_MAX_SITEMAP_URLS": 1_000}
    assert "SITECRAWL_MAX_SITEMAP_URLS" in done.stderr
    assert done.query("SELECT profile FROM scans") == [("audit",)]
