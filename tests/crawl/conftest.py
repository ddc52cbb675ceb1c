from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from tests.crawl.scanned import scan_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.crawl.scanned import ScannedSite
    from tests.site.sites import ModelSite


@pytest.fixture(scope="session")
def scan(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[Callable[[], ModelSite]], ScannedSite]:
    """The scan of a model site without limits: made once, looked at by many tests."""

    @functools.cache
    def once(make: Callable[[], ModelSite]) -> ScannedSite:
        return scan_site(make(), tmp_path_factory.mktemp(make.__name__))

    return once
