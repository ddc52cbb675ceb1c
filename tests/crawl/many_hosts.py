"""A site of several hosts, and all that two scans of it have to have in common."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg

from sitecrawl.services.explain import explain_url
from sitecrawl.store.engine import open_database
from tests.site import Reply, SiteServer
from tests.site.names import names

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from typing import Self

    from tests.site.reply import Request

HOSTS = ("example.test", *(f"h{number}.example.test" for number in range(4)))
SOFT_404_HOST = HOSTS[2]  # answers 200 to everything
ROBOTS_HOST = HOSTS[1]
ROBOTS = b"User-agent: *\nDisallow: /p9\nDisallow: /p2$\n"
SORRY = b"<title>Oops</title><p>Sorry, there is nothing here. Perhaps it moved, or never was.</p>"
PAGES = 24
GAP_SECONDS = 0.05
PATIENCE_SECONDS = 240.0
NAMES = names({host: [["127.0.0.1"]] for host in HOSTS})
SETTINGS = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_MAX_CRAWL_PAGES": 0,
    "SITECRAWL_SUBDOMAINS": True,
    "SITECRAWL_RENDER": "never",
    "SITECRAWL_CANONICAL_IS_IDENTITY": True,
    "SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8",
    "DOWNLOAD_DELAY": GAP_SECONDS,
    "DOWNLOAD_DELAY_JITTER": 0,
    **NAMES,
}
# All that two scans of the same site have to have in common.
_CONTENT = (
    """SELECT url, source, position, reason, rule, title, language, importance, region, anchor
    FROM pages ORDER BY url""",
    """SELECT number, url, clicks, found_by, redirected_from, outcome, reason, title, text_hash,
    family, is_productive FROM visits ORDER BY number, url""",
    """SELECT p.url, d.url, m.position, m.source, m.region, m.anchor FROM mentions AS m
    JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
    ORDER BY 1, 2, 3""",
    """SELECT d.url, v.allowed, v.reason, v.rule, v.line FROM pages AS p
    JOIN verdicts AS v ON v.id = p.verdict_id JOIN documents AS d ON d.id = v.document_id
    ORDER BY p.url""",
)
# What differs from scan to scan of what is told of a page.
_OWN = re.compile(r"^((.*_)?(id|at)|scan|last_check)$")


@contextmanager
def site_of_hosts(*failing_once: str) -> Iterator[SiteServer]:
    """Every page links to pages of its own host and of others.

    Some redirect, name another one as canonical, repeat another one, are not allowed, are absent.
    """
    server, fails_once = SiteServer(), set(failing_once)

    def answer(request: Request) -> Reply:
        host, number = str(request.headers["Host"]).partition(":")[0], request.path[2:]
        if request.path in fails_once:
            fails_once.remove(request.path)
            return Reply(b"Something broke", status=500)
        if (host, request.path) == (ROBOTS_HOST, "/robots.txt"):
            return Reply(ROBOTS, content_type="text/plain")
        is_page = request.path == "/" or number.isdecimal()
        if host == SOFT_404_HOST and (number == "3" or not is_page):
            is_robots = request.path == "/robots.txt"
            return Reply(SORRY, status=404 if is_robots else 200, content_type="text/html")
        if not is_page:
            return Reply(b"<h1>Not found</h1>", status=404, content_type="text/html")
        return _page(server.port, host, int(number or 0))

    server.routes["/*"] = answer
    with server:
        yield server


def _page(port: int, host: str, number: int) -> Reply:
    place = HOSTS.index(host)
    if number % 7 == 6:
        target = f"http://{HOSTS[number % len(HOSTS)]}:{port}/p{number - 1}"
        return Reply(status=301, headers={"Location": target})
    own = [f"/p{(number * 3 + step) % PAGES}" for step in (1, 2)]
    own.append(f"/p{number * 3 % PAGES}?utm_source=page")
    others = [
        f"http://{HOSTS[(place + step) % len(HOSTS)]}:{port}/p{(number * 5 + step) % PAGES}"
        for step in (1, 2, 3)
    ]
    links = "".join(f'<a href="{url}">link {row}</a>' for row, url in enumerate(own + others))
    said = number // 2 if number in {8, 16} else number  # the same as another page
    words = f"words of page {said} at {host} " * (said + 1)
    canonical = f'<link rel="canonical" href="/p{number - 1}">' if number % 11 == 4 else ""
    body = f"{canonical}<title>{number} at {host}</title><p>{words}</p>{links}"
    return Reply(body.encode(), content_type="text/html; charset=utf-8")


def crawl_content(url: str, port: int) -> list[list[tuple[Any, ...]]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return [
            [
                tuple(
                    value.replace(f":{port}", "") if isinstance(value, str) else value
                    for value in row
                )
                for row in connection.execute(statement)
            ]
            for statement in _CONTENT
        ]


def told_by_why(url: str, port: int) -> dict[str, str]:
    """What ``sitecrawl why`` knows of each URL, refused ones included."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        urls = [found for (found,) in connection.execute("SELECT url FROM pages ORDER BY url")]
    with open_database(url) as database:
        told = {found: explain_url(database, found, None).why for found in urls}
    return {
        found.replace(f":{port}", ""): json.dumps(
            _common(asdict(why)) if why else None, default=str, sort_keys=True
        ).replace(f":{port}", "")
        for found, why in told.items()
    }


def _common(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _common(part) for name, part in told.items() if not _OWN.match(name)}
    return [_common(part) for part in told] if isinstance(told, list | tuple) else told


class Crawled(NamedTuple):
    """What has to be the same, however many processes have crawled the site."""

    pages: list[tuple[Any, ...]]
    visits: list[tuple[Any, ...]]
    mentions: list[tuple[Any, ...]]
    verdicts: list[tuple[Any, ...]]
    why: dict[str, str]

    @classmethod
    def read(cls, url: str, port: int) -> Self:
        pages, visits, mentions, verdicts = crawl_content(url, port)
        return cls(pages, visits, mentions, verdicts, told_by_why(url, port))

    @property
    def reasons(self) -> set[str | None]:
        """Why pages were refused."""
        return {page[3] for page in self.pages}

    @property
    def visited(self) -> list[str]:
        return [visit[1] for visit in self.visits if visit[5]]


def ledger(url: str) -> dict[str, Any]:
    """What the scan says that it has sent."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        statement = "SELECT metadata FROM evidence WHERE type = 'politeness_ledger'"
        row = connection.execute(statement).fetchone()
    assert row is not None
    found: dict[str, Any] = json.loads(row[0]) if isinstance(row[0], str) else row[0]
    return found


def fetchers_of(process: subprocess.Popen[str]) -> list[int]:
    """The process ids of the children that fetch; a browser is none of them."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [
        int(pid) for pid in children if b"scan_child" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def asked_pages(server: SiteServer) -> list[str]:
    """Host and path of the requests for pages of the site."""
    return [
        entry.host + entry.path
        for entry in server.requests()
        if entry.path == "/" or entry.path[2:].isdecimal()
    ]
