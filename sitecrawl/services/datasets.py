"""Inventories as Parquet files, and SQL over them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.errors import NotFoundError
from sitecrawl.exporters.parquet_dataset import write_scan
from sitecrawl.services.database import known_site
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.dataset_sql import QueryLimits, asking_dataset
from sitecrawl.store.queries.scans import latest_scan, scans_of_sites, sites
from sitecrawl.store.vocabulary import ENDED_WELL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.dataset_sql import QueryAnswer
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_MAX_SCANS = 10_000


@dataclass(frozen=True, slots=True)
class ExportedScan:
    """A scan that was written, or was there already."""

    site: str
    scan_id: int
    rows: dict[str, int] | None
    """By table; None: it was there already."""


@requires(Permission.READ)
def export_parquet(
    database: Database, folder: Path, site: str = "", *, history: bool = False
) -> Iterator[ExportedScan]:
    """Write the newest result of a site or of all; with *history* every scan that is kept."""
    wanted = [known_site(database, site)] if site else sites(database)
    folder.mkdir(parents=True, exist_ok=True)
    for each in wanted:
        for scan in _scans(database, each.id, history):
            rows = write_scan(database, scan, folder)
            yield ExportedScan(scan.site_key, scan.id, rows)


def _scans(database: Database, site_id: int, history: bool) -> list[Scan]:
    if history:
        found = scans_of_sites(database, [site_id], _MAX_SCANS)
    else:
        newest = latest_scan(database, site_id)
        found = [newest] if newest is not None else []
    return [scan for scan in reversed(found) if scan.status in ENDED_WELL]


@requires(Permission.READ)
@contextmanager
def ask_files(folder: Path, sql: str, limits: QueryLimits) -> Iterator[QueryAnswer]:
    """Run one SELECT over exported files; ``InvalidInputError`` says what is wrong with it."""
    if not (folder / "pages").is_dir():
        raise NotFoundError(
            f"{folder} has no exported pages;"
            f" write them: sitecrawl export parquet --all -o {folder}"
        )
    with asking_dataset(folder, sql, limits) as answer:
        yield answer
