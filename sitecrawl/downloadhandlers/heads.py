"""The heads of plain requests and answers: almost all there are, each handled in one piece.

Whatever is not plain gives None, and is left to Twisted, which knows every kind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Without parameters behind ";" and without an empty query: Twisted rewrites those.
_URL = re.compile(
    r"(https?)://([a-z0-9.-]+)(?::([1-9][0-9]{0,4}))?"
    r'(/[!"$-:<->@-~]*(?:\?[!"$-~]+)?)(?:#.*)?',
    re.DOTALL,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_USUAL_HEADERS = {
    b"Accept",
    b"Accept-Encoding",
    b"Accept-Language",
    b"If-Modified-Since",
    b"If-None-Match",
    b"User-Agent",
}
_ANSWER = re.compile(
    rb"HTTP/1\.1 ([2-5][0-9][0-9])(?: [^\r\n]*)?\r\n"
    rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*)\r\n"
)
_WITHOUT_BODY = {204, 304}
# These speak of the connection, not of the document.
_OF_THE_CONNECTION = (b"Keep-Alive", b"Te", b"Trailers", b"Upgrade", b"Proxy-Connection")
_MAX_LENGTH_DIGITS = 15


class PlainRequest(NamedTuple):
    """A GET request as it goes over the wire, and the server that it goes to."""

    url: str
    scheme: bytes
    host: bytes
    port: int
    head: bytes


class PlainAnswer(NamedTuple):
    """The head of an answer that has a body."""

    status: int
    headers: dict[bytes, list[bytes]]
    length: int | None
    """Of the body; None: it comes in chunks."""
    keeps_connection: bool


def plain_request(url: str, headers: Mapping[bytes, Sequence[bytes]]) -> PlainRequest | None:
    """
    >>> plain_request("http://example.com/a?b=1#c", {b"Accept": [b"text/html"]}).head
    b'GET /a?b=1 HTTP/1.1\\r\\nAccept: text/html\\r\\nHost: example.com\\r\\n\\r\\n'
    >>> plain_request("http://example.com/", {b"Cookie": [b"a=b"]}) is None
    True
    """
    address = _URL.fullmatch(url)
    if address is None or not _USUAL_HEADERS.issuperset(headers):
        return None
    scheme, host, given_port, target = address.groups()
    usual_port = _DEFAULT_PORTS[scheme]
    port = int(given_port or usual_port)
    lines = [b"%b: %b\r\n" % (name, value) for name, values in headers.items() for value in values]
    fields = b"".join(lines)
    if not fields.count(b"\r") == fields.count(b"\n") == len(lines):
        return None  # a value would end its line
    name = host if port == usual_port else f"{host}:{port}"
    head = f"GET {target} HTTP/1.1\r\n".encode() + fields + f"Host: {name}\r\n\r\n".encode()
    return PlainRequest(url.partition("#")[0], scheme.encode(), host.encode(), port, head)


def plain_answer(head: bytes) -> PlainAnswer | None:
    r"""What the head of an answer, up to the empty line, says; None if it is not plain.

    >>> answer = plain_answer(b"HTTP/1.1 200 OK\r\nserver: x\r\ncontent-length: 7\r\n\r\n")
    >>> answer.headers
    {b'Content-Length': [b'7'], b'Server': [b'x']}
    >>> plain_answer(b"HTTP/1.0 200 OK\r\n\r\n") is None
    True
    """
    parts = _ANSWER.fullmatch(head)
    if parts is None or (status := int(parts[1])) in _WITHOUT_BODY:
        return None
    headers: dict[bytes, list[bytes]] = {}
    for line in parts[2].split(b"\r\n")[:-1]:
        name, _, value = line.partition(b":")
        headers.setdefault(name.title(), []).append(value.strip())
    lengths = headers.pop(b"Content-Length", [])
    encodings = headers.pop(b"Transfer-Encoding", [])
    connection = headers.pop(b"Connection", [])
    for name in _OF_THE_CONNECTION:
        headers.pop(name, None)
    length = None
    if not encodings:
        length = _length(lengths)
        if not length:
            return None
        headers = {b"Content-Length": [b"%d" % length], **headers}
    elif lengths or [name.lower() for name in encodings] != [b"chunked"]:
        return None
    return PlainAnswer(status, headers, length, keeps_connection=b"close" not in connection)


def _length(values: list[bytes]) -> int:
    """0: there is none, or more than one."""
    if len(values) != 1 or not values[0].isdigit() or len(values[0]) > _MAX_LENGTH_DIGITS:
        return 0
    return int(values[0])
