"""Stores the verdicts of a site, each once: a million pages refer to a handful of them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import select

from sitecrawl.store.records import VerdictRecord
from sitecrawl.store.tables import verdicts

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.records import ScanHandle

_OWN = tuple(verdicts.c[name] for name in VerdictRecord.__slots__)


class VerdictWriter:
    """Gives verdicts their ids within the transaction of its connection."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._site_id = scan.site_id
        self._ids: dict[VerdictRecord, int] | None = None

    def add(self, record: VerdictRecord) -> int:
        """Store the verdict unless an earlier scan has, and give its id."""
        if self._ids is None:
            known = select(verdicts.c.id, *_OWN).where(verdicts.c.site_id == self._site_id)
            self._ids = {
                VerdictRecord(*facts): id_ for id_, *facts in self._connection.execute(known)
            }
        if record not in self._ids:
            values = {**asdict(record), "site_id": self._site_id, "decided_at": datetime.now(UTC)}
            adding = verdicts.insert().values(values).returning(verdicts.c.id)
            self._ids[record] = self._connection.scalars(adding).one()
        return self._ids[record]

    def forget(self) -> None:
        """After a roll-back: what was remembered may not be there."""
        self._ids = None
