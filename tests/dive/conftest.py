from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import pytest

from sitecrawl.dive.embeddings import local_embedder
from sitecrawl.dive.extraction import extract_article
from sitecrawl.dive.passages import split_passages
from sitecrawl.dive.reading import DiveCounts, embed_passages
from sitecrawl.html.text import hash_text
from sitecrawl.store.queries.scans import site_for
from sitecrawl.store.writers.dives import NewContent, NewPassage, add_dive, put_content
from tests.store.conftest import (  # noqa: F401  fixtures
    database,
    database_kind,
    sqlite_url,
)
from tests.store.scanning import SITE, page_id, scan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site


class Searchable(Protocol):
    """Makes pages with these texts searchable, by their path."""

    def __call__(self, pages: Mapping[str, str], language: str = "en") -> Site: ...


@pytest.fixture
def searchable(database: Database) -> Searchable:  # noqa: F811
    """Makes pages with these texts searchable, by their path."""
    return partial(make_searchable, database)


def make_searchable(
    database: Database,  # noqa: F811
    pages: Mapping[str, str],
    language: str = "en",
) -> Site:
    urls = {path: f"https://{SITE}{path}" for path in pages}
    scan(database, {f"https://{SITE}/sitemap.xml": list(urls.values())})
    site = site_for(database, SITE)
    assert site is not None
    contents = {page_id(urls[path]): (urls[path], html) for path, html in pages.items()}
    store_contents(database, site, contents, language)
    return site


def store_contents(
    database: Database,  # noqa: F811
    site: Site,
    pages: Mapping[int, tuple[str, str]],
    language: str = "en",
) -> None:
    """Make pages searchable: their addresses and texts, by their ids."""
    with database.writing() as connection:
        dive = add_dive(connection, site.id, {})
        for number, (url, html) in pages.items():
            article = extract_article(html, url)
            passages = [
                NewPassage(*(p.position, p.headings, p.text, p.tokens), language, hash_text(p.text))
                for p in split_passages(article)
            ]
            content = NewContent(
                *(number, hash_text(html), "test", article.title, "", ""),
                language,
                passages,
            )
            put_content(connection, site.id, dive, content)
    embed_passages(database, site, local_embedder, DiveCounts())
