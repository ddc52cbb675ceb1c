"""The simulated site on a real server, scanned over HTTP by real crawls."""

from __future__ import annotations

import hashlib
from html import escape
from typing import TYPE_CHECKING, Self

from tests.changes.simulated_site import CHECKS
from tests.site import Reply, SiteServer
from tests.site.build import NAMESPACE
from tests.site.names import names

if TYPE_CHECKING:
    from tests.changes.simulated_site import Page, SimulatedSite
    from tests.site.project import Project
    from tests.site.reply import Request

HOST = "example.com"
_HTML = "text/html; charset=utf-8"
# What the host answers for addresses that do not exist, and for pages that are broken silently.
_NO_SUCH_PAGE = "<title>Nothing here</title><h1>Nothing here</h1><p>This address is not in use.</p>"


class HttpScanner:
    """Serves the site, and scans it into the database of the project."""

    def __init__(self, project: Project, site: SimulatedSite) -> None:
        self._project = project
        self._site = site
        self._server = SiteServer({"/*": self._answer})
        self.origin = site.origin = f"http://{HOST}:{self._server.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.stop()

    def scan(self) -> None:
        loopback = [["127.0.0.1"]]
        settings = {
            **names({HOST: loopback, f"www.{HOST}": loopback}),
            "SITECRAWL_ADDRESS_ALLOW": "127.0.0.1",
            "SITECRAWL_CHECK_PAGES": CHECKS,
            "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
            "SITECRAWL_ROBOTS_CACHE_SECONDS": 0,
            "RETRY_TIMES": 0,
        }
        done = self._project.crawl(f"{self.origin}/", settings=settings)
        # A scan with a sitemap that cannot be read ends in part.
        assert done.returncode in {0, 3}, done.output

    def _answer(self, request: Request) -> Reply:
        path, site = request.path, self._site
        maps = site.maps()
        if path == "/robots.txt":
            lines = "".join(f"Sitemap: {self.origin}/sitemap-{name}.xml\n" for name in maps)
            return _cacheable(f"{site.robots}\n{lines}", "text/plain")
        if path.startswith("/sitemap-"):
            return self._map(path.removeprefix("/sitemap-").removesuffix(".xml"), maps)
        if path == "/":
            return _cacheable("<title>Home</title><h1>Home</h1>", _HTML)
        return self._page(path)

    def _page(self, path: str) -> Reply:
        site = self._site
        if site.is_storm:
            return Reply(b"overloaded", status=503)
        page = site.pages.get(path)
        if page is None or page.is_soft_404:
            return _cacheable(_NO_SUCH_PAGE, _HTML)
        if page.target:
            return Reply(status=301, headers={"Location": site.origin + page.target})
        if page.status != 200:
            return Reply(_NO_SUCH_PAGE, status=page.status, content_type=_HTML)
        return _cacheable(_html(page), _HTML)

    def _map(self, name: str, maps: dict[str, list[str]]) -> Reply:
        site = self._site
        broken = "503" if site.is_storm else site.broken_maps.get(name, "")
        if broken == "503":
            return Reply(b"overloaded", status=503)
        if broken == "html":
            return Reply(_NO_SUCH_PAGE, content_type=_HTML)
        paths = [] if broken == "empty" else maps.get(name, [])
        rows = "".join(
            f"<url><loc>{site.origin}{path}</loc><lastmod>{site.pages[path].lastmod}</lastmod></url>"
            for path in paths
        )
        return _cacheable(f'<urlset xmlns="{NAMESPACE}">{rows}</urlset>', "application/xml")


def _html(page: Page) -> str:
    robots = '<meta name="robots" content="noindex">' if page.is_noindex else ""
    return (
        f"<html><head><title>{escape(page.title)}</title>{robots}</head>"
        f"<body><h1>{escape(page.title)}</h1><p>{escape(page.text)}</p></body></html>"
    )


def _cacheable(body: str, content_type: str) -> Reply:
    etag = f'"{hashlib.sha256(body.encode()).hexdigest()[:16]}"'
    return Reply(body, content_type=content_type, etag=etag)
