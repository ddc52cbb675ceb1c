"""Fills a database with the inventory of a large site, by bulk statements instead of a scan.

Its pages lie in sections that are nested up to twenty deep. A twentieth of the pages was visited,
each with links to others; some are refused, some are not found; a part was first seen by the second
of the two scans. It is the same at every run.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, update

from sitecrawl.store import schema as t
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.bulk import insert_columns
from sitecrawl.store.writers.pages import ensure_page_index
from sitecrawl.store.writers.scan_writer import ScanWriter
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

SITE = "www.example.com"
ROOT_URL = f"https://{SITE}/"
TEMPLATES = 200
SITEMAP_PAGES = 50_000
VISITED_ONE_OF = 20
LINKS_PER_PAGE = 20
DEEPEST = 20
NEW_PART = 0.9  # pages after these were first seen by the second scan
_BATCH = 20_000
_START = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = (
    *("garden", "winter", "copper", "window", "travel", "summer", "bridge", "forest", "silver"),
    *("market", "coffee", "letter", "island", "cotton", "mirror", "needle", "pencil", "rocket"),
)
_TYPES = ("article", "product", "listing", "profile", "documentation")
_LANGUAGES = ("en", "de", "fr", "pt-br", None)


def build_inventory(database: Database, pages: int) -> None:
    """Fill an empty database."""
    scans = [_scan(database, day) for day in (0, 30)]
    site_id, seed = scans[0][1:]
    first, second = (scan_id for scan_id, _, _ in scans)
    with database.writing() as connection:
        documents = _sitemaps(connection, site_id, (first, second), pages)
        _verdicts(connection, site_id)
        for numbers in _batches(pages):
            urls = [page_url(number) for number in numbers]
            ids = page_ids(urls, seed, KeyRules())
            # Numbers follow each other: what the second scan saw first comes last.
            seen_first = second if numbers[0] > pages * NEW_PART else first
            _pages(connection, site_id, (seen_first, second), numbers, urls, ids, documents)
            _visits(connection, site_id, second, numbers, urls, ids)
        _classes(connection, site_id, second, pages)
    with database.writing() as connection:
        ensure_page_index(connection)
        connection.exec_driver_sql("ANALYZE")


def page_url(number: int) -> str:
    template = number % TEMPLATES
    words = [_WORDS[(number // step) % len(_WORDS)] for step in (7, 191, 4_217)]
    return f"{ROOT_URL}{_folder(template)}{'-'.join(words)}-{number}"


def _folder(template: int) -> str:
    depth = 1 + template % DEEPEST
    return "".join(f"s{template // 10 if level == 0 else level}/" for level in range(depth))


def _is_visited(number: int) -> bool:
    return number % VISITED_ONE_OF == 1


def _batches(pages: int) -> Iterator[range]:
    for start in range(1, pages + 1, _BATCH):
        yield range(start, min(start + _BATCH, pages + 1))


def _scan(database: Database, day: int) -> tuple[int, int, int]:
    writer = ScanWriter(database)
    handle = writer.begin(site_key=SITE, asked=SITE, root_url=ROOT_URL)
    writer.finish(ScanStatus.FINISHED)
    started = _START + timedelta(days=day)
    with database.writing() as connection:
        connection.execute(
            update(t.scans)
            .where(t.scans.c.id == handle.scan_id)
            .values(started_at=started, finished_at=started + timedelta(hours=1))
        )
    return handle.scan_id, handle.site_id, handle.seed


def _sitemaps(
    connection: Connection, site_id: int, scan_ids: tuple[int, int], pages: int
) -> list[int]:
    first, second = scan_ids
    rows: list[dict[str, Any]] = [
        {
            "id": number + 1,
            "site_id": site_id,
            "url": f"{ROOT_URL}sitemap-{number}.xml",
            "kind": "sitemap",
            "depth": 0,
            "found_by": "robots.txt line 1",
            "first_scan_id": first,
            "last_scan_id": second,
            "content_scan_id": second,
        }
        for number in range(pages // SITEMAP_PAGES + 1)
    ]
    connection.execute(insert(t.documents), rows)
    return [row["id"] for row in rows]


def _verdicts(connection: Connection, site_id: int) -> None:
    for number, allowed in ((1, True), (2, False)):
        connection.execute(
            insert(t.verdicts).values(
                id=number,
                site_id=site_id,
                allowed=allowed,
                reason="no_rule" if allowed else "rule",
                rule=None if allowed else "Disallow: /private/",
                confidence=1.0,
                decided_at=_START,
            )
        )


def _pages(
    connection: Connection,
    site_id: int,
    scan_ids: tuple[int, int],
    numbers: Sequence[int],
    urls: Sequence[str],
    ids: Sequence[int],
    documents: Sequence[int],
) -> None:
    first, second = scan_ids
    # A batch is of one sitemap.
    document_id = documents[min(numbers[0] // SITEMAP_PAGES, len(documents) - 1)]
    columns: dict[str, Sequence[Any]] = {
        "id": ids,
        "url": urls,
        "position": list(numbers),
        "verdict_id": [2 if number % 33 == 0 else 1 for number in numbers],
        "reason": [_reason(number) for number in numbers],
        "lastmod": [f"2025-{1 + n % 12:02}-{1 + n % 28:02}" if n % 5 else "" for n in numbers],
        "title": [
            f"About {_WORDS[n % len(_WORDS)]} {n}" if _is_visited(n) else "" for n in numbers
        ],
    }
    constants = {
        "site_id": str(site_id),
        "document_id": str(document_id),
        "first_scan_id": str(first),
        "seen_scan_id": str(second),
        "source": "'sitemap'",
    }
    insert_columns(connection, "pages", columns, constants)


def _reason(number: int) -> str:
    if number % 33 == 0:
        return "blocked_by_robots"
    return "not_found" if number % 181 == 1 and _is_visited(number) else ""


def _visits(
    connection: Connection,
    site_id: int,
    scan_id: int,
    numbers: Sequence[int],
    urls: Sequence[str],
    ids: Sequence[int],
) -> None:
    visited = [at for at, number in enumerate(numbers) if _is_visited(number)]
    document_ids = [1_000_000 + numbers[at] for at in visited]
    common = {"site_id": site_id, "kind": "page", "depth": 1, "found_by": "link"}
    scans = {"first_scan_id": scan_id, "last_scan_id": scan_id, "content_scan_id": scan_id}
    rows = list(zip(visited, document_ids, strict=True))
    connection.execute(
        insert(t.documents),
        [{"id": own, "url": urls[at], **common, **scans} for at, own in rows],
    )
    connection.execute(
        insert(t.visits),
        [
            {
                "scan_id": scan_id,
                "page_id": ids[at],
                "number": numbers[at],
                "url": urls[at],
                "clicks": 1 + numbers[at] % 6,
                "external_hops": 0,
                "found_by": 1 if numbers[at] > 1 else None,
                "outcome": "not_found" if _reason(numbers[at]) == "not_found" else "ok",
                "document_id": own,
                "text_hash": f"{numbers[at]:016x}",
            }
            for at, own in rows
        ],
    )
    connection.execute(insert(t.fetches), [_fetch(scan_id, own, numbers[at]) for at, own in rows])
    connection.execute(
        insert(t.page_facts), [_facts(scan_id, ids[at], numbers[at]) for at, _ in rows]
    )
    _links(connection, site_id, scan_id, document_ids, ids)


def _fetch(scan_id: int, document_id: int, number: int) -> dict[str, Any]:
    return {
        "scan_id": scan_id,
        "document_id": document_id,
        "outcome": "ok",
        "status": 404 if _reason(number) == "not_found" else 200,
        "content_type": "text/html",
        "received_bytes": 10_000,
        "decompressed_bytes": 40_000,
        "elapsed_ms": 50,
        "fetched_at": _START + timedelta(days=30),
        "redirects": [],
        "directives": [],
        "entries": LINKS_PER_PAGE,
        "findings": [],
        "truncated": False,
        "complete": True,
    }


def _facts(scan_id: int, page_id: int, number: int) -> dict[str, Any]:
    is_noindex = number % 40 == 1
    return {
        "scan_id": scan_id,
        "page_id": page_id,
        "read_scan_id": scan_id,
        "elapsed_ms": 50,
        "bytes": 40_000,
        "is_noindex": is_noindex,
        "is_nofollow": False,
        "h1_count": 1,
        "images": 0,
        "images_without_alt": 0,
        "insecure_resources": 0,
        "is_indexable": not is_noindex,
    }


def _links(
    connection: Connection,
    site_id: int,
    scan_id: int,
    document_ids: Sequence[int],
    ids: Sequence[int],
) -> None:
    context_id = (site_id << 32) + 1
    if document_ids and document_ids[0] == 1_000_000 + 1:
        context = {"id": context_id, "source": "link", "region": "content", "path": "main a"}
        connection.execute(insert(t.link_contexts).values(**context))
    # Half of the links are the menu of the part of the site, the others lead to neighbours that
    # were visited as well.
    menu = ids[: LINKS_PER_PAGE // 2]
    near = range(LINKS_PER_PAGE - len(menu))
    targets = [
        target
        for at in range(len(document_ids))
        for target in (*menu, *(ids[(at + link) * VISITED_ONE_OF % len(ids)] for link in near))
    ]
    columns = {
        "document_id": [own for own in document_ids for _ in range(LINKS_PER_PAGE)],
        "position": list(range(LINKS_PER_PAGE)) * len(document_ids),
        "page_id": targets,
    }
    constants = {"scan_id": str(scan_id), "context_id": str(context_id)}
    insert_columns(connection, "other_mentions", columns, constants)


def _classes(connection: Connection, site_id: int, scan_id: int, pages: int) -> None:
    first_id = site_id << 32
    rows = [_class(first_id + template, site_id, template) for template in range(TEMPLATES)]
    connection.execute(insert(t.classes), rows)
    for numbers in _batches(pages):
        columns = {
            "page_number": list(numbers),
            "class_id": [first_id + number % TEMPLATES for number in numbers],
        }
        insert_columns(connection, "page_classes", columns, {})
    keys = sorted({key for row in rows for key in row["clusters"]})
    connection.execute(
        insert(t.clusters),
        [
            {
                "site_id": site_id,
                "key": key,
                "kind": "section",
                "name": key,
                "pages": 1,
                "sample": [],
                "why": "its pages share a folder",
            }
            for key in keys
        ],
    )
    own = t.classifications.c.site_id == site_id
    learned = {"scan_id": scan_id, "last_page_number": pages}
    connection.execute(update(t.classifications).where(own).values(**learned))


def _class(class_id: int, site_id: int, template: int) -> dict[str, Any]:
    folders = _folder(template).split("/")[:-1]
    return {
        "id": class_id,
        "site_id": site_id,
        "template": f"/{'/'.join(folders)}/{{slug}}",
        # A tenth of the pages is of the category that exports are measured by.
        "category": "support"
        if template % 10 == 0
        else "utility"
        if template % 10 == 1
        else "primary",
        "type": _TYPES[template % len(_TYPES)],
        "language": _LANGUAGES[template % len(_LANGUAGES)],
        "language_source": None,
        "priority": round(0.1 + (template % 80) / 100, 2),
        "depth": len(folders) + 1,
        "clusters": ["/" + "/".join(folders[: level + 1]) for level in range(len(folders))],
    }
