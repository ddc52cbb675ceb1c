"""Rows that scans and comparisons would write, for tests of announcements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from sitecrawl.store import schema as t

if TYPE_CHECKING:
    from datetime import datetime

    from sitecrawl.store.engine import Database


@dataclass
class Watched:
    """A watched site, with scans, events and incidents on demand."""

    database: Database
    now: datetime
    name: str = "Example"
    key: str = "example.com"
    tags: tuple[str, ...] = ()
    group_id: int | None = None

    def __post_init__(self) -> None:
        self.site_id = self._add(
            t.sites,
            workspace_id=1,
            key=self.key,
            root_url=f"https://{self.key}/",
            seed=1,
            key_rules={},
            created_at=self.now,
        )
        self.id = self._add(
            t.watched_sites,
            workspace_id=1,
            site_id=self.site_id,
            key=self.key,
            root_url=f"https://{self.key}/",
            name=self.name,
            tags=list(self.tags),
            group_id=self.group_id,
            enabled=True,
            profile="monitor",
            settings={},
            allow_private=False,
            worker_tags=[],
            needed_tags="",
            priority=3,
            interval_minutes=1440,
            timezone="UTC",
            created_at=self.now,
            updated_at=self.now,
            version=1,
        )

    def scan(self, **counts: int) -> int:
        scan_id = self._add(
            t.scans,
            site_id=self.site_id,
            asked=self.key,
            root_url=f"https://{self.key}/",
            status="finished",
            profile="monitor",
            settings={},
            started_at=self.now,
            heartbeat_at=self.now,
            hostname="h",
            pid=1,
            process_token="t",
        )
        values = {
            "scan_id": scan_id,
            "site_id": self.site_id,
            "is_holding": False,
            "counts": counts,
            "compared_at": self.now,
        }
        values |= {"last_page_number": 0} if "last_page_number" in t.comparisons.c else {}
        with self.database.writing() as connection:
            connection.execute(insert(t.comparisons).values(values))
        return scan_id

    def event(self, scan_id: int, title: str = "/blog: 2 new articles", **values: Any) -> int:
        return self._add(
            t.events,
            **{
                "site_id": self.site_id,
                "scan_id": scan_id,
                "kind": "added",
                "severity": "medium",
                "title": title,
                "pages": 2,
                "important_pages": 0,
                "detail": {"examples": [f"https://{self.key}/blog/a", f"https://{self.key}/b&<c>"]},
                "is_silent": False,
                "occurred_at": self.now,
                **values,
            },
        )

    def incident(self, scan_id: int, **values: Any) -> int:
        return self._add(
            t.incidents,
            **{
                "site_id": self.site_id,
                "key": "robots",
                "kind": "robots_changed",
                "severity": "high",
                "title": "robots.txt blocks 4,120 known URLs, 37 important",
                "status": "open",
                "opened_scan_id": scan_id,
                "last_scan_id": scan_id,
                "opened_at": self.now,
                **values,
            },
        )

    def change_incident(self, number: int, **values: Any) -> None:
        with self.database.writing() as connection:
            connection.execute(
                update(t.incidents).where(t.incidents.c.id == number).values(**values)
            )

    def _add(self, table: Any, **values: Any) -> int:
        with self.database.writing() as connection:
            statement = insert(table).values(**values).returning(table.c.id)
            return int(connection.execute(statement).scalar_one())


def rows(database: Database, table: Any) -> list[Any]:
    with database.reading() as connection:
        return list(connection.execute(select(table).order_by(table.c.id)).all())
