"""What dives and searches cost.

    python -m benchmarks.dive queries     a search over 50,000 passages, on both databases
    python -m benchmarks.dive pages       1,000 pages of HTML to searchable passages
    python -m benchmarks.dive             both

- Queries: passages of made-up words whose frequencies are those of a language, with random vectors.
  The time of a search is what a person waits, and includes the embedding of the question.
- Pages: 1,000 of the PostgreSQL documentation (postgresql-doc-15), from stored bodies: read, cut,
  stored and embedded. Then one of a hundred has changed, and all are looked at again.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sqlalchemy import insert, text

from benchmarks.trial.packages import debian_package
from sitecrawl.dive.embeddings import local_embedder
from sitecrawl.dive.files.reader import FileProcess
from sitecrawl.dive.reading import DiveCounts, PageReader, embed_passages
from sitecrawl.dive.search import search
from sitecrawl.dive.topics import renew_topics
from sitecrawl.dive.vectors import pack_vectors
from sitecrawl.store import schema as t
from sitecrawl.store.compression import pack_body
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.passages import ensure_words_indexed
from sitecrawl.store.queries.scans import sites
from sitecrawl.store.queries.vectors import index_vectors
from sitecrawl.store.writers.dives import (
    add_dive,
    ensure_word_index,
    known_model,
    put_vectors,
)
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Site

_PASSAGES: Final = 50_000
_PASSAGES_PER_PAGE: Final = 10
_PAGES: Final = 1_000
_WORDS_PER_PASSAGE: Final = 120
_VOCABULARY: Final = 30_000
_QUERIES: Final = 40
_ROWS_AT_ONCE: Final = 5_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", nargs="?", choices=("queries", "pages"))
    parser.add_argument("--postgres", action="store_true", help="queries on PostgreSQL alone")
    given = parser.parse_args()
    what = given.what
    if what != "queries":
        measure_pages()
    if what != "pages":
        if not given.postgres:
            with sqlite() as database:
                measure_queries("SQLite", database)
        with running_postgres() as server, server.fresh() as url, open_database(url) as database:
            measure_queries("PostgreSQL", database)


@contextmanager
def sqlite() -> Iterator[Database]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(f"sqlite:///{folder}/dive.db") as database,
    ):
        yield database


# --- queries --------------------------------------------------------------------------------------


def measure_queries(name: str, database: Database) -> None:
    site = fill(database)
    chosen = random.Random(3)
    queries = [
        "what is " + " ".join(f"word{int(chosen.paretovariate(0.3)) % 2_000:x}" for _ in range(4))
        for _ in range(_QUERIES)
    ]
    search(database, site, queries[0])  # loads the model and the vectors
    clocks = {"of time": time.perf_counter, "of this process's CPU": time.process_time}
    if database.engine.dialect.name == "postgresql":
        clocks["of the server's CPU"] = partial(server_cpu_seconds, database)
    spent: dict[str, list[float]] = {words: [] for words in clocks}
    for query in queries:
        started = {words: clock() for words, clock in clocks.items()}
        search(database, site, query)
        for words, clock in clocks.items():
            spent[words].append(clock() - started[words])
    sys.stdout.write(f"{name}: {_PASSAGES:,} passages, {len(queries)} queries\n")
    for words, seconds in spent.items():
        median, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20)[-1]
        sys.stdout.write(f"  median {median * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms {words}\n")


def server_cpu_seconds(database: Database) -> float:
    """What the server processes of this program's connections have used so far."""
    with database.reading() as connection:
        pids = connection.scalars(
            text("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'")
        ).all()
    # The first field: nanoseconds on a processor.
    spent = [Path(f"/proc/{pid}/schedstat").read_text(encoding="utf-8").split()[0] for pid in pids]
    return sum(map(int, spent)) / 1e9


def fill(database: Database) -> Site:
    """Store passages with vectors of the English model."""
    embedder = local_embedder("en")
    vectors = np.random.default_rng(1).normal(size=(_PASSAGES, embedder.dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    packed = pack_vectors(vectors.astype(np.float32))
    with database.writing() as connection:
        site_id = add_site(connection)
        ensure_word_index(connection)
        model = known_model(connection, embedder.name, embedder.dimensions)
        add_pages(connection, site_id, _PASSAGES // _PASSAGES_PER_PAGE)
        add_contents(connection, site_id)
        for start in range(0, _PASSAGES, _ROWS_AT_ONCE):
            block = range(start, min(start + _ROWS_AT_ONCE, _PASSAGES))
            put_vectors(connection, site_id, [(model.id, n + 1, packed[n]) for n in block])
        ensure_words_indexed(connection, ["en"])
        index_vectors(connection, model)
        if connection.dialect.name == "sqlite":
            connection.execute(text("INSERT INTO passage_search(passage_search) VALUES('rebuild')"))
            connection.execute(text("ANALYZE"))
    if database.engine.dialect.name == "postgresql":
        with database.writing() as connection:
            connection.execute(text("ANALYZE"))
    [site] = sites(database)
    return site


def add_site(connection: Connection) -> int:
    values = {
        "workspace_id": 1,
        "key": "b.example",
        "root_url": "https://b.example/",
        "seed": 1,
        "key_rules": {},
    }
    new = insert(t.sites).values(**values, created_at=datetime.now(UTC)).returning(t.sites.c.id)
    return int(connection.execute(new).scalar_one())


def add_pages(connection: Connection, site_id: int, number: int) -> None:
    rows = [
        {
            "id": page,
            "site_id": site_id,
            "document_id": 0,
            "seen_scan_id": 1,
            "first_scan_id": 1,
            "position": page,
            "source": "sitemap",
            "url": f"https://b.example/{page}",
        }
        for page in range(1, number + 1)
    ]
    connection.execute(insert(t.pages), rows)


def add_contents(connection: Connection, site_id: int) -> None:
    dive = add_dive(connection, site_id, {})
    texts: dict[str, Any] = {
        "author": "",
        "published": "",
        "language": "en",
        "reader": "",
        "format": "html",
    }
    contents = [
        {
            "page_id": page,
            "site_id": site_id,
            "dive_id": dive,
            "body_sha256": "",
            "title": f"Page {page}",
            "passages": _PASSAGES_PER_PAGE,
            **texts,
        }
        for page in range(1, _PASSAGES // _PASSAGES_PER_PAGE + 1)
    ]
    connection.execute(insert(t.page_contents), contents)
    numbers = np.random.default_rng(2).zipf(1.3, size=(_PASSAGES, _WORDS_PER_PASSAGE))
    rows = [
        {
            "id": number + 1,
            "site_id": site_id,
            "page_id": number // _PASSAGES_PER_PAGE + 1,
            "position": number % _PASSAGES_PER_PAGE,
            "headings": f"word{number % 97:x}",
            "text": " ".join(f"word{word:x}" for word in row),
            "tokens": _WORDS_PER_PASSAGE,
            "language": "en",
            "text_hash": f"{number:016x}",
            "is_repeated": False,
        }
        for number, row in enumerate(numbers % _VOCABULARY)
    ]
    connection.execute(insert(t.passages), rows)


# --- pages ----------------------------------------------------------------------------------------


def measure_pages() -> None:
    root = debian_package("postgresql-doc-15") / "usr/share/doc/postgresql-doc-15/html"
    paths = sorted(root.rglob("*.html"))[:_PAGES]
    with sqlite() as database:
        with database.writing() as connection:
            site_id = add_site(connection)
            add_pages(connection, site_id, len(paths))
            keep_bodies(connection, site_id, {n: p.read_bytes() for n, p in enumerate(paths, 1)})
        [site] = sites(database)
        first, counts = dive(database, site, len(paths))
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(
            f"{counts.read:,} pages, {counts.passages:,} passages, {counts.embedded:,} embedded:"
            f" {first:.0f} CPU s, {rss:.0f} MB RSS at most\n"
        )
        with database.writing() as connection:
            changed = {
                number: paths[number - 1].read_bytes().replace(b"<p>", b"<p>It has changed. ", 1)
                for number in range(1, len(paths), 100)
            }
            keep_bodies(connection, site_id, changed)
        second, counts = dive(database, site, len(paths))
        sys.stdout.write(
            f"again, 1 % changed: {counts.read:,} read, {counts.embedded:,} embedded:"
            f" {second:.1f} CPU s, {second / first:.1%} of the first\n"
        )


def keep_bodies(connection: Connection, site_id: int, bodies: Mapping[int, bytes]) -> None:
    """Store bodies of pages as a scan that visits them does."""
    now = datetime.now(UTC)
    scan = insert(t.scans).values(
        site_id=site_id,
        asked="b.example",
        root_url="https://b.example/",
        status="finished",
        settings={},
        started_at=now,
        heartbeat_at=now,
        hostname="",
        pid=0,
        process_token="",
    )
    scan_id = connection.execute(scan.returning(t.scans.c.id)).scalar_one()
    for page, body in bodies.items():
        packed, sha256 = pack_body(body), hashlib.sha256(body).hexdigest()
        blob = {"encoding": packed.encoding, "size": packed.size, "content": packed.content}
        connection.execute(insert(t.blobs).values(sha256=sha256, **blob))
        document = insert(t.documents).values(
            site_id=site_id,
            url=f"https://b.example/{page}?{scan_id}",
            kind="page",
            depth=0,
            found_by="sitemap",
            first_scan_id=scan_id,
            sha256=sha256,
        )
        number = connection.execute(document.returning(t.documents.c.id)).scalar_one()
        connection.execute(
            insert(t.visits).values(
                scan_id=scan_id,
                page_id=page,
                url=f"https://b.example/{page}",
                external_hops=0,
                outcome="read",
                document_id=number,
            )
        )


def dive(database: Database, site: Site, pages: int) -> tuple[float, DiveCounts]:
    """Read what has changed and embed it, as a dive does; give the CPU seconds and the counts."""
    started = time.process_time()
    counts = DiveCounts()
    with database.writing() as connection:
        number = add_dive(connection, site.id, {})
    with FileProcess() as files:
        PageReader(database, site, number, counts, files).read(range(1, pages + 1))
    read = time.process_time() - started
    embed_passages(database, site, local_embedder, counts)
    renew_topics(database, site)
    spent = time.process_time() - started
    sys.stdout.write(f"reading {read:.1f} CPU s, embedding {spent - read:.1f} CPU s\n")
    return spent, counts


if __name__ == "__main__":
    main()
