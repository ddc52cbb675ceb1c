"""Fetches the pages that a dive wants to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sitecrawl.stages.checks import ChecksStage

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.scan.database import ScanDatabase


class DiveStage(ChecksStage):
    """Visit the pages that a dive has chosen, as checks are made: their links are no mentions."""

    name: ClassVar[str] = "dive"
    tries_rendering: ClassVar[bool] = True

    @classmethod
    def is_wanted(cls, config: Config) -> bool:
        return True

    async def _choose(self, database: ScanDatabase) -> None:
        # A scan that goes on without its dive has chosen its pages already.
        if self.context.dive is not None:
            await database.begin_dive(self.context.dive, self._wanted)
