"""What ``sitecrawl changes`` says of real scans of a server that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.inprocess import run_inside
from tests.site import Reply
from tests.site.build import page, robots, sitemap, sitemap_index

if TYPE_CHECKING:
    from tests.site import SiteServer
    from tests.site.project import Project

POSTS = [f"/blog/a-post-about-{number}" for number in range(8)]
SETTINGS = {
    "SITECRAWL_CHECK_PAGES": 12,
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_ROBOTS_CACHE_SECONDS": 0,
}


def told(project: Project, site: SiteServer, *options: str) -> list[str]:
    """Severity and title of each event of the newest scan, with paths alone."""
    result = run_inside(project, "changes", site.url, *options).succeeded()
    lines = result.stdout.replace(site.url.rstrip("/"), "").splitlines()
    return [line for line in lines[1:] if not line.startswith(" ")]


def test_a_site_that_changes(site: SiteServer, project: Project) -> None:
    def scan() -> None:
        project.crawl(site.url, settings=SETTINGS).succeeded()

    paths = ["/", "/about", *POSTS]
    site.routes |= {path: page(f"Title of {path}", "/") for path in paths}
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/sitemap.xml": sitemap(*map(site.at, paths)),
    }
    scan()
    first = run_inside(project, "changes", site.url).succeeded()
    assert "is the first one (10 pages); the next is compared" in first.stdout

    scan()
    assert told(project, site) == ["no changes"]

    # A page is gone, another is new, a third has another title, and a section is blocked.
    paths = [*paths[:-1], "/blog/a-new-post"]
    del site.routes[POSTS[-1]]
    site.routes["/blog/a-new-post"] = page("New", "/")
    site.routes["/about"] = page("About us", "/")
    site.routes["/sitemap.xml"] = sitemap(*map(site.at, paths))
    site.routes["/robots.txt"] = robots(site.at("/sitemap.xml"), disallow=("/blog/a-post-about-1",))
    scan()
    found = told(project, site)
    assert any(line.endswith(f"{POSTS[-1]} was removed") for line in found)
    assert any("robots.txt blocks 1 known URL" in line for line in found)
    assert any(line.startswith("info      /about changed: title") for line in found)
    assert any(line.endswith("new page /blog/a-new-post") for line in found)
    assert len(found) == 4

    # The sitemap breaks: nothing is removed, and people are told once.
    site.routes["/sitemap.xml"] = Reply(status=404)
    scan()
    assert told(project, site) == ["high      /sitemap.xml answers 404"]
    scan()
    assert told(project, site) == ["no changes"]

    site.routes["/sitemap.xml"] = sitemap(*map(site.at, paths))
    scan()
    assert told(project, site) == ["info      /sitemap.xml can be read again (10 entries)"]
    diff = run_inside(project, "diff", site.url, "--scan", "1", "--scan", "6").succeeded()
    assert "1 added, 1 removed" in diff.stdout


def test_an_index_is_empty_only_without_sitemaps(site: SiteServer, project: Project) -> None:
    def scan() -> list[str]:
        project.crawl(site.url, settings=SETTINGS).succeeded()
        return told(project, site)

    maps = [site.at(f"/maps/{number}.xml") for number in range(2)]
    site.routes |= {path: page(f"Title of {path}", "/") for path in ("/", *POSTS)}
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml")),
        "/maps/0.xml": sitemap(*map(site.at, POSTS)),
        "/maps/1.xml": sitemap(site.at("/")),
    }
    site.routes["/sitemap.xml"] = sitemap_index(maps[0])
    scan()
    site.routes["/sitemap.xml"] = sitemap_index(*maps)
    assert any(line.endswith("new sitemap: /maps/1.xml (1 entry)") for line in scan())
    site.routes["/sitemap.xml"] = sitemap_index()
    assert "high      /sitemap.xml is empty; it had 2 sitemaps" in scan()
    site.routes["/sitemap.xml"] = sitemap_index(*maps)
    assert "info      /sitemap.xml can be read again (2 sitemaps)" in scan()
