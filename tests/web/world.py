"""A server with everything in it: a scanned site, people of every role, and strangers."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sitecrawl.services import users
from sitecrawl.services.permissions import Permission, Role
from tests.site import SiteServer
from tests.site.build import page, robots, sitemap
from tests.site.project import Project
from tests.web.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

    from tests.web.serving import Serving


@dataclass(frozen=True)
class World:
    """Workspace 1 has one site with two scans, a group and a view; workspace 2 has nothing."""

    server: Serving
    site: SiteServer
    site_id: int
    page_id: str
    owner: httpx.Client
    member: httpx.Client
    viewer: httpx.Client
    stranger: httpx.Client
    """The owner of another workspace."""
    anonymous: httpx.Client
    token: str
    """Of the owner, with every scope."""


def _serve(site: SiteServer) -> None:
    paths = ["/blog/a", "/blog/b", "/about"]
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/secret",)),
        "/sitemap.xml": sitemap(*map(site.at, paths), site.at("/secret/x"), site.at("/orphan")),
        "/": page("Home", "/blog/a", "/about", "/unlisted"),
        "/unlisted": page("=1+1", "/"),
        "/orphan": page("Orphan", "/"),
        **{path: page(path, "/", "/gone") for path in paths},
    }


def _change(site: SiteServer) -> None:
    """What the second scan finds: a page more and a page less."""
    paths = ["/blog/a", "/blog/c", "/about"]
    site.routes |= {
        "/sitemap.xml": sitemap(*map(site.at, paths), site.at("/secret/x"), site.at("/orphan")),
        "/blog/c": page("New", "/"),
    }
    del site.routes["/blog/b"]


@contextmanager
def world(folder: Path, **settings: Any) -> Iterator[World]:
    url = f"sqlite:///{folder / 'world.db'}"
    with SiteServer() as site:
        _serve(site)
        project = Project.in_folder(folder, url)
        for number in (1, 2):
            if number == 2:
                _change(site)
            project.run(
                *(sys.executable, "-m", "sitecrawl", "discover", site.url, "--profile", "fast"),
                *("-s", "SITECRAWL_CRAWL=always"),
            ).succeeded()
        settings = {
            "web_requests_per_minute": 0,
            "address_allow": (site.url.removeprefix("http://").rstrip("/"),),
            **settings,
        }
        with serving(url, **settings) as server:
            other = users.workspace_named(server.database, "other")
            owner = server.signed_in(server.add_user())
            added = owner.post("/api/sites", json={"rootUrl": site.url, "tags": ["demo"]})
            assert added.status_code == 201, added.text
            site_id = added.json()["id"]
            why = owner.get(f"/api/sites/{site_id}/pages/why", params={"url": site.at("/blog/a")})
            assert why.status_code == 200, why.text
            token = owner.post(
                "/api/tokens", json={"name": "everything", "scopes": list(Permission)}
            ).json()["token"]
            yield World(
                server=server,
                site=site,
                site_id=site_id,
                page_id=why.json()["id"],
                owner=owner,
                member=server.signed_in(server.add_user(Role.MEMBER)),
                viewer=server.signed_in(server.add_user(Role.VIEWER)),
                stranger=server.signed_in(server.add_user(Role.OWNER, workspace_id=other)),
                anonymous=server.anonymous(),
                token=token,
            )
