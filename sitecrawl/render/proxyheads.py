"""The heads of HTTP messages as the guarded proxy takes and sends them; pure.

* A request is read strictly: a browser sends it, and whatever two readers could understand in
  two ways is refused.
* An answer is read as browsers read it: a server sends it, and old ones write what they like.
* One request per connection: both sides are told to close, so nothing can follow that another
  would take for the next message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from ada_url import URL

from sitecrawl.safety.policy import Endpoint, endpoint_of

_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}) ([!-~]{1,32768}) HTTP/1\.[01]")
_FIELD_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}")
_NOT_IN_VALUES = re.compile(r"[\0\r\n]")
_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/?#@\[\]\\]{1,255}):[0-9]{1,5}")
_LENGTH = re.compile(r"[0-9]{1,15}")
_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: [^\r\n]*)?")
_LINE_END = re.compile(rb"\r?\n")
_HEAD_END = "\r\n\r\n"
_CREDENTIAL = "proxy-authorization"
# They concern one connection and not the message, or only the proxy, or ask for other framing.
_OF_THE_CONNECTION = frozenset(
    {
        *("connection", "proxy-connection", "keep-alive", _CREDENTIAL, "proxy-authenticate"),
        *("te", "trailer", "upgrade", "expect", "host", "http2-settings"),
    }
)
_OF_AN_ANSWER = (b"connection:", b"proxy-connection:", b"keep-alive:", b"proxy-authenticate:")
_LAST_INFORMATIONAL = 199
_PROXY_AUTHENTICATION_REQUIRED = 407


class BadHeadError(ValueError):
    """A head that is not what it should be."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """What a browser asks of its proxy."""

    is_tunnel: bool
    endpoint: Endpoint
    credential: str
    body_bytes: int
    head: bytes
    """For the server; nothing for a tunnel."""


class Answer(NamedTuple):
    status: int
    head: bytes
    """For the browser."""

    @property
    def is_final(self) -> bool:
        return self.status > _LAST_INFORMATIONAL


def parse_request(head: bytes) -> ProxyRequest:
    """Read a request in the forms that are meant for proxies; BadHeadError says what is wrong.

    >>> parse_request(b"CONNECT example.com:443 HTTP/1.1\\r\\n\\r\\n").endpoint
    Endpoint(host='example.com', port=443)
    >>> parse_request(b"GET http://example.com/a?b HTTP/1.1\\r\\nTE: x\\r\\n\\r\\n").head
    b'GET /a?b HTTP/1.1\\r\\nHost: example.com\\r\\nConnection: close\\r\\n\\r\\n'
    """
    text = head.decode("latin-1")
    if not text.endswith(_HEAD_END):
        raise BadHeadError("no end of the head")
    first, *lines = text.removesuffix(_HEAD_END).split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    if line is None:
        raise BadHeadError("no request line")
    method, target = line[1], line[2]
    fields = [_parse_field(each) for each in lines]
    credential = next((value for name, value in fields if name.lower() == _CREDENTIAL), "")
    if method == "CONNECT":
        return ProxyRequest(True, _tunnel_endpoint(target), credential, 0, b"")
    url = _plain_url(target)
    written = [
        f"{method} {url.href.removeprefix(url.origin)} HTTP/1.1",
        f"Host: {url.host}",
        *(f"{name}: {value}" for name, value in _end_to_end(fields)),
        "Connection: close" + _HEAD_END,
    ]
    sent = "\r\n".join(written).encode("latin-1")
    return ProxyRequest(False, endpoint_of(url.href), credential, _body_bytes(fields), sent)


def parse_answer(head: bytes) -> Answer:
    first, *lines = _LINE_END.split(head.rstrip(b"\r\n"))
    status = _STATUS_LINE.fullmatch(first)
    if status is None:
        raise BadHeadError("no status line")
    code = int(status[1])
    if code == _PROXY_AUTHENTICATION_REQUIRED:
        # Only a proxy may say that: the browser would take it for ours.
        raise BadHeadError("a server that speaks for its proxy")
    kept = [line for line in lines if not line.lower().startswith(_OF_AN_ANSWER)]
    return Answer(code, b"\r\n".join([first, *kept, b"Connection: close", b"", b""]))


def _parse_field(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _FIELD_NAME.fullmatch(name) or _NOT_IN_VALUES.search(value):
        raise BadHeadError("no header field")
    return name, value.strip(" \t")


def _tunnel_endpoint(target: str) -> Endpoint:
    try:
        endpoint = endpoint_of(f"https://{target}/") if _AUTHORITY.fullmatch(target) else None
    except ValueError:
        endpoint = None
    if endpoint is None or not endpoint.port:
        raise BadHeadError("no host and port")
    return endpoint


def _plain_url(target: str) -> URL:
    try:
        url = URL(target)
    except ValueError as error:
        raise BadHeadError("no absolute address") from error
    if url.protocol != "http:" or url.username or url.password or "#" in target:
        raise BadHeadError("no plain address")
    return url


def _end_to_end(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    named = {
        word.strip().lower()
        for name, value in fields
        if name.lower() == "connection"
        for word in value.split(",")
    }
    dropped = _OF_THE_CONNECTION | (named - {"content-length"})
    return [(name, value) for name, value in fields if name.lower() not in dropped]


def _body_bytes(fields: list[tuple[str, str]]) -> int:
    names = [name.lower() for name, _ in fields]
    if "transfer-encoding" in names:
        # Browsers do not send it in HTTP/1.1, and it is what smuggled requests are made with.
        raise BadHeadError("a body without a length")
    lengths = [value for name, value in fields if name.lower() == "content-length"]
    if not lengths:
        return 0
    if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
        raise BadHeadError("no content length")
    return int(lengths[0])
