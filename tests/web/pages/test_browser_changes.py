"""A site in trouble, as real scans find it: robots.txt, sitemaps and incidents in the browser."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from sitecrawl.services import jobs, sites
from sitecrawl.services.sites import NewSite
from tests.site import SiteServer
from tests.site.build import page as page_of
from tests.site.build import robots, sitemap, sitemap_index
from tests.web.pages import browsing
from tests.web.pages.browsing import browsed, does, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.pages.browsing import Dashboard

_POSTS = [f"/blog/a-post-about-{number}" for number in range(80)]
_GUIDES = [f"/guides/how-to-{number}" for number in range(6)]


def _serve(site: SiteServer) -> None:
    site.routes |= {path: page_of(f"Title of {path}", "/") for path in ("/", *_POSTS, *_GUIDES)}
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/admin",)),
        "/sitemap.xml": sitemap_index(site.at("/maps/posts.xml"), site.at("/maps/guides.xml")),
        "/maps/posts.xml": sitemap(*map(site.at, _POSTS)),
        "/maps/guides.xml": sitemap(*map(site.at, _GUIDES)),
    }


def _block(site: SiteServer) -> None:
    """Somebody blocks the guides, and adds a page and a sitemap."""
    site.routes["/robots.txt"] = robots(
        site.at("/sitemap.xml"), disallow=("/admin", "/guides"), allow=("/guides/how-to-1",)
    )
    site.routes["/news"] = page_of("News", "/")
    site.routes["/maps/news.xml"] = sitemap(site.at("/news"))
    maps = ("/maps/posts.xml", "/maps/guides.xml", "/maps/news.xml")
    site.routes["/sitemap.xml"] = sitemap_index(*map(site.at, maps))


def _collapse(site: SiteServer) -> None:
    """Most posts are no longer listed, and answer no more."""
    site.routes["/maps/posts.xml"] = sitemap(*map(site.at, _POSTS[:3]))
    for path in _POSTS[3:]:
        del site.routes[path]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """With three scans of a site: as it was, blocked, and collapsed."""
    with (
        SiteServer() as site,
        served(tmp_path_factory.mktemp("trouble")) as (server, database_url),
        browsed(server, database_url) as made,
    ):
        new = NewSite(site.url, name="Beehive", profile="monitor,fast", allow_private=True)
        job_id = sites.add_site(server.database, 1, new).active_job_id
        for change in (_serve, _block, _collapse):
            change(site)
            made.run_job(job_id or jobs.scan_site(server.database, 1, 1).id)
            job_id = None
        yield made


def test_a_changed_robots_txt_is_shown_as_a_diff_with_its_impact(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/robots")
    page.select_option("[name=before]", "1")
    page.click("button:text-is('Compare')")
    diff = page.locator("[aria-label='What differs from scan 1']")
    assert [line.split() for line in diff.locator(".added").all_inner_texts()] == [
        ["+", "Disallow:", "/guides"],
        ["+", "Allow:", "/guides/how-to-1"],
    ]
    expect(diff.locator(".removed")).to_have_count(0)
    rows = page.locator("section:has(#impact) tbody tr")
    blocked = rows.filter(has_text="Disallow: /guides").locator("td").all_inner_texts()
    assert blocked[0] == "refused"
    assert blocked[-2:] == ["5", "0"], "five guides now, none in scan 1"
    allowed = rows.filter(has_text="Allow: /guides").locator("td").all_inner_texts()
    assert allowed[-2:] == ["1", "0"]
    event = page.locator("section:has(#events) a", has_text="robots.txt blocks 5 known URLs")
    dashboard.check_layout()
    event.click()
    expect(page.locator(".facts").first).to_contain_text("Disallow: /guides")
    assert "{'" not in page.locator("main").inner_text()
    dashboard.check_layout()
    dashboard.open("/sites/1/pages?status=refused")
    page.click("tbody a >> nth=0")
    expect(page.locator(".robots-file .hit")).to_contain_text("Disallow: /guides")


def test_changed_sitemaps_are_shown_with_what_differs(dashboard: Dashboard) -> None:
    page = dashboard.open("/sites/1/sitemaps")
    page.select_option("[name=before]", "1")
    page.click("button:text-is('Compare')")
    table = page.locator("section:has(#compared) tbody tr")
    rows = {
        row.locator("th").inner_text().split()[0]: row.locator("td").all_inner_texts()
        for row in table.all()
    }
    assert rows["/maps/posts.xml"] == ["read", "read", "80 entries", "3 entries", "-77"]
    assert rows["/maps/news.xml"] == ["not known", "read", "-", "1 entry", "+1"]
    assert rows["/sitemap.xml"] == ["read", "read", "2 sitemaps", "3 sitemaps", "+1"]
    added = page.locator("section:has(#compared) li.added")
    removed = page.locator("section:has(#compared) li.removed")
    assert [each.split()[-1] for each in added.all_inner_texts()] == ["/news"]
    expect(removed).to_have_count(77)
    dashboard.check_layout()


@does("/sites/{site_id}/incidents/{incident_id}")
def test_an_incident_is_assigned_noted_snoozed_confirmed_and_closed(dashboard: Dashboard) -> None:
    page = dashboard.open("/")
    page.click("section.attention a:has-text('77')")
    expect(page.locator(".facts")).to_contain_text("inventory collapsed")
    expect(page.locator("section:has(#events) li")).to_have_count(1)
    dashboard.check_layout()
    page.fill("[name=assignee]", "grace")
    page.fill("[name=note]", "They moved to the archive")
    page.click("button:text-is('Save')")
    expect(page.locator(".facts")).to_contain_text("They moved to the archive")
    page.click("button:text-is('Snooze')")
    expect(page.locator(".facts")).to_contain_text("snoozed")
    dashboard.open("/incidents")
    expect(page.locator("main")).not_to_contain_text("grace")
    dashboard.open("/incidents?snoozed=true")
    page.locator("tbody tr", has_text="grace").locator("a").first.click()
    page.click("button:text-is('End the snooze')")
    page.click("button:text-is('Confirm the removals')")
    dashboard.told("77 pages are confirmed as removed")
    expect(page.locator(".facts")).to_contain_text("closed")
    dashboard.open("/incidents?status=closed")
    expect(page.locator("tbody")).to_contain_text("grace")
    dashboard.open("/sites/1/changes?type=removed")
    expect(page.locator("#changes tbody tr")).to_have_count(50)


@does("/sites/{site_id}/incidents/{incident_id}")
def test_an_incident_is_closed_with_a_note(dashboard: Dashboard) -> None:
    page = dashboard.open("/incidents")
    page.click("tbody a:has-text('robots.txt blocks')")
    page.fill("[name=note]", "The guides are meant to be hidden")
    page.click("button:text-is('Close it')")
    dashboard.told("The incident is closed")
    expect(page.locator(".facts")).to_contain_text("The guides are meant to be hidden")
    expect(page.locator("button:text-is('Close it')")).to_have_count(0)


def test_every_action_is_done_in_a_browser() -> None:
    """Those that tests declare; each test fails if its browser has not sent what it declares."""
    for name in ("actions", "people"):
        import_module(f"tests.web.pages.test_browser_{name}")
    declared = set().union(*browsing.done.values())
    assert declared <= set(browsing.POST_ROUTES)
    # A plain form for browsers without JavaScript, and what a script streams instead.
    left = set(browsing.POST_ROUTES) - declared
    assert left == {"/sites/new/look", "/sites/{site_id}/ask"}
