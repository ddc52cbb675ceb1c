"""Removes old scans, and bodies that are not to be kept any longer.

A pruned scan is marked first (``scans.pruned_at``): from then on nobody is shown a scan of which
only a part is left. Then its rows are removed, but for those that other scans refer to
(``prune_references.py``), one scan and table per transaction, so that scans that run meanwhile wait
for moments only. Its own row goes last, unless something refers to it: a page tells since when it
is known. A removal that was killed is gone on with by the next one.

A body goes when no fetch that stays refers to it; when it is older than the scans whose bodies are
kept, and the site shows something else today; and when all bodies together are too large, those of
pages before those of sitemaps and feeds, and the oldest of each first. Copies of robots.txt stay as
long as their fetches: they are small, and the next scan may need them.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import (
    Integer,
    LargeBinary,
    bindparam,
    column,
    delete,
    exists,
    func,
    null,
    select,
    table,
    update,
)

from sitecrawl.items import DocumentKind
from sitecrawl.store.driver_errors import explained
from sitecrawl.store.schema import blobs, fetches, metadata, page_facts, scans
from sitecrawl.store.vocabulary import ENDED_WELL, ScanStatus
from sitecrawl.store.writers.bulk import literal
from sitecrawl.store.writers.prune_references import OUTLIVED, PRUNED, REMOVABLE, find_needed_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database


# The scans that findings are compared with (queries/page_findings.py).
_COMPARED_WITH: Final = (ScanStatus.FINISHED, ScanStatus.PARTIAL)
_NUMBER_BYTES: Final = 4

_REMOVE: Final = "DELETE FROM {table} WHERE scan_id = {scan} AND {is_removable}"
_REMOVE_OUTLIVED: Final = "DELETE FROM {table} WHERE {is_outlived}"
_SIZE: Final = "SELECT count(*), sum({row_bytes}) FROM {table} WHERE {condition}"
_OF_PRUNED: Final = "scan_id IN (SELECT scan_id FROM pruned) AND {is_removable}"


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept; 0: everything."""

    scans: int = 0
    """So many scans of each site that ended in order, with all that came after the oldest of them,
    and the one that its findings are compared with."""
    body_scans: int = 0
    """Bodies of so many of the newest scans of each site, and what it shows today."""
    body_bytes: int = 0
    """Compressed bytes of all bodies."""


class Removal(NamedTuple):
    """Rows of one table; their bytes without indexes, so about what the database gets back."""

    table: str
    rows: int
    bytes: int


@contextmanager
def pruning(database: Database, retention: Retention, site_id: int | None) -> Iterator[Pruning]:
    """Find out what is to be removed, of one site or of all; nothing is written yet."""
    with explained(database.label), database.engine.connect() as connection:
        try:
            with connection.begin():
                found = Pruning(connection, retention, site_id)
            yield found
        finally:
            connection.invalidate()  # or its temporary tables would be there for the next one


class Pruning:
    """What is to be removed under a retention."""

    def __init__(self, connection: Connection, retention: Retention, site_id: int | None):
        self._connection = connection
        of_sites = _scans_by_site(connection, site_id)
        chosen = [scan for each in of_sites for scan in _to_prune(connection, each, retention)]
        self.scans = sum(not scan.is_pruned for scan in chosen)
        """How many scans are to go."""
        left = sum(not scan.is_pruned for each in of_sites for scan in each)
        self.kept_scans = left - self.scans
        self._scan_ids = sorted(scan.id for scan in chosen)
        find_needed_rows(connection, self._scan_ids)
        oldest = {each[0].site_id: _oldest_of(each, retention.body_scans) for each in of_sites}
        self._bodies = BodyPruning(connection, oldest, retention.body_bytes)

    def removals(self) -> list[Removal]:
        """What will be removed, by table; what an earlier removal has left over counts as well."""
        conditions = {
            name: _OF_PRUNED.format(is_removable=is_removable)
            for name, is_removable in REMOVABLE.items()
        }
        conditions |= OUTLIVED
        conditions["blobs"] = "sha256 IN (SELECT sha256 FROM unneeded_blobs)"
        with self._connection.begin():
            return [self._size(metadata.tables[name], sql) for name, sql in conditions.items()]

    def remove(self) -> int:
        """Remove it all; gives how many scans nothing is left of."""
        with self._writing():
            self._connection.execute(
                update(scans)
                .where(scans.c.id.in_(select(PRUNED.c.scan_id)), scans.c.pruned_at.is_(None))
                .values(
                    pruned_at=datetime.now(UTC), settings={}, summary=null(), pending_feeds=null()
                )
            )
        for scan_id in self._scan_ids:
            for name, is_removable in REMOVABLE.items():
                names = {"table": name, "scan": literal(scan_id), "is_removable": is_removable}
                with self._writing():
                    self._connection.exec_driver_sql(_REMOVE.format_map(names))
        for name, is_outlived in OUTLIVED.items():
            with self._writing():
                self._connection.exec_driver_sql(
                    _REMOVE_OUTLIVED.format(table=name, is_outlived=is_outlived)
                )
        while self._has_removed_bodies():
            pass
        with self._writing():
            return _remove_scans(self._connection, self._scan_ids)

    def _has_removed_bodies(self) -> bool:
        with self._writing():
            return self._bodies.remove_some()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._connection.execution_options(sitecrawl_begin="IMMEDIATE")
        with self._connection.begin():
            yield

    def _size(self, table: Table, condition: str) -> Removal:
        if self._connection.dialect.name == "sqlite":
            row_bytes = " + ".join(map(_sqlite_bytes, table.c))
        else:
            row_bytes = f"pg_column_size({table.name}.*)"
        statement = _SIZE.format(row_bytes=row_bytes, table=table.name, condition=condition)
        rows, size = self._connection.exec_driver_sql(statement).one()
        return Removal(table.name, rows, int(size or 0))


def vacuum(database: Database) -> None:
    """Rewrite the database without the space that removed rows have left."""
    with explained(database.label):
        connection = database.engine.raw_connection()
        try:
            if not database.is_sqlite:
                connection.driver_connection.autocommit = True  # type: ignore[union-attr]
            cursor = connection.cursor()
            cursor.execute("VACUUM")
            if database.is_sqlite:
                # The new file is in the log until then.
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            cursor.close()
        finally:
            connection.invalidate()


class _Scan(NamedTuple):
    id: int
    site_id: int
    status: str
    is_pruned: bool


def _scans_by_site(connection: Connection, site_id: int | None) -> list[list[_Scan]]:
    """The newest first."""
    columns = (scans.c.id, scans.c.site_id, scans.c.status, scans.c.pruned_at.is_not(None))
    statement = select(*columns).order_by(scans.c.site_id, scans.c.id.desc())
    if site_id is not None:
        statement = statement.where(scans.c.site_id == site_id)
    scan_rows = [_Scan(*row) for row in connection.execute(statement)]
    return [list(of_site) for _, of_site in groupby(scan_rows, lambda scan: scan.site_id)]


def _to_prune(
    connection: Connection, of_site: Sequence[_Scan], retention: Retention
) -> list[_Scan]:
    """Those that are marked already are among them."""
    old = _behind([scan for scan in of_site if not scan.is_pruned], retention.scans)
    candidates = [scan.id for scan in old if scan.status in _COMPARED_WITH]
    has_facts = exists().where(page_facts.c.scan_id == scans.c.id)
    compared = connection.scalar(
        select(func.max(scans.c.id)).where(scans.c.id.in_(candidates), has_facts)
    )
    unwanted = [scan for scan in old if scan.id != compared]
    return [*unwanted, *(scan for scan in of_site if scan.is_pruned)]


def _behind(newest_first: Sequence[_Scan], number: int) -> Sequence[_Scan]:
    """What is older than so many scans that ended in order."""
    well = [row for row, scan in enumerate(newest_first) if scan.status in ENDED_WELL]
    return newest_first[well[number - 1] + 1 :] if 0 < number <= len(well) else ()


def _oldest_of(newest_first: Sequence[_Scan], number: int) -> int:
    """The oldest of so many scans that ended in order; 0: of all."""
    left = [scan for scan in newest_first if not scan.is_pruned]
    old = _behind(left, number)
    return left[-len(old) - 1].id if old else 0


def _remove_scans(connection: Connection, pruned: Sequence[int]) -> int:
    """Remove the rows of scans that nothing refers to.

    One that came after a kept scan stays: the inventory as of that scan ends where it began.
    """
    columns = [
        each
        for owner in metadata.tables.values()
        for each in owner.c
        if each.name == "scan_id" or each.name.endswith("_scan_id")
    ]
    is_pruned = select(PRUNED.c.scan_id)
    referred: set[int] = set()
    for reference in columns:
        used = select(reference).where(reference.in_(is_pruned)).distinct()
        referred.update(connection.scalars(used))
    kept = scans.alias("kept")
    follows = exists().where(
        kept.c.site_id == scans.c.site_id, kept.c.id < scans.c.id, kept.c.pruned_at.is_(None)
    )
    unused = [{"unused": scan_id} for scan_id in pruned if scan_id not in referred]
    if not unused:
        return 0
    removal = scans.delete().where(scans.c.id == bindparam("unused"), ~follows)
    return connection.execute(removal, unused).rowcount


def _sqlite_bytes(column: Any) -> str:
    if isinstance(column.type, LargeBinary):
        return f"length({column.name})"
    if isinstance(column.type, Integer):
        return str(_NUMBER_BYTES)
    return f"coalesce(length({column.name}), 0)"


_AT_ONCE: Final = 200

_TABLES: Final = {
    "body_scans": "site_id BIGINT PRIMARY KEY, oldest BIGINT",
    "body_uses": "sha256 VARCHAR(64) PRIMARY KEY, rank INTEGER, newest BIGINT, is_recent INTEGER",
    "unneeded_blobs": "sha256 VARCHAR(64) PRIMARY KEY",
}
_FIND_USES: Final = """
INSERT INTO body_uses
SELECT fetches.sha256,
    min(CASE documents.kind WHEN {robots} THEN 0 WHEN {page} THEN 2 ELSE 1 END),
    max(fetches.scan_id),
    max(CASE WHEN fetches.scan_id >= coalesce(body_scans.oldest, 0)
        OR (documents.sha256 = fetches.sha256 AND documents.gone_scan_id IS NULL)
        THEN 1 ELSE 0 END)
FROM fetches JOIN documents ON documents.id = fetches.document_id
LEFT JOIN body_scans ON body_scans.site_id = documents.site_id
WHERE fetches.sha256 IS NOT NULL AND NOT (
    fetches.scan_id IN (SELECT scan_id FROM pruned)
    AND fetches.id NOT IN (SELECT id FROM needed_fetches))
GROUP BY fetches.sha256
"""
_FIND_UNUSED: Final = """
INSERT INTO unneeded_blobs
SELECT sha256 FROM blobs WHERE sha256 NOT IN (SELECT sha256 FROM body_uses)
"""
_FIND_OLD: Final = """
INSERT INTO unneeded_blobs
SELECT blobs.sha256 FROM blobs JOIN body_uses AS used ON used.sha256 = blobs.sha256
WHERE used.rank > 0 AND used.is_recent = 0
"""
_FIND_TOO_MANY: Final = """
INSERT INTO unneeded_blobs
SELECT sha256 FROM (
    SELECT blobs.sha256, used.rank, sum(length(blobs.content)) OVER (
        ORDER BY used.rank, used.newest DESC, blobs.sha256) AS together
    FROM blobs JOIN body_uses AS used ON used.sha256 = blobs.sha256
    WHERE blobs.sha256 NOT IN (SELECT sha256 FROM unneeded_blobs)
) AS summed
WHERE rank > 0 AND together > {limit}
"""
_body_scans = table("body_scans", column("site_id"), column("oldest"))
_unneeded = table("unneeded_blobs", column("sha256"))


class BodyPruning:
    """The bodies that go with what ``prune_references.py`` has found; within one connection."""

    def __init__(self, connection: Connection, oldest: Mapping[int, int], max_bytes: int):
        """*oldest*: by site, the oldest scan whose bodies are kept."""
        self._connection = connection
        self._last = ""
        # What these refer to may not be visible yet.
        is_running = scans.c.status == ScanStatus.RUNNING
        self._running = list(connection.scalars(select(scans.c.id).where(is_running)))
        self._newest_scan = connection.scalar(select(func.max(scans.c.id))) or 0
        for name, columns in _TABLES.items():
            connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {name} ({columns})")
        names = {
            "robots": literal(DocumentKind.ROBOTS_TXT),
            "page": literal(DocumentKind.PAGE),
            "limit": literal(max_bytes),
        }
        rows = [{"site_id": site_id, "oldest": scan_id} for site_id, scan_id in oldest.items()]
        if rows:
            connection.execute(_body_scans.insert(), rows)
        for statement in (_FIND_USES, _FIND_UNUSED, _FIND_OLD):
            connection.exec_driver_sql(statement.format_map(names))
        if max_bytes:
            connection.exec_driver_sql(_FIND_TOO_MANY.format_map(names))

    def remove_some(self) -> bool:
        """Remove the next bodies within a transaction; whether there were any."""
        some = (
            select(_unneeded.c.sha256)
            .where(_unneeded.c.sha256 > self._last)
            .order_by(_unneeded.c.sha256)
            .limit(_AT_ONCE)
        )
        hashes = list(self._connection.scalars(some))
        if not hashes:
            return False
        self._last = hashes[-1]
        # A scan that stores a fetch of a body holds a lock on it (``DocumentWriter.keep_body``).
        # This waits for such scans; then their fetches can be seen.
        locked = select(blobs.c.sha256).where(blobs.c.sha256.in_(hashes)).order_by(blobs.c.sha256)
        self._connection.execute(locked.with_for_update()).all()
        is_of_others = fetches.c.scan_id.in_(self._running) | (
            fetches.c.scan_id > self._newest_scan
        )
        used_meanwhile = select(fetches.c.sha256).where(
            is_of_others, fetches.c.sha256.in_(bindparam("hashes", hashes, expanding=True))
        )
        self._connection.execute(
            delete(blobs).where(blobs.c.sha256.in_(hashes), blobs.c.sha256.not_in(used_meanwhile))
        )
        return True
