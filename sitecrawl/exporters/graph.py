"""The graph of links as GraphML, or its edges as CSV; written as it is read."""

from __future__ import annotations

import re
from html import escape
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.exporters.csv_rows import write_csv_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sitecrawl.store.queries.links import GraphEdge, GraphNode, LinkGraph

EDGE_COLUMNS: Final = ("from", "to", "source", "region", "anchor", "rel", "position")

_LINES_AT_ONCE: Final = 1_000
_NODE_KEYS: Final = {"url": "string", "title": "string", "clicks": "int", "http_status": "int"}
_EDGE_KEYS: Final = {
    "source": "string",
    "region": "string",
    "anchor": "string",
    "rel": "string",
    "position": "int",
}
_HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""
# No XML may hold these, not even as an escape.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


class GraphSize(NamedTuple):
    """What was written."""

    nodes: int
    edges: int


def write_graphml(graph: LinkGraph, file: IO[bytes]) -> GraphSize:
    """Write pages as nodes and links as directed edges between them."""
    file.write(_HEAD.encode())
    for kind, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, type_ in keys.items():
            key = f'<key id="{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'
            file.write(key.encode())
    file.write(b'<graph edgedefault="directed">\n')
    nodes = _write_lines(map(_node, graph.nodes()), file)
    edges = _write_lines(map(_edge, graph.edges()), file)
    file.write(b"</graph>\n</graphml>\n")
    return GraphSize(nodes, edges)


def write_edges(graph: LinkGraph, file: IO[bytes]) -> GraphSize:
    """Write one line per link, as CSV that a spreadsheet can open without running it."""
    rows = ((edge.from_url, edge.to_url, *edge[4:]) for edge in graph.edges())
    return GraphSize(0, write_csv_rows(EDGE_COLUMNS, rows, file))


def _write_lines(lines: Iterable[str], file: IO[bytes]) -> int:
    number = 0
    rest = iter(lines)
    while chunk := list(islice(rest, _LINES_AT_ONCE)):
        file.write("".join(chunk).encode())
        number += len(chunk)
    return number


def _node(node: GraphNode) -> str:
    data = "".join(_data(zip(_NODE_KEYS, node[1:], strict=True)))
    return f'<node id="n{node.number}">{data}</node>\n'


def _edge(edge: GraphEdge) -> str:
    data = "".join(_data(zip(_EDGE_KEYS, edge[4:], strict=True)))
    return f'<edge source="n{edge.from_number}" target="n{edge.to_number}">{data}</edge>\n'


def _data(facts: Iterable[tuple[str, Any]]) -> Iterator[str]:
    for name, value in facts:
        if value is not None:
            text = xml_text(value) if isinstance(value, str) else value
            yield f'<data key="{name}">{text}</data>'


def xml_text(text: str) -> str:
    """
    >>> xml_text("a < b & c \\x1b[31m")
    'a &lt; b &amp; c [31m'
    """
    return escape(text if text.isprintable() else _NOT_XML.sub("", text), quote=False)
