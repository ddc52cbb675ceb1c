"""The tables of visits: pages to be visited, what they answered, and what they said of themselves.

What a page answered and said of itself when a scan visited it, by a crawl or by a check, stands
under ``(scan_id, page_id)``. A visit that is still to be made has no ``outcome``.

- last visit: ``visits``, the greatest ``scan_id`` of the ``page_id`` with an ``outcome``;
  ``checked_for`` says that it was a check, and why;
- outcome: ``visits.outcome`` (``ok``, ``not_modified``, ``redirected``, ``not_found``, ...), and
  why it is no page after all: ``visits.reason``;
- status, error, time: ``fetches.status``, ``error``, ``fetched_at`` of the visit's ``document_id``
  and ``scan_id``; the last one, if there are two. A 304 has the status of what still holds;
- redirect target: ``visits.redirect_target``, if it is another page; redirects within the page
  (https, a slash) are followed, to ``fetches.final_url``;
- title, canonical: ``visits.title``, ``visits.canonical`` (absolute once the scan has ended);
- main text: ``visits.text_hash``; the newest text itself in ``page_texts``. Titles and texts of two
  visits can be compared if ``visits.rendered`` is the same;
- h1, description: ``page_facts.h1``, ``page_facts.description``;
- robots: ``page_facts.robots_meta``, ``page_facts.robots_header``; both together, of files as well,
  in ``fetches.directives``;
- indexability: ``page_facts.is_indexable``;
- hreflang: ``page_facts.alternates_hash``; the set in ``page_alternates``, under the scan
  ``page_facts.read_scan_id``.

A visit that answers 304 repeats what the visit that read the page has: its own row of ``visits``
has title, canonical and text hash, and its row of ``page_facts`` is copied when the scan ends. A
page that was not read as HTML (an error, a redirect, a file) has no row of ``page_facts``.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from sitecrawl.store.schema.types import RowNumber, metadata

# The frontier of each crawl and the pages that a scan checks; once a page was visited, what it said
# of itself.
visits = Table(
    "visits",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("scan_id", BigInteger, nullable=False),
    Column("page_id", BigInteger, nullable=False),
    # The order of visits; NULL while the page is held because its pattern has had its share.
    Column("number", Integer),
    Column("family", Text),
    Column("url", Text, nullable=False),
    # NULL: of a check, whose page no crawl has come to.
    Column("clicks", Integer),
    Column("external_hops", Integer, nullable=False),
    # The visit that found it, back to where the crawl started (NULL); 0: a sitemap did.
    Column("found_by", Integer),
    # JSON text: the chain of redirects that led here.
    Column("redirected_from", Text),
    # How the visit ended; NULL: it is still to be made.
    Column("outcome", String(20)),
    Column("document_id", BigInteger),
    Column("is_productive", Boolean),
    # Why the page does not count after all.
    Column("reason", Text),
    Column("rule", Text),
    Column("title", Text),
    Column("language", Text),
    Column("canonical", Text),
    Column("category", Text),
    # Of the main text: equal for texts that differ in white space only.
    Column("text_hash", String(16)),
    # Simhash of the words of the whole page, without digits: pages of a trap differ in few bits.
    Column("fingerprint", BigInteger),
    # The first page of the crawl with the same text.
    Column("duplicate_of", BigInteger),
    # How its rendering went, and how many pages are known only for that; NULL: not rendered.
    Column("rendered", String(20)),
    Column("only_rendered", Integer),
    # Where the page redirects to, if that is another page; absolute.
    Column("redirect_target", Text),
    # Why it is checked: missing, rotation; NULL: the crawl visits it.
    Column("checked_for", String(20)),
    # Of a scan with fetchers: the host, or the share of a host, that the page belongs to.
    Column("queue", Text),
    Index("uq_visits_scan_id_number", "scan_id", "number", unique=True),
    Index("ix_visits_page_id_scan_id", "page_id", "scan_id"),
)

# What an audit asks of the pages that a scan has visited and read as HTML.
page_facts = Table(
    "page_facts",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    # The scan whose visit read the page: an earlier one if it has not changed since.
    Column("read_scan_id", BigInteger, nullable=False),
    Column("elapsed_ms", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("is_noindex", Boolean, nullable=False),
    Column("is_nofollow", Boolean, nullable=False),
    # The page that it names as canonical, which may be itself.
    Column("canonical_id", BigInteger),
    Column("description", Text),
    Column("h1", Text),
    Column("h1_count", Integer, nullable=False),
    Column("images", Integer, nullable=False),
    Column("images_without_alt", Integer, nullable=False),
    # Loaded by http on a page with https.
    Column("insecure_resources", Integer, nullable=False),
    Column("insecure_example", Text),
    # The first value of hreflang that is no language tag.
    Column("bad_hreflang", Text),
    # What it says to robots, in its order: "noindex, nofollow"; NULL: nothing.
    Column("robots_meta", Text),
    Column("robots_header", Text),
    # Equal for equal sets of versions in other languages; NULL: it names none.
    Column("alternates_hash", String(16)),
    # It does not say noindex, and names no other page as canonical.
    Column("is_indexable", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# Versions of visited pages in other languages, as the pages name them (hreflang).
page_alternates = Table(
    "page_alternates",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("alternate_id", BigInteger, primary_key=True, autoincrement=False),
    Column("language", Text, nullable=False),
    sqlite_with_rowid=False,
)

menu_entries = Table(
    "menu_entries",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("level", Integer, nullable=False),
    Column("page_id", BigInteger, nullable=False),
    Column("title", Text, nullable=False),
    Column("region", Text, nullable=False),
    sqlite_with_rowid=False,
)

# What classification needs of few pages: links to it, what it says of itself, how its text reads.
page_signals = Table(
    "page_signals",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("inlinks", Integer),
    *(Column(f"{name}_language", Text) for name in ("own", "text")),
    *(Column(name, Text) for name in ("declared_type", "link_region")),
    sqlite_with_rowid=False,
)

# The main text of visited pages, to compare them: of each page the newest.
page_texts = Table(
    "page_texts",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("text_hash", String(16), nullable=False),
    # UTF-8, compressed with zlib.
    Column("content", LargeBinary, nullable=False),
)

# As text: see ``INVENTORY_INDEXES``.
VISIT_INDEXES = {
    "ix_visits_scan_id_family": (
        "CREATE INDEX ix_visits_scan_id_family ON visits (scan_id, family) WHERE family IS NOT NULL"
    ),
    # What a fetcher looks for.
    "ix_visits_scan_id_queue_number": (
        "CREATE INDEX ix_visits_scan_id_queue_number ON visits (scan_id, queue, number)"
        " WHERE queue IS NOT NULL AND outcome IS NULL"
    ),
}
