"""The server in a thread of the test, on a port of its own, with people who use it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import httpx

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.services import users
from sitecrawl.services.permissions import Role
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import FIRST_WORKSPACE
from sitecrawl.web.server import DATABASE_CONNECTIONS, Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from sitecrawl.store.engine import Database

PASSWORD = "correct horse battery"
_START_SECONDS = 20


@dataclass
class Serving:
    """A running server."""

    url: str
    config: Config
    database: Database
    clients: list[httpx.Client] = field(default_factory=list)

    def anonymous(self) -> httpx.Client:
        client = httpx.Client(base_url=self.url, timeout=30)
        self.clients.append(client)
        return client

    def add_user(
        self, role: Role = Role.OWNER, email: str = "", workspace_id: int = FIRST_WORKSPACE
    ) -> str:
        address = email or f"{role}-{workspace_id}@example.com"
        users.create_user(self.database, workspace_id, address, role, password=PASSWORD)
        return address

    def signed_in(self, email: str, password: str = PASSWORD) -> httpx.Client:
        """A client with the cookie of a session."""
        client = self.anonymous()
        answer = client.post("/api/session", json={"email": email, "password": password})
        assert answer.status_code == 204, answer.text
        return client

    def by_token(self, token: str) -> httpx.Client:
        client = self.anonymous()
        client.headers["Authorization"] = f"Bearer {token}"
        return client


@contextmanager
def serving(database_url: str, **settings: Any) -> Iterator[Serving]:
    """*settings*: fields of ``Config`` that differ from the defaults."""
    config = replace(
        Config.from_settings(load_settings("default")),
        web_port=0,
        database_url=database_url,
        **settings,
    )
    bound: list[int] = []
    is_ready = threading.Event()

    def on_ready(port: int) -> None:
        bound.append(port)
        is_ready.set()

    with open_database(database_url, connections=DATABASE_CONNECTIONS) as database:
        server = Server(config, database, on_ready)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert is_ready.wait(_START_SECONDS), "the server did not start"
            running = Serving(f"http://127.0.0.1:{bound[0]}", config, database)
            yield running
        finally:
            for client in running.clients:
                client.close()
            server.should_exit = True
            thread.join()
