"""Removes addresses that may not be connected to from the answers of a resolver of aiohttp."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.abc import ResolveResult


class GuardedResolver(AbstractResolver):
    """Asks *permitted* with host, port and addresses, and returns the addresses that it returns."""

    def __init__(
        self, resolver: AbstractResolver, permitted: Callable[[str, int, list[str]], list[str]]
    ):
        self._resolver = resolver
        self._permitted = permitted

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            found = await self._resolver.resolve(host, port, family)
        except UnicodeError as error:
            raise OSError(None, f"{host} is no host name") from error
        permitted = set(self._permitted(host, port, [each["host"] for each in found]))
        return [each for each in found if each["host"] in permitted]

    async def close(self) -> None:
        await self._resolver.close()
