"""The graph of links in its two formats."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sitecrawl.exporters.graph import EDGE_COLUMNS, GraphSize, write_edges, write_graphml, xml_text
from sitecrawl.store.queries.links import GraphEdge, GraphNode, LinkGraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
_HOSTILE = "a\x00\x1b]0;\x9b\ufffe\uffff<&>\"']]>é \U0001f600"
NODES = [
    GraphNode(1, "https://example.com/", "Home", 0, 200),
    GraphNode(7, "https://example.com/?a=1&b=<2>", None, None, None),
]
EDGES = [
    GraphEdge(1, NODES[0].url, 7, NODES[1].url, "link", "navigation", "A & B", "nofollow", 3),
    GraphEdge(7, NODES[1].url, 1, NODES[0].url, "canonical", None, None, None, 1),
]


class FixedGraph(LinkGraph):
    """A graph as the store gives it."""

    def __init__(self, nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> None:
        self._nodes, self._edges = nodes, edges

    def nodes(self) -> Iterator[GraphNode]:
        return iter(self._nodes)

    def edges(self) -> Iterator[GraphEdge]:
        return iter(self._edges)


def graphml(nodes: Sequence[GraphNode], edges: Sequence[GraphEdge]) -> ET.Element:
    file = io.BytesIO()
    size = write_graphml(FixedGraph(nodes, edges), file)
    assert size == GraphSize(len(nodes), len(edges))
    return ET.fromstring(file.getvalue())


def lines(edges: Sequence[GraphEdge]) -> list[dict[str, str]]:
    file = io.BytesIO()
    assert write_edges(FixedGraph([], edges), file).edges == len(edges)
    assert not file.closed
    return list(csv.DictReader(io.StringIO(file.getvalue().decode(), newline="")))


def data(element: ET.Element) -> dict[str, str | None]:
    return {each.attrib["key"]: each.text for each in element}


# --- GraphML ------------------------------------------------------------------------------------


def test_pages_are_nodes_and_links_are_directed_edges() -> None:
    root = graphml(NODES, EDGES)
    [graph] = root.iter(f"{_NAMESPACE}graph")
    assert graph.attrib["edgedefault"] == "directed"
    home, other = graph.iter(f"{_NAMESPACE}node")
    assert (home.attrib["id"], other.attrib["id"]) == ("n1", "n7")
    assert data(home) == {"url": NODES[0].url, "title": "Home", "clicks": "0", "http_status": "200"}
    assert data(other) == {"url": NODES[1].url}
    there, back = graph.iter(f"{_NAMESPACE}edge")
    assert (there.attrib, back.attrib) == (
        {"source": "n1", "target": "n7"},
        {"source": "n7", "target": "n1"},
    )
    assert data(there) == {
        "source": "link",
        "region": "navigation",
        "anchor": "A & B",
        "rel": "nofollow",
        "position": "3",
    }


def test_every_key_is_declared_with_its_type() -> None:
    root = graphml(NODES, EDGES)
    keys = {each.attrib["id"]: each.attrib for each in root.iter(f"{_NAMESPACE}key")}
    used = {each.attrib["key"] for each in root.iter(f"{_NAMESPACE}data")}
    assert used == keys.keys()
    numbers = {name for name, key in keys.items() if key["attr.type"] == "int"}
    assert numbers == {"clicks", "http_status", "position"}
    assert {name for name, key in keys.items() if key["for"] == "node"} == {
        *("url", "title", "clicks", "http_status"),
    }


def test_a_site_without_pages_is_a_graph_all_the_same() -> None:
    assert [each.tag for each in graphml([], []).iter(f"{_NAMESPACE}graph")] == [
        f"{_NAMESPACE}graph"
    ]


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cs"])))
@example(_HOSTILE)
@example("\r\n\t")
def test_any_text_is_valid_xml(text: str) -> None:
    node = GraphNode(1, "https://example.com/", text, None, None)
    edge = GraphEdge(1, node.url, 1, node.url, "link", None, text, text, 1)
    root = graphml([node], [edge])
    [read] = root.iter(f"{_NAMESPACE}node")
    told = data(read)["title"] or ""
    assert set(told) <= set(text)
    assert [char for char in text if char.isprintable()] == [
        char for char in told if char.isprintable()
    ]


def test_what_no_xml_can_hold_is_left_out() -> None:
    assert xml_text(_HOSTILE) == "a]0;&lt;&amp;&gt;\"']]&gt;é \U0001f600"


def test_nothing_is_kept_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitecrawl.exporters.graph._LINES_AT_ONCE", 10)
    file = io.BytesIO()
    written: list[int] = []

    class Growing(FixedGraph):
        def edges(self) -> Iterator[GraphEdge]:
            for _ in range(35):
                written.append(file.tell())
                yield EDGES[0]

    write_graphml(Growing(NODES, []), file)
    assert len(set(written)) == 4


# --- CSV ----------------------------------------------------------------------------------------


def test_a_line_is_a_link() -> None:
    first, second = lines(EDGES)
    assert tuple(first) == EDGE_COLUMNS
    assert first == {
        "from": NODES[0].url,
        "to": NODES[1].url,
        "source": "link",
        "region": "navigation",
        "anchor": "A & B",
        "rel": "nofollow",
        "position": "3",
    }
    assert (second["region"], second["anchor"], second["position"]) == ("", "", "1")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_an_anchor_is_no_formula(text: str) -> None:
    [line] = lines([EDGES[0]._replace(anchor=text, to_url=text)])
    assert (line["anchor"], line["to"]) == (f"'{text}", f"'{text}")
