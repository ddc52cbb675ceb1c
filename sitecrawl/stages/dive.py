"""Fetches the pages that a dive wants to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.stages.checks import ChecksStage

if TYPE_CHECKING:
    from scrapy import Request

    from sitecrawl.config import Config
    from sitecrawl.items import Visit
    from sitecrawl.scan.database import ScanDatabase
    from sitecrawl.stages.base import ScanContext


class DiveStage(ChecksStage):
    """Visit the pages that a dive has chosen, as checks are made: their links are no mentions.

    Settings: ``SITECRAWL_DIVE_FILES``. Meta: ``sitecrawl_files``.
    """

    name: ClassVar[str] = "dive"
    tries_rendering: ClassVar[bool] = True

    def __init__(self, context: ScanContext):
        super().__init__(context)
        self._skip = context.config.skip_rules(readable=context.config.dive_files)

    @classmethod
    def is_wanted(cls, config: Config) -> bool:
        return True

    def _request(self, visit: Visit) -> Request:
        request = super()._request(visit)
        request.meta["sitecrawl_files"] = self.context.config.dive_files
        return request

    async def _choose(self, database: ScanDatabase) -> None:
        # A scan that goes on without its dive has chosen its pages already.
        if self.context.dive is not None:
            await database.begin_dive(self.context.dive, self._wanted)
