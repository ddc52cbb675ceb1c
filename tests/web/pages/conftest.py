from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.dive.topics import renew_topics
from sitecrawl.services import groups, sites
from sitecrawl.services.demo_site import watched_demo_site
from sitecrawl.services.groups import GroupInput
from sitecrawl.services.sites import NewSite, SiteEdit
from tests.dive.conftest import make_searchable
from tests.store.scanning import SITE
from tests.web.pages.browsing import browsed, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from tests.web.pages.browsing import Dashboard
    from tests.web.serving import Serving

HIVE = "A hive has one queen and many workers, who feed her through the winter."
_READ_PAGES = {
    "/bees": f"<title>Bees</title><main><h1>Bees</h1><p>{HIVE}</p></main>",
    "/hours": "<title>Hours</title><main><p>We open at nine in the morning.</p></main>",
    "/honey": "<title>Honey</title><main><p>Bees make honey of what flowers give.</p></main>",
    "/tickets": "<title>Tickets</title><main><p>Adults pay five euros at the door.</p></main>",
}


# Of a module, not of the session: while it runs, nothing else in the process may run a loop.
@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """With the demo site, whose second scan has found changes, as site 1, and two others."""
    with (
        served(tmp_path_factory.mktemp("dashboard")) as (server, database_url),
        watched_demo_site(server.database, database_url, 1),
    ):
        client = server.signed_in("owner-1@example.com")
        group = groups.add_group(server.database, 1, GroupInput("Libraries"))
        sites.edit_site(server.database, 1, 1, SiteEdit(name="Seeds", group_id=group.id))
        _add_read_site(server, client)
        sites.add_site(server.database, 1, NewSite("https://other.example", name="Other"))
        told = {"type": "email", "target": "ada@example.com", "siteId": 1}
        client.post("/api/channels", json=told).raise_for_status()
        with browsed(server, database_url) as made:
            yield made


def _add_read_site(server: Serving, client: httpx.Client) -> None:
    """Site 2, whose pages can be searched: with a conversation of two questions, and a dive."""
    renew_topics(server.database, make_searchable(server.database, _READ_PAGES))
    client.post("/api/sites", json={"rootUrl": f"https://{SITE}/"})
    for question in ("Who feeds the queen?", "What is a black hole?"):
        body = {"question": question, "conversation": "1" if "hole" in question else ""}
        answer = client.post("/sites/2/ask", data=body)
        assert answer.headers["location"] == "/sites/2/ask?conversation=1"
