"""Which bodies are not to be kept any longer, and their removal.

A body goes when no fetch that stays refers to it; when it is older than the scans whose bodies are
kept, and the site shows something else today; and when all bodies together are too large, those of
pages before those of sitemaps and feeds, and the oldest of each first. Copies of robots.txt stay as
long as their fetches: they are small, and the next scan may need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, column, delete, func, select, table

from sitecrawl.items import DocumentKind
from sitecrawl.store.schema import blobs, fetches, scans
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.bulk import literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

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
    """The bodies that go with what ``needed_rows.py`` has found; within one connection."""

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
