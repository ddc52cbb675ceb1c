"""Stores the pages and mentions of one scan.

- A site without pages: rows are only appended. The pipeline before has removed doubles.
- Otherwise rows are merged. A page keeps its number and the scan that saw it first. The mention in
  its row is renewed by the document that gave it; another document's goes to ``other_mentions``.
  The verdict (robots, reason, rule) is always that of the newest scan, but what a visit found holds
  until the next visit. The url follows the mention in the row, so that a site's move from http to
  https is not missed.
- What is written over is kept in ``page_versions``, just before and from the same rows, so that a
  scan which finds what is stored already keeps nothing. Of several statements of one scan the first
  one keeps what was there before that scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex, DropIndex

from sitecrawl.store.schema import DEFERRED_INDEXES, SITE_INDEX, sites
from sitecrawl.store.schema.history import VERSIONED_COLUMNS
from sitecrawl.store.writers.bulk import insert_columns, literal, page_columns, repeat_columns
from sitecrawl.store.writers.link_contexts import LinkContextWriter
from sitecrawl.urls.refusal import FOUND_BY_VISIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import LinkColumns, PageRows, Repeats, ScanHandle

_KEEP_VERSIONS: Final = """
INSERT INTO page_versions (page_id, until_scan_id, site_id, {columns}, url, title)
SELECT pages.id, {{scan}}, {{site}}, {old}, {url}, {title}
{rows} AND pages.first_scan_id < {{scan}} AND ({differs})
ON CONFLICT (page_id, until_scan_id) {conflict}
"""
_COMPLETE: Final = """
DO UPDATE SET url = coalesce(page_versions.url, excluded.url),
    title = coalesce(page_versions.title, excluded.title)
"""


def keep_versions(rows: str, differs: str, new_url: str = "", new_title: str = "") -> str:
    """SQL with ``{scan}`` and ``{site}`` that keeps what *rows* are about to change.

    *rows* joins ``pages`` and ends with a condition; *differs* says which of them change. Where
    *new_url* or *new_title* are given, *rows* must have each page once.
    """
    return _KEEP_VERSIONS.format(
        rows=rows,
        differs=differs,
        columns=", ".join(VERSIONED_COLUMNS),
        old=", ".join(f"pages.{name}" for name in VERSIONED_COLUMNS),
        url=f"CASE WHEN {new_url} <> pages.url THEN pages.url END" if new_url else "NULL",
        title=(
            f"CASE WHEN {new_title} IS DISTINCT FROM pages.title THEN coalesce(pages.title, '') END"
            if new_title
            else "NULL"
        ),
        conflict=_COMPLETE if new_url or new_title else "DO NOTHING",
    )


_INCOMING = """
CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
    id BIGINT, url TEXT, position INTEGER, verdict_id BIGINT, reason TEXT, rule TEXT,
    lastmod TEXT, changefreq TEXT, sitemap_priority DOUBLE PRECISION, title TEXT, language TEXT,
    category TEXT, details TEXT, source TEXT, region TEXT, anchor TEXT, rel TEXT, path TEXT,
    context_id BIGINT
)
"""

_RENEW_OTHER = """
ON CONFLICT (document_id, position, page_id) DO UPDATE SET
    scan_id = excluded.scan_id, context_id = excluded.context_id, anchor = excluded.anchor,
    lastmod = excluded.lastmod, details = excluded.details, changefreq = excluded.changefreq,
    sitemap_priority = excluded.sitemap_priority
"""

_MENTION_ELSEWHERE = """
INSERT INTO other_mentions (
    document_id, position, page_id, scan_id, context_id, anchor, lastmod, details, changefreq,
    sitemap_priority)
SELECT {document}, i.position, i.id, {scan}, i.context_id, i.anchor, i.lastmod, i.details,
    i.changefreq, i.sitemap_priority
FROM incoming AS i JOIN pages ON {is_page}
WHERE pages.document_id <> {document}
{renew}
"""

# A document that lists a page cannot tell how the page answers.
_STANDS = "{new}.reason IS NULL AND pages.reason IN ({found_by_visit})"
_NEW_REASON = "CASE WHEN {stands} THEN pages.reason ELSE {new}.reason END"
_JUDGED = """
reason = {new_reason},
rule = CASE WHEN {stands} THEN pages.rule ELSE {new}.rule END
"""

# What the statements below write over is kept first.
_KEEP = keep_versions(
    "FROM incoming AS i JOIN pages ON {is_page} WHERE 1 = 1",
    differs="""
    {new_reason} IS DISTINCT FROM pages.reason
    OR i.url <> pages.url AND coalesce(pages.verdict_id, 0) <> coalesce(i.verdict_id, 0)
    OR pages.document_id = {document} AND (
        i.lastmod IS DISTINCT FROM pages.lastmod OR i.changefreq IS DISTINCT FROM pages.changefreq
        OR i.sitemap_priority IS DISTINCT FROM pages.sitemap_priority OR i.source <> pages.source
        OR i.url <> pages.url OR coalesce(i.title, pages.title) IS DISTINCT FROM pages.title)""",
    new_url="i.url",
    new_title="coalesce(i.title, pages.title)",
)
_KEEP_REPEATED = keep_versions(
    "FROM incoming AS i JOIN pages ON {is_page}"
    " WHERE pages.document_id = {document} AND pages.seen_scan_id < {scan}",
    differs="i.lastmod IS DISTINCT FROM pages.lastmod OR i.source <> pages.source",
)

_VERDICT_ELSEWHERE = """
UPDATE pages SET url = i.url, verdict_id = i.verdict_id, {judged_elsewhere}
FROM incoming AS i
WHERE {is_page} AND pages.document_id <> {document}
AND (coalesce(pages.verdict_id, 0) <> coalesce(i.verdict_id, 0)
     OR coalesce(pages.reason, '') <> coalesce(i.reason, '')
     OR coalesce(pages.rule, '') <> coalesce(i.rule, ''))
"""

_MERGE = """
INSERT INTO pages (
    id, site_id, url, verdict_id, reason, rule, source, document_id, position, lastmod, changefreq,
    sitemap_priority, title, language, category, details, first_scan_id, seen_scan_id,
    region, anchor, rel, path)
SELECT id, {site}, url, verdict_id, reason, rule, source, {document}, position, lastmod,
    changefreq, sitemap_priority, title, language, category, details, {scan}, {scan},
    region, anchor, rel, path
FROM incoming WHERE true
ON CONFLICT ({key}) DO UPDATE SET
    url = excluded.url, verdict_id = excluded.verdict_id, {judged},
    source = excluded.source, position = excluded.position,
    lastmod = excluded.lastmod, changefreq = excluded.changefreq,
    sitemap_priority = excluded.sitemap_priority, details = excluded.details,
    seen_scan_id = excluded.seen_scan_id, region = excluded.region, anchor = excluded.anchor,
    rel = excluded.rel, path = excluded.path,
    title = coalesce(excluded.title, pages.title),
    language = coalesce(excluded.language, pages.language),
    category = coalesce(excluded.category, pages.category)
WHERE pages.document_id = excluded.document_id
"""

# The order of the documents may differ from scan to scan: what repeats a page in this scan may be
# the very mention that lies in the page's row.
_RENEW_REPEATED = """
UPDATE pages SET position = i.position, lastmod = i.lastmod, seen_scan_id = {scan},
    source = i.source, region = i.region, anchor = i.anchor, rel = i.rel, path = i.path
FROM incoming AS i
WHERE {is_page} AND pages.document_id = {document} AND pages.seen_scan_id < {scan}
"""

_REPEAT_ELSEWHERE = """
INSERT INTO other_mentions (document_id, position, page_id, scan_id, context_id, anchor, lastmod)
SELECT {document}, i.position, i.id, {scan}, i.context_id, i.anchor, i.lastmod
FROM incoming AS i
WHERE NOT EXISTS (
    SELECT 1 FROM pages WHERE {is_page} AND pages.document_id = {document}
    AND pages.position = i.position AND pages.seen_scan_id = {scan})
{renew}
"""


class PageWriter:
    """Writes pages within the transaction of its connection."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._scan = scan
        self._scan_literal = literal(scan.scan_id)
        self._is_analyzed = False
        # A unique index of a partitioned table has the key of its partitions, too.
        self._page_key = "id, site_id" if is_partitioned(connection) else "id"
        self._contexts = LinkContextWriter(connection, scan)
        # Of several pages, so that the same statement takes them all.
        self._repeated_links: dict[str, list[Any]] = {}
        if scan.has_pages:
            connection.exec_driver_sql(_INCOMING)

    def add(self, rows: PageRows) -> int:
        """Store the rows and their repeats, and say how many these were."""
        if rows.ids:
            self._merge(rows) if self._scan.has_pages else self._append(rows)
        if rows.repeats is None or not rows.repeats.ids:
            return len(rows.ids)
        self._add_repeats(rows, rows.repeats)
        return len(rows.ids) + len(rows.repeats.ids)

    def forget(self) -> None:
        """After a roll-back: what was remembered may not be there."""
        self._contexts.forget()
        self._repeated_links.clear()

    def flush(self) -> None:
        """Write what was gathered."""
        self._contexts.flush()
        if columns := self._repeated_links:
            self._repeated_links = {}
            insert_columns(
                self._connection,
                "other_mentions",
                columns,
                {"scan_id": self._scan_literal},
                "ON CONFLICT DO NOTHING",
                is_repeated=True,
            )

    def _append(self, rows: PageRows) -> None:
        constants = self._constants(rows)
        insert_columns(
            self._connection,
            "pages",
            page_columns(rows),
            {
                "site_id": constants["site"],
                "document_id": constants["document"],
                "first_scan_id": constants["scan"],
                "seen_scan_id": constants["scan"],
                **_shared_source(rows),
                **_shared_verdict(rows),
            },
            "ON CONFLICT DO NOTHING",
        )

    def _merge(self, rows: PageRows) -> None:
        self._receive(rows.source, rows.links, page_columns(rows), _shared_verdict(rows))
        are_elsewhere = self._run(rows, _MENTION_ELSEWHERE) > 0
        self._run(rows, _KEEP)
        # Each of these looks up every page of the batch; hardly any is listed elsewhere.
        if are_elsewhere:
            self._run(rows, _VERDICT_ELSEWHERE)
        self._run(rows, _MERGE)
        self._clear()

    def _add_repeats(self, rows: PageRows, repeats: Repeats) -> None:
        if self._scan.has_pages:
            columns = repeat_columns(repeats)
            columns["id"] = columns.pop("page_id")
            self._receive(rows.source, repeats.links, columns, {})
            for statement in (_KEEP_REPEATED, _RENEW_REPEATED, _REPEAT_ELSEWHERE):
                self._run(rows, statement)
            self._clear()
        elif repeats.links is not None:
            self._gather_links(rows.document_id, repeats, repeats.links)
        else:
            insert_columns(
                self._connection,
                "other_mentions",
                repeat_columns(repeats),
                {
                    "document_id": literal(rows.document_id),
                    "scan_id": self._scan_literal,
                    "context_id": literal(self._contexts.of_source(rows.source)),
                },
                "ON CONFLICT DO NOTHING",
            )

    def _receive(
        self,
        source: str,
        links: LinkColumns | None,
        columns: Mapping[str, Sequence[Any]],
        constants: Mapping[str, str],
    ) -> None:
        """Put rows where the statements that merge them find them."""
        if links is None:
            context_id = literal(self._contexts.of_source(source))
            constants = {**constants, "source": literal(source), "context_id": context_id}
        else:
            columns = {**columns, "context_id": self._contexts.of_links(links)}
        insert_columns(self._connection, "incoming", columns, constants)

    def _gather_links(self, document_id: int, repeats: Repeats, links: LinkColumns) -> None:
        columns = {
            "document_id": [document_id] * len(repeats.ids),
            "position": repeats.positions,
            "page_id": repeats.ids,
            "context_id": self._contexts.of_links(links),
            "anchor": links.anchors,
        }
        for name, column in columns.items():
            self._repeated_links.setdefault(name, []).extend(column)

    def _run(self, rows: PageRows, statement: str) -> int:
        """Run a statement on what was received; give the number of rows that it changed."""
        if not self._is_analyzed:
            # Otherwise SQLite takes it for a big table, and reads the whole index for every batch.
            self._connection.exec_driver_sql("ANALYZE incoming")
            self._is_analyzed = True
        done = self._connection.exec_driver_sql(statement.format_map(self._constants(rows)))
        return int(done.rowcount)

    def _clear(self) -> None:
        # PostgreSQL would read all deleted rows again for every batch of the transaction.
        is_sqlite = self._connection.dialect.name == "sqlite"
        self._connection.exec_driver_sql(f"{'DELETE FROM' if is_sqlite else 'TRUNCATE'} incoming")

    def _constants(self, rows: PageRows) -> dict[str, str]:
        return {
            "site": literal(self._scan.site_id),
            "scan": literal(self._scan.scan_id),
            "document": literal(rows.document_id),
            "key": self._page_key,
            "is_page": f"pages.id = i.id AND pages.site_id = {literal(self._scan.site_id)}",
            "renew": _RENEW_OTHER,
            "judged": _judged("excluded"),
            "judged_elsewhere": _judged("i"),
            "new_reason": _new_reason("i"),
        }


def is_partitioned(connection: Connection) -> bool:
    """Whether the pages of this database are in partitions (``partitions.py``)."""
    if connection.dialect.name == "sqlite":
        return False
    kind = connection.scalar(text("SELECT relkind FROM pg_class WHERE oid = 'pages'::regclass"))
    return bool(kind == "p")


def _judged(new: str) -> str:
    """What a renewed page is refused for; *new* is the row that renews it."""
    return _JUDGED.format(new=new, stands=_stands(new), new_reason=_new_reason(new))


def _new_reason(new: str) -> str:
    return _NEW_REASON.format(new=new, stands=_stands(new))


def _stands(new: str) -> str:
    found_by_visit = ", ".join(map(literal, sorted(FOUND_BY_VISIT)))
    return _STANDS.format(new=new, found_by_visit=found_by_visit)


def _shared_source(rows: PageRows) -> dict[str, str]:
    return {} if rows.links is not None else {"source": literal(rows.source)}


def _shared_verdict(rows: PageRows) -> dict[str, str]:
    if rows.verdict_ids is not None or rows.verdict_id is None:
        return {}
    return {"verdict_id": literal(rows.verdict_id)}


# Of rows with one id, the one that was written first stays.
_REMOVE_DOUBLES = """
DELETE FROM pages WHERE number NOT IN (SELECT min(number) FROM pages GROUP BY id)
"""

# SQLite sorts in runs of the size of its cache: small ones stay in that of the processor and take
# 0.5 seconds per million rows instead of 0.85.
_SORTING_CACHE = "PRAGMA cache_size = -2000"


def ensure_page_index(connection: Connection) -> None:
    """Make sure that pages are found by id, and that no id is there twice."""
    if connection.dialect.name != "sqlite":
        return
    cache_size = connection.exec_driver_sql("PRAGMA cache_size").scalar_one()
    connection.exec_driver_sql(_SORTING_CACHE)
    try:
        _create(connection)
    except IntegrityError:
        connection.exec_driver_sql(_REMOVE_DOUBLES)
        _create(connection)
    finally:
        connection.exec_driver_sql(f"PRAGMA cache_size = {cache_size}")


def prepare_page_index(connection: Connection) -> None:
    """Before a scan: an index over no pages would only slow down the first ones."""
    if connection.dialect.name != "sqlite":
        return
    if connection.exec_driver_sql("SELECT 1 FROM pages LIMIT 1").first():
        ensure_page_index(connection)
    else:
        for index in (*DEFERRED_INDEXES, SITE_INDEX):
            connection.execute(DropIndex(index, if_exists=True))


def _create(connection: Connection) -> None:
    for index in DEFERRED_INDEXES:
        connection.execute(CreateIndex(index, if_not_exists=True))
    # As long as all pages are of one site, reading them in their order is the fastest way.
    if (connection.scalar(select(func.count()).select_from(sites)) or 0) > 1:
        connection.execute(CreateIndex(SITE_INDEX, if_not_exists=True))
