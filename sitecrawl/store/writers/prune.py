"""Removes old scans, and bodies that are not to be kept any longer.

A pruned scan is marked first (``scans.pruned_at``): from then on nobody is shown a scan of which
only a part is left. Then its rows are removed, but for those that other scans need
(``needed_rows.py``), one scan and table per transaction, so that scans that run meanwhile wait for
moments only. Its own row goes last, unless something refers to it: a page tells since when it is
known. A removal that was killed is gone on with by the next one.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Integer, LargeBinary, bindparam, exists, func, null, select, update

from sitecrawl.store.engine import explained
from sitecrawl.store.schema import metadata, page_facts, scans
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.bulk import literal
from sitecrawl.store.writers.needed_rows import OUTLIVED, PRUNED, REMOVABLE, find_needed_rows
from sitecrawl.store.writers.prune_bodies import BodyPruning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

_ENDED_WELL: Final = (ScanStatus.FINISHED, ScanStatus.PARTIAL, ScanStatus.CANCELLED)
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
            for table, is_removable in REMOVABLE.items():
                names = {"table": table, "scan": literal(scan_id), "is_removable": is_removable}
                with self._writing():
                    self._connection.exec_driver_sql(_REMOVE.format_map(names))
        for table, is_outlived in OUTLIVED.items():
            with self._writing():
                self._connection.exec_driver_sql(
                    _REMOVE_OUTLIVED.format(table=table, is_outlived=is_outlived)
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
    well = [row for row, scan in enumerate(newest_first) if scan.status in _ENDED_WELL]
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
        column
        for table in metadata.tables.values()
        for column in table.c
        if column.name == "scan_id" or column.name.endswith("_scan_id")
    ]
    is_pruned = select(PRUNED.c.scan_id)
    referred: set[int] = set()
    for column in columns:
        used = select(column).where(column.in_(is_pruned)).distinct()
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
