"""Scans without a crawler, for tests of single components."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.politeness.scan import ScanPoliteness
from sitecrawl.safety.policy import AddressPolicy
from sitecrawl.scan import Scan
from sitecrawl.scan.frontier import Frontier

if TYPE_CHECKING:
    from sitecrawl.store.queries.resume import Resumption


def make_scan(resumption: Resumption | None = None, **settings: Any) -> Scan:
    """A scan with a few settings (``max_crawl_depth=2``) that keeps what is put in ``items``."""
    every = load_settings("default")
    for name, value in settings.items():
        every.set(f"SITECRAWL_{name.upper()}", value, "cmdline")
    config = Config.from_settings(every)
    database: Any = SimpleNamespace(
        resumption=resumption, record=None, fingerprint="settings 1", validators={}, failure=""
    )
    scan = Scan(
        config=config,
        politeness=ScanPoliteness(
            config.pace_rules(), config.scan_budget(0.0), config.slot_wait_seconds
        ),
        address_policy=AddressPolicy(),
        database=database,
    )
    scan.frontier = Frontier()
    database.items = []

    async def put(item: Any) -> None:
        database.items.append(item)

    scan.put = put
    return scan


def items_of(scan: Scan) -> list[Any]:
    """What was put into the inventory."""
    items: list[Any] = scan.database.items  # type: ignore[union-attr]
    return items
