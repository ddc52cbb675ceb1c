from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.scrapy_project.spiders import run_shop

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scrapy_project.spiders import ShopRun
    from tests.site.project import ProcessResult, Project


@pytest.fixture
def shop_spider(
    project: Project, run_scrapy: Callable[..., ProcessResult]
) -> Callable[..., ShopRun]:
    """An ordinary spider: its start URLs, then options and settings; see ``run_shop``."""
    return partial(run_shop, project, run_scrapy)
