"""Find every URL of a site, politely, and say for each one why it is on the list.

>>> import sitecrawl
>>> result = sitecrawl.discover("example.com")  # doctest: +SKIP
>>> frame = sitecrawl.open_inventory("example.com").to_polars()  # doctest: +SKIP

Names are imported when they are first used, so that Scrapy and SQLAlchemy cost nothing before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from sitecrawl.config import ConfigError
    from sitecrawl.errors import (
        ExtraMissingError,
        InvalidInputError,
        ScanCrashedError,
        ScanFailedError,
        SitecrawlError,
    )
    from sitecrawl.items import PageItem as Page
    from sitecrawl.library import adiscover, discover, start_scan
    from sitecrawl.services.inventory import Inventory, Pages, open_inventory
    from sitecrawl.services.scan_process import ScanHandle, ScanProgress, ScanResult
    from sitecrawl.store.errors import ScanRunningError, StoreError

__all__ = [
    "ConfigError",
    "ExtraMissingError",
    "InvalidInputError",
    "Inventory",
    "Page",
    "Pages",
    "ScanCrashedError",
    "ScanFailedError",
    "ScanHandle",
    "ScanProgress",
    "ScanResult",
    "ScanRunningError",
    "SitecrawlError",
    "StoreError",
    "__version__",
    "adiscover",
    "discover",
    "open_inventory",
    "start_scan",
]

_HOMES = {
    "sitecrawl.config": ("ConfigError",),
    "sitecrawl.errors": (
        *("ExtraMissingError", "InvalidInputError", "ScanCrashedError", "ScanFailedError"),
        "SitecrawlError",
    ),
    "sitecrawl.library": ("adiscover", "discover", "start_scan"),
    "sitecrawl.services.inventory": ("Inventory", "Page", "Pages", "open_inventory"),
    "sitecrawl.services.scan_process": ("ScanHandle", "ScanProgress", "ScanResult"),
    "sitecrawl.store.errors": ("ScanRunningError", "StoreError"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
