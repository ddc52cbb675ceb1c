"""What is learned of a site is stored, read again, and the same however it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select, update

from sitecrawl.classify.pages import ClusterKind
from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries import classification
from sitecrawl.store.queries.classification import (
    StoredClass,
    explain_page,
    read_clusters,
    read_model,
    stored_classes,
)
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.schema import classes as classes_table
from sitecrawl.store.schema import classifications, clusters, page_classes, page_signals
from sitecrawl.store.writers import classes as writing_classes
from tests.store.crawling import Crawling, Link
from tests.store.scanning import SITE, UNCHANGED, Scanning, page_id, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

A = "https://example.com/a.xml"
PAGES = [
    "https://example.com/",
    *(f"https://example.com/blog/post-number-{n}" for n in range(6)),
    *(f"https://example.com/{code}/shop/thing-{n}" for n in range(3) for code in ("de", "en")),
    "https://example.com/login",
]


def newest(database: Database) -> Scan:
    site = site_for(database, SITE)
    assert site is not None
    found = latest_scan(database, site.id)
    assert found is not None
    return found


def classes(database: Database) -> dict[str, StoredClass]:
    of_scan = newest(database)
    known = stored_classes(database, of_scan)
    return {
        url: known[class_id]
        for rows in page_rows(database, of_scan, PageFilter(), ["url", "class_id"])
        for url, class_id in rows
    }


def stored(database: Database) -> tuple[Any, list[Any]]:
    with database.reading() as connection:
        model = connection.scalars(select(classifications.c.model)).one()
        return model, read_clusters(connection, newest(database).site_id)


@pytest.fixture
def crawling(database: Database) -> Crawling:
    crawling = Crawling(database)
    crawling.start()
    return crawling


def test_a_scan_leaves_clusters(database: Database) -> None:
    scan(database, {A: PAGES})
    with database.reading() as connection:
        site_id = newest(database).site_id
        found = {each.key: each for each in read_clusters(connection, site_id)}
        model = read_model(connection, site_id)
    assert set(found) >= {"/blog", "/blog/{slug}", "/{lang}/shop", "lang:de", "type:article"}
    blog = found["/blog/{slug}"]
    assert (blog.kind, blog.parent, blog.pages) == (ClusterKind.PATTERN, "/blog", 6)
    assert set(blog.sample) <= set(PAGES)
    assert model is not None
    assert model.cluster_keys == found.keys()
    assert model.is_whole


def test_pages_are_classified_by_what_is_stored(database: Database) -> None:
    scan(database, {A: PAGES})
    found = classes(database)
    assert found["https://example.com/de/shop/thing-0"].language == "de"
    assert found["https://example.com/login"].page_type == "login"
    assert "/blog/{slug}" in found["https://example.com/blog/post-number-1"].clusters


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (PageFilter(category="utility"), ["https://example.com/login"]),
        (PageFilter(page_type="home"), ["https://example.com/"]),
        (PageFilter(language="de"), [url for url in PAGES if "/de/" in url]),
        (PageFilter(cluster="/blog"), [url for url in PAGES if "/blog/" in url]),
        (PageFilter(cluster="/blog", language="de"), []),
        (PageFilter(page_type="product", contains="-2"), [url for url in PAGES if "g-2" in url]),
    ],
    ids=["category", "type", "language", "cluster", "both", "with-others"],
)
def test_pages_are_filtered_by_class(
    database: Database, wanted: PageFilter, expected: list[str]
) -> None:
    scan(database, {A: PAGES})
    found = page_rows(database, newest(database), wanted, ["url"])
    assert [url for rows in found for (url,) in rows] == expected


def test_a_second_scan_of_the_same_site_gives_the_same(database: Database) -> None:
    scan(database, {A: PAGES})
    before = stored(database)
    scan(database, {A: UNCHANGED})
    assert stored(database) == before
    scan(database, {A: list(reversed(PAGES))})
    assert stored(database) == before


def test_what_has_changed_is_learned_again(database: Database) -> None:
    scan(database, {A: PAGES})
    scan(database, {A: [url for url in PAGES if "/blog/" not in url]})
    with database.reading() as connection:
        keys = {each.key for each in read_clusters(connection, newest(database).site_id)}
    assert "/{lang}/shop" in keys
    assert "/blog" not in keys


def test_a_large_inventory_that_has_not_changed_is_not_learned_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing_classes, "_FEW_PAGES", 0)
    learned: list[int] = []
    learn = classification.learn_inventory

    def noted(of: Database, of_scan: Scan) -> Any:
        learned.append(of_scan.id)
        return learn(of, of_scan)

    monkeypatch.setattr(writing_classes, "learn_inventory", noted)
    scan(database, {A: PAGES})
    scan(database, {A: UNCHANGED})
    assert learned == [1]
    scan(database, {A: PAGES})  # read anew: nobody knows what has changed
    assert learned == [1, 3]
    scan(database, {"https://example.com/b.xml": PAGES})  # the other one is gone
    assert learned == [1, 3, 4]


@pytest.mark.parametrize(
    ("root", "page", "missing", "is_learned_again"),
    [
        ("same", FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND, False),
        ("other", FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND, True),
        ("same", FetchOutcome.OK, FetchOutcome.NOT_FOUND, True),
        ("same", FetchOutcome.NOT_MODIFIED, FetchOutcome.OK, True),
        ("same", FetchOutcome.NOT_MODIFIED, None, True),
    ],
    ids=["unchanged", "another root", "a page was read", "an error is gone", "one not visited"],
)
def test_a_large_crawl_that_found_the_same_is_not_learned_again(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    root: str,
    page: FetchOutcome,
    missing: FetchOutcome | None,
    is_learned_again: bool,
) -> None:
    monkeypatch.setattr(writing_classes, "_FEW_PAGES", 0)

    def crawl(root: str, page: FetchOutcome, missing: FetchOutcome | None) -> None:
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", "/a", "/b", fetch={"sha256": root})
        is_read = page is FetchOutcome.OK
        crawling.visit("/a", outcome=page, fetch={"complete": is_read})
        if missing is not None:
            crawling.visit("/b", outcome=missing, fetch={"complete": False})
        crawling.end()

    crawl("same", FetchOutcome.OK, FetchOutcome.NOT_FOUND)
    crawl(root, page, missing)
    with database.reading() as connection:
        learned_in = connection.scalar(select(classifications.c.scan_id))
    assert learned_in == (2 if is_learned_again else 1)


def test_a_large_inventory_is_learned_from_a_part_of_it(
    database: Database, crawling: Crawling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classification, "SAMPLE_ROWS", 20)
    many = [f"/things/thing-number-{n}" for n in range(200)]
    crawling.visit("/", "/things/thing-number-0", *(f"/menu-{n}" for n in range(3)))
    crawling.visit("/things/thing-number-0", *many[1:], title="x", declared_type="product")
    crawling.end()
    with database.reading() as connection:
        model = read_model(connection, newest(database).site_id)
        found = {each.key: each for each in read_clusters(connection, newest(database).site_id)}
    assert model is not None
    assert not model.is_whole
    # One of eight was seen, and each stands for eight.
    assert found["/things/{slug}"].pages % 8 == 0
    # What few pages say, and how much others are linked, counts wherever they are.
    assert model.scale.most_inlinks > 0
    assert {each.page_type for url, each in classes(database).items() if "/thing-" in url} == {
        "product"
    }


def test_a_menu_counts_also_where_none_of_its_pages_is_in_the_sample(
    database: Database, crawling: Crawling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classification, "SAMPLE_ROWS", 1)
    crawling.visit("/", "/about", *(f"/things/thing-number-{n}" for n in range(60)))
    crawling.menu((1, "About", "/about"))
    crawling.end()
    with database.reading() as connection:
        model = read_model(connection, newest(database).site_id)
    assert model is not None
    assert model.scale.has_menu


def test_a_model_of_another_version_is_learned_again(database: Database) -> None:
    scan(database, {A: PAGES})
    before = classes(database)
    with database.writing() as connection:
        connection.execute(update(classifications).values(model={"version": -1}))
    with database.reading() as connection:
        assert read_model(connection, newest(database).site_id) is None
    assert classes(database) == before
    explained = explain_page(database, newest(database), page_id(PAGES[1]))
    assert explained is not None
    assert explained.page_class.clusters == before[PAGES[1]].clusters


def test_pages_of_a_scan_that_has_not_ended_have_classes(database: Database) -> None:
    scanning = Scanning(database)
    scanning.fetched(scanning.list_pages(A, PAGES))
    scanning.writer.commit()
    found = classes(database)
    assert found["https://example.com/login"].page_type == "login"
    rows = page_rows(database, newest(database), PageFilter(cluster="/blog"), ["url"])
    assert [url for part in rows for (url,) in part] == [url for url in PAGES if "/blog/" in url]
    with database.reading() as connection:
        assert connection.execute(select(page_classes)).all() == []
    # The stored ones are the same when the scan comes to its end.
    scanning.finish()
    assert classes(database) == found


def test_pages_that_are_alike_share_a_class(database: Database) -> None:
    scan(database, {A: PAGES})
    with database.reading() as connection:
        rows = connection.execute(select(page_classes.c.class_id)).scalars().all()
        kept = connection.execute(select(classes_table.c.id)).scalars().all()
    assert len(rows) == len(PAGES)
    assert set(rows) == set(kept)
    assert len(kept) < len(PAGES) / 2
    again = dict(classes(database))
    scan(database, {A: PAGES[:-1]})  # nothing is left of the classes before
    assert classes(database).items() <= again.items()


def test_more_classes_than_are_remembered(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan(database, {A: PAGES})
    expected = classes(database)
    monkeypatch.setattr(writing_classes, "_MAX_KNOWN", 1)
    scan(database, {A: PAGES})
    assert classes(database) == expected


def test_sites_do_not_mix(database: Database) -> None:
    scan(database, {A: PAGES})
    before = stored(database)[1]
    other = [url.replace("example.com", "other.example") for url in PAGES[:4]]
    scan(database, {"https://other.example/a.xml": other}, site="other.example")
    with database.reading() as connection:
        assert read_clusters(connection, newest(database).site_id) == before
        assert len(set(connection.scalars(select(clusters.c.site_id)))) == 2


def test_the_pages_of_another_site_do_not_make_one_large(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classification, "SAMPLE_ROWS", 20)
    many = [f"https://other.example/things/{n}" for n in range(100)]
    scan(database, {"https://other.example/a.xml": many}, site="other.example")
    scan(database, {A: PAGES})
    other = site_for(database, "other.example")
    assert other is not None
    with database.reading() as connection:
        models = [read_model(connection, id_) for id_ in (other.id, newest(database).site_id)]
    assert [model and model.is_whole for model in models] == [False, True]


def test_why_explains_a_page(database: Database) -> None:
    scan(database, {A: PAGES})
    explained = explain_page(database, newest(database), page_id(PAGES[1]))
    assert explained is not None
    assert explained.page_class.page_type == "article"
    assert [part.name for part in explained.parts] == ["category", "depth"]
    assert [cluster.key for cluster in explained.clusters][:2] == ["/blog", "/blog/{slug}"]
    assert explain_page(database, newest(database), 4711) is None


# --- signals --------------------------------------------------------------------------------------


def signals(database: Database, *names: str) -> dict[str, tuple[Any, ...]]:
    found = page_rows(database, newest(database), PageFilter(), ["url", *names])
    return {
        url.removeprefix("https://example.com"): tuple(said)
        for rows in found
        for url, *said in rows
    }


def test_links_are_counted_once_per_page_with_their_best_region(
    database: Database, crawling: Crawling
) -> None:
    twice = (Link("/a", region="footer"), Link("/a", region="navigation"))
    crawling.visit("/", *twice, Link("/b", region="footer"))
    crawling.visit("/a", Link("/b", region="aside"), "/a")
    crawling.visit("/b")
    crawling.end()
    found = signals(database, "inlinks", "link_region")
    assert found["/a"] == (2, "navigation")
    assert found["/b"] == (2, "aside")


def test_one_visited_page_counts_no_links(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a")
    crawling.end()
    assert signals(database, "inlinks")["/a"] == (None,)


def test_what_pages_say_of_themselves_is_kept(database: Database, crawling: Crawling) -> None:
    crawling.visit("/", "/a", language="en", declared_type="listing")
    crawling.visit("/a", text_language="de")
    crawling.end()
    names = ("own_language", "text_language", "declared_type")
    found = signals(database, *names)
    assert found["/"] == ("en", None, "listing")
    assert found["/a"] == (None, "de", None)
    assert classes(database)["https://example.com/a"].language == "de"
    again = Crawling(database)
    again.start()
    again.visit("/", "/a", language="fr")
    again.visit("/a", text_language="de")
    again.end()
    assert signals(database, *names)["/"] == ("fr", None, None)


def test_pages_without_signals_are_there_as_well(database: Database) -> None:
    scan(database, {A: PAGES})
    with database.reading() as connection:
        assert connection.execute(select(page_signals)).all() == []
    assert len(classes(database)) == len(PAGES)
