"""Reads the menu of a site, as the root of a scan showed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from sitecrawl.store.tables import menu_entries, pages

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan


class MenuFact(NamedTuple):
    """An entry of the menu, in its place."""

    level: int
    """0 is the highest."""
    title: str
    url: str
    region: str
    reason: str | None
    """Why the page is refused."""


def site_menu(database: Database, scan: Scan) -> list[MenuFact]:
    """The entries in the order of the page; none, if the root was not read or has no menu."""
    statement = (
        select(
            menu_entries.c.level,
            menu_entries.c.title,
            pages.c.url,
            menu_entries.c.region,
            pages.c.reason,
        )
        .join_from(menu_entries, pages, pages.c.id == menu_entries.c.page_id)
        .where(menu_entries.c.scan_id == scan.id)
        .order_by(menu_entries.c.position)
    )
    with database.reading() as connection:
        return [MenuFact(*row) for row in connection.execute(statement)]
