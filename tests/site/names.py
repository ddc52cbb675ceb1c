"""Resolves host names to the addresses that a test gives, in place of a name server."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from aiohttp.abc import AbstractResolver, ResolveResult

from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SILENT: Sequence[Sequence[str]] = ()


def names(table: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, str]:
    """Settings under which a crawl finds these names.

    Successive look-ups of a name get its answers one after another, the last one for ever; each
    answer is a list of addresses. A name that is ``SILENT`` is never answered.
    """
    handler = f"{__name__}.{NamesDownloadHandler.__name__}"
    return {
        "DOWNLOAD_HANDLERS": json.dumps({"http": handler, "https": handler}),
        "TEST_NAMES": json.dumps(table),
    }


class NamesDownloadHandler(GuardedDownloadHandler):
    dns_cache_seconds: ClassVar[int] = 0

    def make_resolver(self) -> AbstractResolver:
        return TableResolver(
            super().make_resolver(), json.loads(self.crawler.settings["TEST_NAMES"])
        )


class TableResolver(AbstractResolver):
    def __init__(self, others: AbstractResolver, table: Mapping[str, Sequence[Sequence[str]]]):
        self._others = others
        self._table = table
        self._asked: Counter[str] = Counter()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host not in self._table:
            return await self._others.resolve(host, port, family)
        answers = self._table[host]
        if not answers:
            await asyncio.Event().wait()
        answer = answers[min(self._asked[host], len(answers) - 1)]
        self._asked[host] += 1
        return [
            ResolveResult(
                hostname=host, host=each, port=port, family=socket.AF_INET, proto=0, flags=0
            )
            for each in answer
        ]

    async def close(self) -> None:
        await self._others.close()
