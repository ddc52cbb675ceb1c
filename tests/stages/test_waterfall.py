from __future__ import annotations

from dataclasses import replace

import pytest

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.stages.waterfall import sitemaps_are_enough


@pytest.mark.parametrize(
    ("threshold", "pages", "enough"),
    [(10, 9, False), (10, 10, True), (1, 0, False), (0, 0, False), (0, 1, True)],
)
def test_the_threshold_decides_but_nothing_is_never_enough(
    threshold: int, pages: int, enough: bool
) -> None:
    config = replace(Config.from_settings(load_settings("default")), min_sitemap_urls=threshold)
    assert sitemaps_are_enough(config, pages) is enough
