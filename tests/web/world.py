"""A server with everything in it: a scanned site, people of every role, and strangers."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from sitecrawl.services import users
from sitecrawl.services.permissions import Permission, Role
from sitecrawl.store import schema as t
from tests.site import SiteServer
from tests.site.build import page, robots, sitemap
from tests.site.project import Project
from tests.web.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

    from tests.web.serving import Serving


HOSTILE = """'"><script>alert(1)</script>"""
MARK = "only of workspace 1"
OURS = f"{MARK} {HOSTILE}"
"""A text in everything that people of the first workspace wrote."""


@dataclass(frozen=True)
class World:
    """Workspace 1 has one site with two scans and one of everything else; "other" has nothing;
    "twin" watches the same site, and has scanned it once."""

    server: Serving
    site: SiteServer
    site_id: int
    page_id: str
    owner: httpx.Client
    member: httpx.Client
    viewer: httpx.Client
    stranger: httpx.Client
    """The owner of another workspace."""
    twin: httpx.Client
    """The owner of a workspace with the same site."""
    twin_site_id: int
    twin_page_id: str
    anonymous: httpx.Client
    objects: dict[str, int | str]
    """One of each kind of workspace 1, by the parameter of a path."""
    token: str
    """Of the owner, with every scope."""


def _serve(site: SiteServer) -> None:
    paths = ["/blog/a", "/blog/b", "/about"]
    site.routes |= {
        "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/secret",)),
        "/sitemap.xml": sitemap(*map(site.at, paths), site.at("/secret/x"), site.at("/orphan")),
        "/": page("Home", "/blog/a", "/about", "/unlisted"),
        "/unlisted": page("=1+1", "/"),
        "/orphan": page(f"Orphan {HOSTILE}", "/", f"/hostile?q={HOSTILE}"),
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


def _scan(project: Project, site: SiteServer, *options: str) -> None:
    project.run(
        *(sys.executable, "-m", "sitecrawl", "discover", site.url, "--profile", "fast"),
        *("-s", "SITECRAWL_CRAWL=always", *options),
    ).succeeded()


def _watch(owner: httpx.Client, site: SiteServer, tags: list[str]) -> tuple[int, str]:
    """Watch the scanned site: its number, and that of a page."""
    added = owner.post("/api/sites", json={"rootUrl": site.url, "tags": tags})
    assert added.status_code == 201, added.text
    site_id = added.json()["id"]
    why = owner.get(f"/api/sites/{site_id}/pages/why", params={"url": site.at("/blog/a")})
    assert why.status_code == 200, why.text
    return site_id, why.json()["id"]


def _one_of_each(server: Serving, owner: httpx.Client, site_id: int) -> dict[str, int | str]:
    made: dict[str, int | str] = {"site_id": site_id}
    for name, path, new in (
        ("group_id", "/api/groups", {"name": OURS, "description": OURS}),
        ("view_id", "/api/views", {"kind": "pages", "name": OURS, "query": {}, "isShared": True}),
        (
            "channel_id",
            "/api/channels",
            {"type": "email", "target": "ours@example.com", "name": OURS, "siteId": site_id},
        ),
    ):
        answer = owner.post(path, json=new)
        assert answer.status_code == 201, answer.text
        made[name] = answer.json()["id"]
    of_site = f"/api/sites/{site_id}"
    about = {"owner": OURS, "name": OURS, "groupId": made["group_id"]}
    owner.patch(of_site, json=about).raise_for_status()
    [change, *_] = owner.get(f"{of_site}/changes").json()["changes"]
    written = {"assignee": OURS, "note": OURS}
    owner.patch(f"{of_site}/changes/{change['id']}", json=written).raise_for_status()
    made["change_id"] = change["id"]
    made["event_id"] = owner.get(f"{of_site}/events").json()["events"][0]["id"]
    [scan, *_] = owner.get(f"{of_site}/scans").json()["scans"]
    made["scan_id"] = scan["id"]
    made["job_id"] = owner.get("/api/jobs").json()["jobs"][0]["id"]
    made["session_id"] = owner.get("/api/sessions").json()["sessions"][0]["id"]
    [made["user_id"]] = (
        each["id"]
        for each in owner.get("/api/users").json()["users"]
        if each["email"] == "owner-1@example.com"
    )
    owner.patch(f"/api/users/{made['user_id']}", json={"name": OURS}).raise_for_status()
    made["token_id"] = owner.post("/api/tokens", json={"name": OURS, "scopes": ["read"]}).json()[
        "id"
    ]
    return made | _rows(server, made)


def _rows(server: Serving, made: dict[str, int | str]) -> dict[str, int | str]:
    """What would need a site in trouble, a server of mail, or a dive."""
    now = datetime.now(UTC)
    incident = {
        "site_id": 1,
        "key": "trouble",
        "kind": "inventory_collapsed",
        "severity": "high",
        "title": OURS,
        "status": "open",
        "opened_scan_id": made["scan_id"],
        "last_scan_id": made["scan_id"],
        "opened_at": now,
        "assignee": OURS,
        "note": OURS,
    }
    delivery = {
        "channel_id": made["channel_id"],
        "purpose": "test",
        "message_id": "m1",
        "title": OURS,
        "status": "sent",
        "attempts": 0,
        "request": {"text": OURS},
        "created_at": now,
        "finished_at": now,
    }
    dive = {
        "site_id": 1,
        "wanted": {},
        "status": "finished",
        "reason": OURS,
        "counts": {},
        "started_at": now,
        "finished_at": now,
    }
    conversation = {
        "site_id": 1,
        "user_id": made["user_id"],
        "title": OURS,
        "created_at": now,
    }
    with server.database.writing() as connection:
        return {
            f"{name}_id": connection.scalar(insert(table).values(row).returning(table.c.id))
            for name, table, row in (
                ("incident", t.incidents, incident),
                ("delivery", t.deliveries, delivery),
                ("dive", t.dives, dive),
                ("conversation", t.conversations, conversation),
            )
        }


@contextmanager
def world(folder: Path, **settings: Any) -> Iterator[World]:
    url = f"sqlite:///{folder / 'world.db'}"
    with SiteServer() as site:
        _serve(site)
        project = Project.in_folder(folder, url)
        for number in (1, 2):
            if number == 2:
                _change(site)
            _scan(project, site)
        settings = {
            "web_requests_per_minute": 0,
            "address_allow": (site.url.removeprefix("http://").rstrip("/"),),
            **settings,
        }
        with serving(url, **settings) as server:
            other = users.workspace_named(server.database, "other")
            twins = users.workspace_named(server.database, "twin")
            _scan(project, site, "-s", f"SITECRAWL_WORKSPACE={twins}")
            owner = server.signed_in(server.add_user())
            twin = server.signed_in(server.add_user(Role.OWNER, workspace_id=twins))
            site_id, page_id = _watch(owner, site, ["demo", HOSTILE])
            twin_site_id, twin_page_id = _watch(twin, site, [])
            member = server.add_user(Role.MEMBER)
            token = owner.post(
                "/api/tokens", json={"name": "everything", "scopes": list(Permission)}
            ).json()["token"]
            yield World(
                server=server,
                site=site,
                site_id=site_id,
                page_id=page_id,
                owner=owner,
                member=server.signed_in(member),
                viewer=server.signed_in(server.add_user(Role.VIEWER)),
                stranger=server.signed_in(server.add_user(Role.OWNER, workspace_id=other)),
                twin=twin,
                twin_site_id=twin_site_id,
                twin_page_id=twin_page_id,
                anonymous=server.anonymous(),
                objects=_one_of_each(server, owner, site_id) | {"page_id": page_id},
                token=token,
            )
