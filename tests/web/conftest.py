from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.serving import Serving, serving
from tests.web.world import World, world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    """Start a server; takes fields of ``Config`` that differ from the defaults."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Serving:
            return stack.enter_context(serving(f"sqlite:///{tmp_path / 'web.db'}", **settings))

        yield start


@pytest.fixture
def server(serve: Callable[..., Serving]) -> Serving:
    return serve()


@pytest.fixture(scope="session")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """For tests that leave it as it is, but for what they add themselves."""
    with world(tmp_path_factory.mktemp("world")) as made:
        yield made
