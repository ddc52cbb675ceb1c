"""``scrapy crawl dive``: fetches the pages that ``sitecrawl dive`` has chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.checks import DiveStage

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage


class DiveSpider(SiteSpider):
    """Fetch listed pages of a site and keep their bodies.

    Arguments: ``dive``, the number of the dive that has chosen them.
    """

    name = "dive"
    stages: ClassVar[tuple[type[Stage], ...]] = (DiveStage,)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        settings.set("SITECRAWL_KEEP_BODIES", "pages", "cmdline")
