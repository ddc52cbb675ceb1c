"""The one canonical form of a URL, and the key under which its page is known.

* :func:`canonicalize` gives the URL as it is fetched and shown: what a browser would request
  (WHATWG URL Standard), without what never selects a page: fragment, credentials, tracking and
  session parameters. Path case, trailing slash, double slashes and ``index.html`` stay, because
  servers may answer them differently.
* :func:`page_key` folds in addition what nearly always is one page: http and https, ``www.``, one
  trailing slash.
* :mod:`sitecrawl.urls.columns` gives the same answers for columns of URLs, much faster.

All input is hostile: a URL is refused (None), never an exception.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from ada_url import join_url, normalize_url
from xxhash import xxh3_64_intdigest

from sitecrawl.urls.refusal import Reason, Refusal
from sitecrawl.urls.rules import (
    POSSIBLE_SESSION_NAMES,
    SESSION_NAMES,
    SESSION_PREFIXES,
    TRACKING_NAMES,
    TRACKING_PREFIXES,
)

# Longer texts are refused before parsing: escaping and IDNA can make them longer still, and some
# steps are not linear.
MAX_RAW_LENGTH = 16 * 1024

_LOWER_CASE_FIELDS = (
    "tracking_names",
    "tracking_prefixes",
    "session_names",
    "session_prefixes",
    "possible_session_names",
)


@dataclass(frozen=True, slots=True)
class CanonicalRules:
    """What canonicalisation removes; parameter names are matched without regard to case."""

    tracking_names: frozenset[str] = TRACKING_NAMES
    tracking_prefixes: tuple[str, ...] = TRACKING_PREFIXES
    session_names: frozenset[str] = SESSION_NAMES
    session_prefixes: tuple[str, ...] = SESSION_PREFIXES
    possible_session_names: frozenset[str] = POSSIBLE_SESSION_NAMES
    keep_hash_routes: bool = False
    max_length: int = 2083
    _names: frozenset[str] = field(init=False, repr=False, compare=False)
    _prefixes: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.max_length <= MAX_RAW_LENGTH:
            raise ValueError(f"max_length={self.max_length}: must be from 1 to {MAX_RAW_LENGTH}")
        for name in _LOWER_CASE_FIELDS:
            names = getattr(self, name)
            object.__setattr__(self, name, type(names)(text.lower() for text in names))
        object.__setattr__(self, "_names", self.tracking_names | self.session_names)
        object.__setattr__(self, "_prefixes", self.tracking_prefixes + self.session_prefixes)

    def drops(self, name: str, value: str) -> bool:
        """Whether a query parameter does not select the page."""
        # Pages whose "&" was escaped twice name a parameter "amp;utm_source".
        name = name.lower().removeprefix("amp;")
        return (
            name in self._names
            or name.startswith(self._prefixes)
            or (name in self.possible_session_names and _GENERATED.fullmatch(value) is not None)
        )


@dataclass(frozen=True, slots=True)
class KeyRules:
    """Which differences between two canonical URLs do not make two pages."""

    fold_scheme: bool = True
    fold_www: bool = True
    fold_trailing_slash: bool = True
    fold_path_case: bool = False


# The value of a session id: long, and with both digits and letters, so that neither a word nor a
# number is one.
_GENERATED = re.compile(r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])[0-9a-z_-]{16,}", re.IGNORECASE)

DEFAULT_RULES = CanonicalRules()
DEFAULT_KEY_RULES = KeyRules()

_PLAIN_ESCAPE = r"%(?:2[0-9A-CF]|3[A-F]|[89A-F][0-9A-F])"
PLAIN_PATH_CHARACTERS = r"-A-Za-z0-9/_~!$&'*+,=:@"
_PLAIN_QUERY_CHARACTERS = r"-A-Za-z0-9_.~!$&()*+,;=:@/?"

# URLs that are canonical as they stand, as those of most sitemaps are: parsing and unescaping leave
# such a URL as it is, only its query (group 1) may hold parameters to drop or to sort. Conservative
# on purpose: what does not match goes through the URL parser. What makes it certain:
# - host: no "--", hence no punycode; the last piece is of letters, hence it is no IPv4 number
# - port: 1000 to 64999, never a default one
# - path: no ";" or "(", hence no session id; no segment starts with ".", hence no dot segments
# - escapes: upper case, of reserved characters and of bytes beyond ASCII only
# Possessive quantifiers (++, *+) keep the failing match as cheap as the successful one. They stand
# behind single characters only: before 3.11.5 Python did not match some groups with them.
PLAIN_URL = re.compile(
    r"https?://(?:(?:[a-z0-9]++[.-])*[a-z]++|127\.0\.0\.1)"
    r"(?::(?:[1-5][0-9]|6[0-4]|[1-9])[0-9]{3})?"
    rf"/[{PLAIN_PATH_CHARACTERS}]*+(?:(?:(?<!/)\.|{_PLAIN_ESCAPE})[{PLAIN_PATH_CHARACTERS}]*+)*"
    rf"(\?[{_PLAIN_QUERY_CHARACTERS}]*+(?:{_PLAIN_ESCAPE}[{_PLAIN_QUERY_CHARACTERS}]*+)*)?"
)


_ROOT_DOT = re.compile(r"(?<!\.)\.(?=:|\Z)")
_SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.-]{0,31}):", re.IGNORECASE)

# The escapes to rewrite: of unreserved characters (group 1, decoded) and those with a lower-case
# digit. One that directly follows a broken escape ("%", "%4") is not decoded: "%4%31" would become
# the escape "%41".
_ESCAPE = re.compile(
    r"%(?:(2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])(?<!%%..)(?<!%[0-9A-Fa-f]%..)"
    r"|[a-f][0-9A-Fa-f]|[0-9A-F][a-f])"
)

# A servlet container's session id; not where removing it would leave a dot segment
# ("/..;jsessionid=1").
_PATH_SESSION = re.compile(r"(?<!/\.)(?<!/\.\.);(?:jsessionid|phpsessid)=[^/;]*", re.IGNORECASE)
# ASP.NET without cookies: /(S(lit3py55t21z5v55vlm25s55))/, also with A(...) F(...) X(...) tickets
# beside it.
_SEGMENT_SESSION = re.compile(
    r"/\((?:[AFX]\([\w-]+\))*S\([0-9a-z]{20,}\)(?:[AFX]\([\w-]+\))*\)(?=/|\Z)",
    re.IGNORECASE | re.ASCII,
)


def canonicalize(
    url: str, base: str | None = None, rules: CanonicalRules = DEFAULT_RULES
) -> str | None:
    """Return the canonical form of *url*, resolved against *base*, or None if it is refused.

    The result is a fixed point; an absolute *url* does not need a valid *base*.

    >>> canonicalize("HTTPS://User:Pw@WWW.Example.COM:443/%7Ejoe/../a%2fb?b=2&utm_source=x&a=1#top")
    'https://www.example.com/a%2Fb?a=1&b=2'
    >>> canonicalize("../c?", base="https://example.com/a/b")
    'https://example.com/c'
    >>> canonicalize("javascript:void(0)") is None
    True
    """
    result = _canonical(url, base, rules)
    return result if type(result) is str else None


def explain_refusal(
    url: str, base: str | None = None, rules: CanonicalRules = DEFAULT_RULES
) -> Refusal:
    """Say why :func:`canonicalize` refuses *url*.

    >>> explain_refusal("mailto:joe@example.com").rule
    'http and https only, not mailto:'
    """
    result = _canonical(url, base, rules)
    if isinstance(result, Refusal):
        return result
    raise ValueError(f"{url!r} is not refused")


def page_key(url: str, rules: KeyRules = DEFAULT_KEY_RULES) -> str:
    """Return the identity of the page at a canonical *url*.

    >>> page_key("http://www.example.com:8080/a/?x=1")
    'example.com:8080/a?x=1'
    >>> page_key("https://www.example.com/a/", KeyRules(fold_scheme=False, fold_www=False))
    'https://www.example.com/a'
    """
    scheme, has_scheme, rest = url.partition("://")
    if not has_scheme:
        return url  # a refused URL is its own key
    if rules.fold_www:
        rest = rest.removeprefix("www.")
    end = _path_end(rest)
    path, tail = rest[:end], rest[end:]
    if rules.fold_trailing_slash:
        path = path.removesuffix("/")
    if rules.fold_path_case:
        path = path.lower()
    return path + tail if rules.fold_scheme else f"{scheme}://{path}{tail}"


def page_id(url: str, seed: int, rules: KeyRules = DEFAULT_KEY_RULES) -> int:
    """Return the 64-bit id of the page at a canonical *url*.

    It is the unsigned hash minus 2**63, because databases have signed integers only; a secret
    *seed* keeps a site from making collisions.
    """
    return xxh3_64_intdigest(page_key(url, rules).encode(), seed) - 2**63


def _canonical(url: str, base: str | None, rules: CanonicalRules) -> str | Refusal:
    if len(url) > MAX_RAW_LENGTH:
        return Refusal(Reason.TOO_LONG, f"at most {MAX_RAW_LENGTH} characters as written")
    address = _without_fragment(url, rules)
    plain = PLAIN_URL.fullmatch(address)
    if plain is not None and len(address) <= rules.max_length:
        path, has_query, query = address.partition("?")
        return path + _clean_query(query, rules) if has_query else address
    href = _parse(url, base)
    if not href.startswith(("https://", "http://")):
        return _refused_scheme(href or url)
    rest, _, fragment = href.partition("#")
    rest, _, query = rest.partition("?")
    scheme, _, authority, path = rest.split("/", 3)
    authority = _clean_authority(authority)
    if not authority:
        return Refusal(Reason.INVALID_URL, "not a valid URL")
    path = _clean_path(f"/{path}")
    query = _clean_query(_unescape(query), rules) if query else ""
    route = _hash_route(fragment, rules) if fragment and rules.keep_hash_routes else ""
    result = f"{scheme}//{authority}{path}{query}{route}"
    if len(result) > rules.max_length:
        return Refusal(Reason.TOO_LONG, f"at most {rules.max_length} characters")
    return result


def _without_fragment(url: str, rules: CanonicalRules) -> str:
    """*url* without its fragment, if that is dropped; text beyond ASCII may be refused."""
    is_dropped = "#" in url and not rules.keep_hash_routes and url.isascii()
    return url.partition("#")[0] if is_dropped else url


def _parse(url: str, base: str | None) -> str:
    """Return the serialised URL, or the empty string."""
    if base is not None:
        try:
            return join_url(base, url)
        except ValueError:
            pass  # the base may be invalid; an absolute URL does not need it
    try:
        return normalize_url(url)
    except ValueError:
        return ""


def _refused_scheme(text: str) -> Refusal:
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() in {"http", "https"}:
        return Refusal(Reason.INVALID_URL, "not a valid URL")
    return Refusal(Reason.SCHEME_NOT_ALLOWED, f"http and https only, not {scheme[1].lower()}:")


def _unescape(text: str) -> str:
    """Decode escapes of unreserved characters, put the others in upper case (RFC 3986, 6.2.2)."""
    return _ESCAPE.sub(_normal_escape, text) if "%" in text else text


def _normal_escape(escape: re.Match[str]) -> str:
    return escape[0].upper() if escape[1] is None else chr(int(escape[1], 16))


def _clean_authority(authority: str) -> str:
    """Return host and port without credentials and without the root dot, which names the same host.

    Two dots are kept: ``1.2.3.4..`` is a name, and would become an address without them. The root
    alone is not a host: the empty string.
    """
    host_and_port = authority.rpartition("@")[2]
    root_dot = _ROOT_DOT.search(host_and_port)
    if root_dot is None:
        return host_and_port
    host = host_and_port[: root_dot.start()]
    return host and host + host_and_port[root_dot.end() :]


def _clean_path(path: str) -> str:
    path = _unescape(path)
    if ";" in path:
        path = _PATH_SESSION.sub("", path)
    if "(" in path:
        path = _SEGMENT_SESSION.sub("", path) or "/"
    return path


def _clean_query(query: str, rules: CanonicalRules) -> str:
    """Return ``?`` and the pairs of *query* that matter, sorted by name, or nothing.

    The sort is stable and on raw text: repeated names keep their order, no value is decoded.
    """
    kept = []
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if pair and not rules.drops(name, value):
            kept.append((name, pair))
    if len(kept) > 1:
        kept.sort(key=itemgetter(0))
    return "?" + "&".join([pair for _, pair in kept]) if kept else ""


def _hash_route(fragment: str, rules: CanonicalRules) -> str:
    """Return a client-side route ``#/x`` or ``#!x``, cleaned as a path and a query are.

    The root of the routes is the page itself, and a lone ``#!`` is no route.
    """
    is_route = fragment[0] == "/" or (fragment[0] == "!" and len(fragment) > 1)
    if not is_route:
        return ""
    path, _, query = _unescape(fragment).partition("?")
    path = _without_dot_segments(path) if "/." in path else path
    query = _clean_query(query, rules)
    is_root = path in {"/", "!/"} and not query
    return "" if is_root else f"#{path}{query}"


def _without_dot_segments(path: str) -> str:
    """Resolve ``.`` and ``..`` as in the path of a URL (RFC 3986, 5.2.4)."""
    first, *segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/".join([first, *kept])


def _path_end(url: str) -> int:
    fragment = url.find("#")
    end = len(url) if fragment < 0 else fragment
    query = url.find("?", 0, end)
    return end if query < 0 else query


_NOT_ALLOWED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9._~:/?#@!$&'()*+,;=%-]")
_ADDRESS_IN_BRACKETS: Final = re.compile(r"[a-z]+://\[[0-9a-f:.]+\]")


def strict_url(url: str) -> str:
    """The canonical *url* with every character escaped that RFC 3986 does not allow.

    Browsers leave some of them as they are, and so does :func:`canonicalize`.

    >>> strict_url("https://a.example/100%?q=[a|b]"), strict_url("http://[::1]/a%20b?c='d'")
    ('https://a.example/100%25?q=%5Ba%7Cb%5D', "http://[::1]/a%20b?c='d'")
    """
    if _NOT_ALLOWED.search(url) is None:
        return url
    address = _ADDRESS_IN_BRACKETS.match(url)
    end = address.end() if address else 0
    return url[:end] + _NOT_ALLOWED.sub(_escape, url[end:])


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
