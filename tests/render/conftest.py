from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.render.browsing import Browsing, running_browser

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def browsing() -> Iterator[Browsing]:
    """A browser for all tests of a module."""
    with running_browser() as browsing:
        yield browsing
