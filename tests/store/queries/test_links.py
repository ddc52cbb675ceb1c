"""The graph of links: which pages and links belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries.links import GraphFilter, MenuFact, reading_graph, site_menu
from tests.store.crawling import ROOT, Crawling, Link, address
from tests.store.scanning import current_scan, scan

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.links import GraphEdge, GraphNode
    from sitecrawl.store.queries.scans import Scan

_OFFSITE = ("offsite", "https://example.com/")


@pytest.fixture
def crawled(database: Database) -> Scan:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit(
        *("/", Link("/a", "A", "navigation"), Link("/a", "Again", "footer", rel="nofollow")),
        *("/old", Link("https://other.example/", "Other", refused=_OFFSITE)),
        Link("/cart", refused=("skipped_path", "/cart")),
        Link("https://partner.example/", "Partner"),
    )
    crawling.visit("/a", Link("/", "Home", "navigation"), Link("/a", "Itself"), title="Page A")
    crawling.redirect("/old", "/a")
    crawling.visit("https://partner.example/", "/a")
    crawling.list_in_sitemap("/alone", "/a")
    return crawling.end()


def graph(database: Database, scan: Scan, **wanted: Any) -> tuple[list[GraphNode], list[GraphEdge]]:
    with reading_graph(database, scan, GraphFilter(**wanted)) as links:
        return list(links.nodes()), list(links.edges())


def short(url: str) -> str:
    return url.removeprefix(ROOT.rstrip("/"))


def arrows(edges: list[GraphEdge]) -> list[str]:
    return sorted(f"{short(edge.from_url)} -> {short(edge.to_url)}" for edge in edges)


def test_nodes_are_the_listed_pages_of_the_site(database: Database, crawled: Scan) -> None:
    nodes, _ = graph(database, crawled)
    assert [(short(node.url), node.title, node.clicks, node.http_status) for node in nodes] == [
        ("/", None, 0, 200),
        ("/a", "Page A", 1, 200),
        ("/alone", None, None, None),
    ]


def test_edges_are_the_links_between_them(database: Database, crawled: Scan) -> None:
    nodes, edges = graph(database, crawled)
    assert arrows(edges) == ["/ -> /a", "/ -> /a", "/a -> /", "/a -> /a"]
    numbers = {node.url: node.number for node in nodes}
    for edge in edges:
        assert (numbers[edge.from_url], numbers[edge.to_url]) == (edge.from_number, edge.to_number)
    again = next(edge for edge in edges if edge.anchor == "Again")
    assert again[4:] == ("link", "footer", "Again", "nofollow", 2)


def test_links_of_one_region(database: Database, crawled: Scan) -> None:
    nodes, edges = graph(database, crawled, region="navigation")
    assert arrows(edges) == ["/ -> /a", "/a -> /"]
    assert len(nodes) == 3


@pytest.mark.parametrize(
    ("wanted", "more_nodes", "more_edges"),
    [
        (
            {"include_refused": True},
            ["/cart", "/old"],
            ["/ -> /cart", "/ -> /old", "/old -> /a"],
        ),
        (
            {"include_external": True},
            ["https://other.example/", "https://partner.example/"],
            [
                "/ -> https://other.example/",
                "/ -> https://partner.example/",
                "https://partner.example/ -> /a",
            ],
        ),
    ],
)
def test_more_when_asked_for(
    database: Database,
    crawled: Scan,
    wanted: dict[str, bool],
    more_nodes: list[str],
    more_edges: list[str],
) -> None:
    usual_nodes, usual_edges = graph(database, crawled)
    nodes, edges = graph(database, crawled, **wanted)
    assert sorted(short(node.url) for node in set(nodes) - set(usual_nodes)) == more_nodes
    assert sorted(set(arrows(edges)) - set(arrows(usual_edges))) == sorted(more_edges)
    everything = graph(database, crawled, include_refused=True, include_external=True)
    assert set(nodes) <= set(everything[0])
    assert set(edges) <= set(everything[1])


def test_every_end_of_an_edge_is_a_node(database: Database, crawled: Scan) -> None:
    for refused in (False, True):
        for external in (False, True):
            nodes, edges = graph(
                database, crawled, include_refused=refused, include_external=external
            )
            numbers = [node.number for node in nodes]
            assert len(set(numbers)) == len(numbers)
            assert {edge.from_number for edge in edges} <= set(numbers)
            assert {edge.to_number for edge in edges} <= set(numbers)


def test_links_that_are_gone_are_not_in_it(database: Database) -> None:
    for links in (["/a", "/b"], ["/a"]):
        crawling = Crawling(database)
        crawling.start()
        crawling.visit("/", *links)
        scan = crawling.end()
    nodes, edges = graph(database, scan)
    assert arrows(edges) == ["/ -> /a"]
    assert [short(node.url) for node in nodes] == ["/", "/a"]


def test_a_page_that_was_fetched_twice_is_one_node(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    document_id = crawling.visit("/", "/a")
    crawling.fetched(document_id, FetchOutcome.OK, status=200)
    nodes, edges = graph(database, crawling.end())
    assert [short(node.url) for node in nodes] == ["/", "/a"]
    assert arrows(edges) == ["/ -> /a"]


def test_the_menu_keeps_its_order_and_nesting(database: Database) -> None:
    crawling = Crawling(database)
    crawling.start()
    login = Link("/login", "Login", refused=("skipped_path", "/login"))
    crawling.visit("/", "/shop", "/shop/shoes", login)
    crawling.menu((0, "Shop", "/shop"), (1, "Shoes", "/shop/shoes"), (0, "Login", "/login"))
    assert site_menu(database, crawling.end()) == [
        MenuFact(0, "Shop", address("/shop"), "navigation", None),
        MenuFact(1, "Shoes", address("/shop/shoes"), "navigation", None),
        MenuFact(0, "Login", address("/login"), "navigation", "skipped_path"),
    ]


def test_a_scan_without_a_menu_has_none(database: Database) -> None:
    scan(database, {"https://example.com/a.xml": [ROOT]})
    assert site_menu(database, current_scan(database)) == []
