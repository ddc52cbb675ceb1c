"""Broken pages, as people and tools write them, each with the links that a browser finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.site.sites.messes.encodings import encoding_messes
from tests.site.sites.messes.markup import markup_messes
from tests.site.sites.messes.sources import source_messes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site.sites.messes.mess import Mess


def messes() -> Iterator[Mess]:
    yield from markup_messes()
    yield from source_messes()
    yield from encoding_messes()
