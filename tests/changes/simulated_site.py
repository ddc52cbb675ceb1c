"""A site that changes by a script over 30 scans, and what is true of each of these changes.

It is scanned over HTTP (``served_site.py``), and as here without the requests: robots.txt, its
sitemaps (304 where nothing changed), and checks of some pages, those that went missing first. What
the stages would store is written by the writers of the store, so that 30 scans take seconds.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.schema import page_presence, pages
from sitecrawl.store.writers.records import NewVisits, PageFactsRecord, VisitRecord
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sitecrawl.store.engine import Database

CHECKS: Final = 40
TRUSTED_STAMP: Final = "2026-10-{:02}T{:02}:{:02}:00Z"


@dataclass(slots=True)
class Page:
    title: str
    text: str
    lastmod: str
    sitemap: str
    status: int = 200
    target: str = ""
    is_soft_404: bool = False
    is_noindex: bool = False
    is_listed: bool = True


@dataclass(slots=True)
class Truth:
    """Something that happened: to be found within some scans, on these pages."""

    step: str
    kind: str
    paths: frozenset[str]
    scan: int
    within: int
    pairs: dict[str, str] = field(default_factory=dict)
    """Of moved pages, where they went."""


class SimulatedSite:
    """The pages of the site, how each answers, and what was done to it."""

    def __init__(self) -> None:
        self.origin = "https://example.com"
        self.pages: dict[str, Page] = {}
        self.robots = "User-agent: *\nDisallow: /private\n"
        self.broken_maps: dict[str, str] = {}
        self.halved: set[str] = set()
        self.is_storm = False
        self.truths: list[Truth] = []
        self.scan = 0
        self.step = ""
        for number in range(60):
            self.add(f"/blog/a-story-about-thing-{number}", "blog")
        for number in range(140):
            self.add(f"/products/fine-thing-{number}", "products")
        for number in range(40):
            self.add(f"/docs/how-to-use-{number}", "docs")

    def add(self, path: str, sitemap: str) -> None:
        day, hour = len(self.pages) % 28 + 1, len(self.pages) % 24
        stamp = TRUSTED_STAMP.format(day, hour, len(self.pages) % 60)
        self.pages[path] = Page(f"Title of {path}", f"text of {path}", stamp, sitemap)

    def of(self, section: str) -> list[str]:
        return [
            path for path, page in self.pages.items() if path.startswith(section) and page.is_listed
        ]

    def expect(
        self, kind: str, paths: Iterable[str], within: int = 1, pairs: dict[str, str] | None = None
    ) -> None:
        found = frozenset(paths)
        self.truths.append(Truth(self.step, kind, found, self.scan, within, pairs or {}))

    def is_alive(self, path: str) -> bool:
        page = self.pages.get(path)
        return page is not None and page.status == 200 and not page.is_soft_404

    def maps(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path, page in self.pages.items():
            if page.is_listed:
                found.setdefault(page.sitemap, []).append(path)
        for name in self.halved & found.keys():
            found[name] = found[name][: len(found[name]) // 2]
        return found


class WritingScanner:
    """Writes what scans of the site would store, one scan after the other."""

    def __init__(self, database: Database, site: SimulatedSite) -> None:
        self._database = database
        self._site = site
        self._read: dict[str, str] = {}
        self._listed: set[str] = set()
        self._checked: Counter[str] = Counter()

    def scan(self) -> None:
        site = self._site
        crawling = Crawling(self._database, root_url=f"{site.origin}/")
        robots_id = crawling.document(
            f"{site.origin}/robots.txt", kind=DocumentKind.ROBOTS_TXT, found_by="the site"
        )
        self._read_robots(crawling, robots_id)
        listed: set[str] = set()
        for name, paths in site.maps().items():
            listed |= self._read_map(crawling, robots_id, name, paths)
        crawling.writer.commit()
        for number, path in enumerate(self._chosen(listed), 1):
            self._check(crawling, number, path)
        self._listed = listed
        crawling.end()

    def _read_robots(self, crawling: Crawling, robots_id: int) -> None:
        body = self._site.robots.encode()
        sha256 = hashlib.sha256(body).hexdigest()
        crawling.writer.keep_body(sha256, body)
        crawling.fetched(robots_id, fingerprint="", status=200, sha256=sha256)

    def _read_map(
        self, crawling: Crawling, robots_id: int, name: str, paths: list[str]
    ) -> set[str]:
        site = self._site
        url = f"https://example.com/sitemap-{name}.xml"
        document_id = crawling.document(url, parent_id=robots_id)
        broken = "503" if site.is_storm else site.broken_maps.get(name, "")
        if broken == "503":
            crawling.fetched(document_id, FetchOutcome.HTTP_ERROR, status=503, complete=False)
        elif broken == "404":
            crawling.fetched(document_id, FetchOutcome.NOT_FOUND, status=404, complete=False)
        elif broken == "empty":
            crawling.fetched(document_id, status=200, entries=0)
        elif broken == "html":
            finding = {"kind": "not_a_sitemap", "detail": "HTML", "count": 1}
            crawling.fetched(document_id, status=200, entries=0, complete=False, findings=[finding])
        if broken:
            self._read.pop(name, None)
            return {path for path in paths if path in self._listed}
        content = repr([(path, site.origin, site.pages[path].lastmod) for path in paths])
        if self._read.get(name) == content:
            crawling.fetched(document_id, FetchOutcome.NOT_MODIFIED, status=304, complete=False)
        else:
            urls = [site.origin + path for path in paths]
            lastmods = [site.pages[path].lastmod for path in paths]
            crawling.list_pages(url, urls, lastmods=lastmods)
            crawling.fetched(document_id, status=200, entries=len(paths))
            self._read[name] = content
        return set(paths)

    def _chosen(self, listed: set[str]) -> list[str]:
        """Pages that went missing, those that are missing or unknown, then all in turn."""
        missing = sorted(self._listed - listed)
        open_pages = self._waiting() - set(missing)
        waiting = sorted(open_pages, key=lambda path: (self._checked[path], path))
        turn = sorted(listed, key=lambda path: (self._checked[path], path))
        half = (CHECKS - len(missing)) // 2
        chosen = [*missing, *waiting[: max(half, 0)], *turn]
        return list(dict.fromkeys(chosen))[:CHECKS]

    def _waiting(self) -> set[str]:
        wanted = (
            select(pages.c.url)
            .join_from(pages, page_presence, page_presence.c.page_id == pages.c.id)
            .where(page_presence.c.state.in_(["missing", "unknown"]))
        )
        with self._database.reading() as connection:
            urls = connection.scalars(wanted).all()
        return {url.partition("example.com")[2] for url in urls}

    def _check(self, crawling: Crawling, number: int, path: str) -> None:
        site, url = self._site, self._site.origin + path
        self._checked[path] += 1
        page = site.pages[path]
        crawling.writer.add_visits(
            NewVisits(None, [crawling.page_id(url)], [url], [number], [""], [0], [0])
        )
        document_id = crawling.document(url, kind=DocumentKind.PAGE, found_by="a check")
        status = 503 if site.is_storm else page.status
        is_read = status == 200
        outcomes = {200: FetchOutcome.OK, 301: FetchOutcome.REDIRECTED, 404: FetchOutcome.NOT_FOUND}
        outcome = outcomes.get(status, FetchOutcome.HTTP_ERROR)
        crawling.fetched(document_id, outcome, status=status, complete=is_read)
        reasons = {301: "redirected", 404: "not_found"}
        reason = "soft_404" if page.is_soft_404 and is_read else reasons.get(status, "")
        record = VisitRecord(number, outcome, document_id, True, reason=reason)
        if page.target and not site.is_storm:
            target = site.origin + page.target
            record = VisitRecord(
                number, outcome, document_id, True, reason, target, redirect_target=target
            )
        elif is_read:
            record = VisitRecord(
                number,
                outcome,
                document_id,
                True,
                reason=reason,
                title=page.title,
                text_hash=hashlib.sha256(page.text.encode()).hexdigest()[:16],
                facts=PageFactsRecord(
                    h1=page.title,
                    is_noindex=page.is_noindex,
                    robots_meta="noindex" if page.is_noindex else "",
                ),
            )
        crawling.writer.finish_visit(record)


class Script:
    """What is done to the site before each scan."""

    def __init__(self, site: SimulatedSite) -> None:
        self.site = site
        self.state: dict[str, Sequence[str]] = {}

    def steps(self) -> list[tuple[str, Callable[[], None]]]:
        """By name, in the order of the scans."""
        return [
            ("baseline", self.nothing),
            ("nothing changes (304)", self.nothing),
            ("12 new articles", self.grow),
            ("6 pages rewritten", self.rewrite),
            ("15 pages of a section dropped, 404", self.drop_section),
            ("6 soft 404s", self.soft_404),
            ("72 pages renamed, with redirects", self.rename),
            ("4 pages become noindex", self.noindex),
            ("sitemap answers 503", self.break_map("503")),
            ("sitemap is empty", self.break_map("empty")),
            ("sitemap is HTML", self.break_map("html")),
            ("sitemap is back", self.mend_map),
            ("5xx storm", self.storm),
            ("storm is over", self.calm),
            ("robots.txt blocks pages", self.block),
            ("robots.txt reordered, comment added", self.reorder),
            ("robots.txt allows them again", self.unblock),
            ("25 pages renamed, without redirects", self.rename_without_redirects),
            ("all pages stamped", self.stamp("2026-11-10T00:00:00Z")),
            ("all pages stamped again", self.stamp("2026-11-11T00:00:00Z")),
            ("30 pages in another language", self.translate),
            ("soft 404s mended", self.mend_pages),
            ("8 pages unlisted, still answering", self.unlist),
            ("listed again", self.relist),
            ("10 pages move to another sitemap", self.change_map),
            ("sitemap loses half of its entries", self.halve),
            ("sitemap is whole again", self.restore),
            ("the site moves to www", self.move_host),
            ("nothing changes", self.nothing),
            ("nothing changes", self.nothing),
        ]

    def grow(self) -> None:
        new = [f"/blog/a-new-story-about-{number}" for number in range(12)]
        for path in new:
            self.site.add(path, "blog")
        self.site.expect("added", new)

    def rewrite(self) -> None:
        chosen = self.site.of("/products")[:6]
        for number, path in enumerate(chosen):
            page = self.site.pages[path]
            page.title, page.text = f"New {page.title}", f"new {page.text}"
            page.lastmod = f"2026-11-01T0{number}:00:00Z"
        self.site.expect("updated", chosen, within=9)

    def drop_section(self) -> None:
        chosen = self.site.of("/docs")[:15]
        for path in chosen:
            self.site.pages[path].status, self.site.pages[path].is_listed = 404, False
        self.site.expect("removed", chosen, within=2)

    def rename(self) -> None:
        pairs = {path: path.replace("/blog/", "/articles/") for path in self.site.of("/blog")}
        for old, new in pairs.items():
            page = self.site.pages[old]
            self.site.pages[new] = Page(page.title, page.text, page.lastmod, "blog")
            page.status, page.target, page.is_listed = 301, new, False
        self.site.expect("moved", pairs, within=1, pairs=pairs)

    def rename_without_redirects(self) -> None:
        pairs = {path: f"/help{path}" for path in self.site.of("/docs")}
        for old, new in pairs.items():
            page = self.site.pages[old]
            self.site.pages[new] = replace(page, sitemap="docs")
            page.status, page.is_listed = 404, False
        self.site.expect("moved", pairs, within=1, pairs=pairs)

    def break_map(self, how: str) -> Callable[[], None]:
        def breaking() -> None:
            if not self.site.broken_maps:
                self.site.expect("sitemap_changed", ["/sitemap-products.xml"])
            self.site.broken_maps["products"] = how

        return breaking

    def mend_map(self) -> None:
        self.site.broken_maps.clear()
        self.site.expect("sitemap_changed", ["/sitemap-products.xml"])

    def storm(self) -> None:
        self.site.is_storm = True
        self.site.expect("sitemap_changed", [f"/sitemap-{name}.xml" for name in self.site.maps()])
        self.state["storm"] = list(self.site.pages)

    def calm(self) -> None:
        self.site.is_storm = False
        self.site.expect("sitemap_changed", [f"/sitemap-{name}.xml" for name in self.site.maps()])

    def block(self) -> None:
        self.site.robots += "Disallow: /products/fine-thing-1\n"
        self.site.expect("robots_changed", ["/robots.txt"])

    def reorder(self) -> None:
        lines = self.site.robots.splitlines()
        self.site.robots = "\n".join(["# rules", lines[0], lines[2], lines[1], ""])

    def unblock(self) -> None:
        self.site.robots = "User-agent: *\nDisallow: /private\n"
        self.site.expect("robots_changed", ["/robots.txt"])

    def stamp(self, moment: str) -> Callable[[], None]:
        def stamping() -> None:
            for page in self.site.pages.values():
                page.lastmod = moment

        return stamping

    def translate(self) -> None:
        new = [f"/de/ein-ding-{number}" for number in range(30)]
        for path in new:
            self.site.add(path, "de")
        self.site.expect("added", new)
        self.site.expect("sitemap_changed", ["/sitemap-de.xml"])

    def soft_404(self) -> None:
        chosen = sorted(self.site.of("/products"))[:30:5]
        for path in chosen:
            self.site.pages[path].is_soft_404 = True
        self.state["soft"] = chosen
        self.site.expect("updated", chosen, within=9)

    def mend_pages(self) -> None:
        for path in self.state["soft"]:
            self.site.pages[path].is_soft_404 = False

    def unlist(self) -> None:
        chosen = self.site.of("/products")[40:48]
        for path in chosen:
            self.site.pages[path].is_listed = False
        self.state["unlisted"] = chosen
        self.site.expect("unlisted", chosen, within=2)

    def relist(self) -> None:
        for path in self.state["unlisted"]:
            self.site.pages[path].is_listed = True
        self.site.expect("returned", self.state["unlisted"])

    def change_map(self) -> None:
        for path in self.site.of("/products")[60:70]:
            self.site.pages[path].sitemap = "docs"
        self.site.expect("source_changed", self.site.of("/products")[60:70])

    def halve(self) -> None:
        self.site.halved.add("products")
        whole = [
            path
            for path, page in self.site.pages.items()
            if page.is_listed and page.sitemap == "products"
        ]
        lost = whole[len(whole) // 2 :]
        self.state["lost"] = lost

    def restore(self) -> None:
        self.site.halved.clear()

    def noindex(self) -> None:
        chosen = self.site.of("/products")[20:24]
        for path in chosen:
            self.site.pages[path].is_noindex = True
        self.site.expect("updated", chosen, within=9)

    def move_host(self) -> None:
        self.site.origin = self.site.origin.replace("://", "://www.")
        self.site.expect("site_moved", [""])

    def nothing(self) -> None: ...
