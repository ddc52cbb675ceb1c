"""Which URLs belong to the site: one or several base URLs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.refusal import Reason, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitecrawl.urls.columns import SharedOrigin

_BASE = re.compile(r"(https?://)([^/:\[]+|\[[^\]]*\])((?::[0-9]+)?)(/[^?#]*)")
_FILE_SEGMENT = re.compile(r"/[^/]*\.(?:html?|php|aspx?|jsp)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Base:
    """A base URL: host without ``www.``, port as ``:8080`` or empty, path without last slash."""

    scheme: str
    host: str
    port: str
    path: str


class Scope:
    """The part of the web that a scan may list; judges canonical URLs.

    * http and https are one, and so are a host with and without ``www.``; an explicit port has to
      match.
    * A base path holds the page itself and what is below it. Strict: ``/docs`` does not hold
      ``/docs-old``; loose: it is a plain prefix and does. ``/docs`` and ``/docs/`` are the same
      base.
    * A base that names a file (``/docs/index.html``) stands for its directory.
    * Query and fragment of a base are ignored.

    >>> scope = Scope.from_urls(["https://example.com/docs"])
    >>> scope.contains("http://www.example.com/docs/a"), scope.contains("https://example.com/docs-old")
    (True, False)
    >>> scope.refusals(["https://example.com/docs", "https://example.net/", "https://example.com/"])
    {1: Refusal(reason=<Reason.OFFSITE: 'offsite'>, rule='https://example.com/docs'), \
2: Refusal(reason=<Reason.OUTSIDE_BASE: 'outside_base'>, rule='https://example.com/docs')}
    """

    def __init__(self, bases: Sequence[_Base], *, strict: bool, subdomains: bool) -> None:
        self.text = ", ".join(
            _describe(base, strict=strict, subdomains=subdomains) for base in bases
        )
        self._offsite = Refusal(Reason.OFFSITE, self.text)
        self._outside = Refusal(Reason.OUTSIDE_BASE, self.text)
        # A canonical URL has no credentials and a slash after its host, so a prefix that ends with
        # that slash cannot be the start of a longer host name.
        roots = [(root, base) for base in bases for root in _roots(base)]
        self._host_prefixes = tuple(root + "/" for root, _ in roots)
        ends = ("/", "?", "#") if strict else ("",)
        self._prefixes = tuple(
            root + base.path + end
            for root, base in roots
            for end in (ends if base.path else ("/",))
        )
        self._exact = frozenset(root + base.path for root, base in roots)
        self._subdomain = _subdomain_pattern(bases, strict=strict) if subdomains else None
        self._subdomain_host = (
            re.compile("|".join(f"(?:{_subdomain_root(base)}/)" for base in bases))
            if subdomains
            else None
        )

    @classmethod
    def from_urls(
        cls, urls: Iterable[str], *, strict: bool = True, subdomains: bool = False
    ) -> Self:
        """Build the scope of the base *urls*; ValueError names one that is no http(s) URL."""
        bases = tuple(dict.fromkeys(_parse_base(url) for url in urls))
        if not bases:
            raise ValueError("a scope needs at least one base URL")
        return cls(bases, strict=strict, subdomains=subdomains)

    def contains(self, url: str) -> bool:
        return (
            url.startswith(self._prefixes)
            or url in self._exact
            or (self._subdomain is not None and self._subdomain.match(url) is not None)
        )

    def refusals(
        self, urls: Sequence[str], origin: SharedOrigin | None = None
    ) -> dict[int, Refusal]:
        """Return the refused ones of *urls* by index; *origin* is what they share, if known."""
        prefixes = self._prefixes
        if origin is not None and origin.prefix.startswith(prefixes):
            return {}
        others = [index for index, url in enumerate(urls) if not url.startswith(prefixes)]
        return {
            index: self._refusal(urls[index]) for index in others if not self.contains(urls[index])
        }

    def _refusal(self, url: str) -> Refusal:
        has_host = url.startswith(self._host_prefixes) or (
            self._subdomain_host is not None and self._subdomain_host.match(url) is not None
        )
        return self._outside if has_host else self._offsite


def _parse_base(url: str) -> _Base:
    canonical = canonicalize(url)
    parts = _BASE.match(canonical) if canonical is not None else None
    if parts is None:
        raise ValueError(
            f"base URL {url[:200]!r} is not an http or https URL such as https://example.com/docs"
        )
    scheme, host, port, path = parts.groups()
    path = _FILE_SEGMENT.sub("", path).removesuffix("/")
    return _Base(scheme, without_www(host), port, path)


def without_www(host: str) -> str:
    """Return *host* without ``www.``, unless a bare top-level domain would be left.

    >>> without_www("www.example.com"), without_www("www.com")
    ('example.com', 'www.com')
    """
    rest = host.removeprefix("www.")
    return rest if "." in rest else host


def _roots(base: _Base) -> list[str]:
    return [
        f"{scheme}{www}{base.host}{base.port}"
        for scheme in ("https://", "http://")
        for www in ("", "www.")
    ]


def _subdomain_root(base: _Base) -> str:
    return rf"https?://(?:[^/@:]+\.)?{re.escape(base.host + base.port)}"


def _subdomain_pattern(bases: Sequence[_Base], *, strict: bool) -> re.Pattern[str]:
    def below(base: _Base) -> str:
        if not base.path:
            return "/"
        return re.escape(base.path) + (r"(?=[/?#]|\Z)" if strict else "")

    return re.compile("|".join(f"(?:{_subdomain_root(base)}{below(base)})" for base in bases))


def _describe(base: _Base, *, strict: bool, subdomains: bool) -> str:
    host = f"*.{base.host}" if subdomains else base.host
    path = (base.path if strict else f"{base.path}*") if base.path else "/"
    return f"{base.scheme}{host}{base.port}{path}"
