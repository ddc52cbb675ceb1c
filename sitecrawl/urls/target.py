"""Parses the domain or URL that a user gives as the site to scan."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sitecrawl.errors import SitecrawlError
from sitecrawl.urls.canonical import DEFAULT_RULES, canonicalize, page_key

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_SCHEME_WITHOUT_SLASHES = re.compile(r"https?:/?(?![0-9/])", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[^\]/?#]*\]?|[^:/?#]*)(?::([^/?#]*))?")
_CANONICAL = re.compile(r"(https?://(\[[^\]]*\]|[^/:]*)(?::[0-9]+)?)(/[^?#]*)")
_FORBIDDEN = re.compile(r"[\s\\\x00-\x1f\x7f]")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_MAX_HOST_LENGTH = 253
_MAX_PORT = 65535
# Whatever may be a password, also one with a slash in it, but not the start of an e-mail address.
_CREDENTIALS = re.compile(r"(//|(?<!mailto):(?!//)).*@", re.IGNORECASE | re.DOTALL)
_SHOWN_LENGTH = 80
_EXAMPLES = "write a domain or URL such as example.com or https://example.com/docs"


class TargetError(SitecrawlError, ValueError):
    """A site that cannot be scanned; the message is for the person who gave it."""

    def __init__(self, text: str, cause: str, remedy: str = _EXAMPLES) -> None:
        shown = _CREDENTIALS.sub(r"\1...@", text)
        shown = shown if len(shown) <= _SHOWN_LENGTH else f"{shown[:_SHOWN_LENGTH]}..."
        super().__init__(f"domain {shown!r}: {cause}; {remedy}")


@dataclass(frozen=True, slots=True)
class Target:
    """A site to scan.

    * ``url``: the canonical URL to start from; ``origin``: its scheme, host and port, without a
      slash.
    * ``is_bare``: no scheme was given; https is meant, and http may be tried when https cannot be
      reached.
    * ``site_key``: the same for every way to write the site (scheme, ``www.`` and final slash
      folded).
    """

    url: str
    origin: str
    host: str
    is_bare: bool
    site_key: str


def parse_target(text: str) -> Target:
    """Read a domain or URL as a person types it; TargetError says what is wrong.

    >>> parse_target("WWW.Example.COM/docs/").url
    'https://www.example.com/docs/'
    >>> parse_target("http://127.0.0.1:8000").url
    'http://127.0.0.1:8000/'
    >>> parse_target("example")
    Traceback (most recent call last):
    sitecrawl.urls.target.TargetError: domain 'example': has no dot; did you mean example.com?
    """
    typed = text.strip()
    _check_text(typed)
    scheme = _SCHEME.match(typed)
    if scheme is not None and scheme[1].lower() not in {"http", "https"}:
        raise TargetError(
            typed, f"{scheme[1]}:// cannot be scanned", "only http:// and https:// can"
        )
    is_bare = scheme is None
    rest = typed.removeprefix("//") if scheme is None else typed[scheme.end() :]
    typed_host = _check_authority(typed, rest, is_bare=is_bare)
    canonical = canonicalize(f"https://{rest}" if is_bare else typed)
    parts = _CANONICAL.match(canonical) if canonical is not None else None
    if canonical is None or parts is None:
        raise TargetError(typed, "its host is not a valid name or address")
    origin, host, path = parts.groups()
    _check_host(typed, host)
    # "1.5" is an address to a URL parser (1.0.0.5), but a person who types it means something else.
    if is_bare and _IPV4.fullmatch(host) and typed_host != host:
        raise TargetError(typed, "is not a domain name", f"write {host} if that address is meant")
    return Target(canonical, origin, host, is_bare, page_key(origin + path))


def _check_text(typed: str) -> None:
    if not typed:
        raise TargetError(typed, "is empty")
    if len(typed) > DEFAULT_RULES.max_length:
        raise TargetError(typed, f"is longer than {DEFAULT_RULES.max_length} characters")
    if _FORBIDDEN.search(typed):
        raise TargetError(typed, "contains a space, a backslash or a control character")
    if _SCHEME_WITHOUT_SLASHES.match(typed):
        raise TargetError(typed, "has no // after its scheme", "write https://example.com")


def _check_authority(typed: str, rest: str, *, is_bare: bool) -> str:
    """Check host and port as they were typed, for clear messages; return the host."""
    authority = _AUTHORITY.match(rest)
    host, port = authority.groups() if authority is not None else ("", None)
    is_port = not port or (port.isascii() and port.isdigit() and 0 < int(port[:6]) <= _MAX_PORT)
    if "@" in re.split(r"[/?#]", rest, maxsplit=1)[0] or ("@" in rest and not is_port):
        raise TargetError(typed, "contains a user name or is an e-mail address", _EXAMPLES)
    if not host:
        raise TargetError(typed, "has no host")
    if port and not is_port:
        raise TargetError(typed, f"port {port[:20]!r} is not a number from 1 to {_MAX_PORT}")
    is_named = (
        "." in host or host.startswith("[") or host.lower() == "localhost" or not host.isascii()
    )
    if is_bare and not is_named:
        raise TargetError(typed, "has no dot", f"did you mean {host.lower()[:63]}.com?")
    return str(host)


def _check_host(typed: str, host: str) -> None:
    """Refuse names that DNS cannot hold, although a URL can."""
    if host.startswith("["):
        return
    if len(host) > _MAX_HOST_LENGTH:
        raise TargetError(typed, f"its host is longer than {_MAX_HOST_LENGTH} characters")
    for label in host.split("."):
        if not _LABEL.fullmatch(label):
            raise TargetError(typed, f"{label!r} cannot be a part of a host name")
