"""Pages from Jinja templates: everything is escaped, and what is missing is an error."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from sitecrawl import __version__
from sitecrawl.services.permissions import Permission
from sitecrawl.web import charts
from sitecrawl.web.auth import is_https
from sitecrawl.web.flash import forget_flash, read_flash
from sitecrawl.web.middleware import host_name, is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_INNER_CAPITAL = re.compile(r"(?<=[a-z])[A-Z](?=[a-z])")


@cache
def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("sitecrawl.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"version": __version__, "Permission": Permission, "with_query": with_query}
    made.filters |= {
        "number": number,
        "words": words,
        "duration": duration,
        "moment": moment,
        "is_web_url": is_web_url,
        "host": host_of,
        "below": below,
        "decoded": decoded,
        "beat_words": beat_words,
        "short_title": short_title,
        "job_words": job_words,
        "peak": charts.peak,
        "stacked_peak": charts.stacked_peak,
        "axis_number": charts.axis_number,
    }
    return made


def render(
    request: Request,
    template: str,
    values: Mapping[str, Any] | None = None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """The page; templates know ``request``, ``caller`` (or none), ``can`` and ``flash`` besides."""
    caller = getattr(request.state, "caller", None)
    flash = read_flash(request)
    text = (
        environment()
        .get_template(template)
        .render(
            request=request,
            caller=caller,
            can=lambda permission: caller is not None and permission in caller.permissions,
            flash=flash,
            is_insecure=is_insecure(request),
            **(values or {}),
        )
    )
    response = HTMLResponse(text, status, dict(headers or {}))
    if flash:
        forget_flash(response)
    return response


def is_insecure(request: Request) -> bool:
    """Whether others on the way can read along: plain http, and not on this machine."""
    return not is_https(request) and not is_loopback(host_name(request.headers.get("host", "")))


def number(value: float | None) -> str:
    """
    >>> number(1234567), number(None), number(0.25)
    ('1,234,567', '-', '0.25')
    """
    return "-" if value is None else f"{value:,}"


def words(value: object) -> str:
    """A word of the store, or the name of an operation, as people write it.

    >>> words("robots_changed"), words("createChannel")
    ('robots changed', 'create channel')
    """
    apart = _INNER_CAPITAL.sub(lambda found: f" {found[0].lower()}", str(value))
    return apart.replace("_", " ")


def duration(seconds: float | None) -> str:
    """
    >>> duration(0.4), duration(75), duration(7260), duration(200_000), duration(None)
    ('0.4 s', '1 min 15 s', '2 h 1 min', '2 d 7 h', '-')
    """
    if seconds is None:
        return "-"
    if seconds < 10:  # noqa: PLR2004
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, below, small in (
        (_DAY, "d", _HOUR, "h"),
        (_HOUR, "h", _MINUTE, "min"),
        (_MINUTE, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {unit}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"


def moment(value: datetime) -> str:
    """
    >>> moment(datetime(2026, 3, 1, 9, 5, tzinfo=UTC))
    '1 Mar 2026, 09:05 UTC'
    """
    at = value.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


def is_web_url(value: object) -> bool:
    """Whether it may be a link: what a site wrote may be ``javascript:``.

    >>> is_web_url("https://example.com/"), is_web_url("javascript:alert(1)"), is_web_url(None)
    (True, False, False)
    """
    try:
        parts = urlsplit(str(value))
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)


def host_of(url: str) -> str:
    try:
        return urlsplit(url).netloc or url
    except ValueError:
        return url


def below(url: str, root_url: str) -> str:
    """The path of a page of the site; the whole URL of another origin.

    >>> below("https://example.com/a?b", "https://example.com/"), below("https://x.example/", "")
    ('/a?b', 'https://x.example/')
    """
    scheme, mark, rest = root_url.partition("://")
    origin = f"{scheme}{mark}{rest.partition('/')[0]}"
    path = url.removeprefix(origin)
    return path if mark and path != url and path.startswith(("/", "?")) else url


def decoded(path: str) -> str:
    """A path as people read it: escapes of letters become these, all others stay.

    >>> decoded("/%C3%BCber-uns"), decoded("/a%20b"), decoded("/%E2%80%AE"), decoded("/%FF")
    ('/über-uns', '/a b', '/%E2%80%AE', '/%FF')
    """
    try:
        text = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return path
    return text if text.isprintable() else path


def short_title(title: str, root_url: str) -> str:
    """The title of an event on a page of its site: addresses without its origin.

    >>> short_title("new page https://example.com/a", "https://example.com/")
    'new page /a'
    """
    scheme, mark, rest = root_url.partition("://")
    return title.replace(f"{scheme}{mark}{rest.partition('/')[0]}/", "/") if mark else title


def job_words(kind: str) -> str:
    """
    >>> job_words("discover"), job_words("scan")
    ('first scan', 'scan')
    """
    return "first scan" if kind == "discover" else words(kind)


def beat_words(statuses: Sequence[str]) -> str:
    """
    >>> beat_words(["finished", "failed", "finished"])
    'The last 3 scans: 2 finished, 1 failed'
    """
    counts = ", ".join(f"{number} {status}" for status, number in Counter(statuses).most_common())
    return f"The last {len(statuses)} scans: {counts}"


def with_query(request: Request, **changes: Any) -> str:
    """The address of this page with other parameters; None and empty ones are left out."""
    kept = [
        (name, value) for name, value in request.query_params.multi_items() if name not in changes
    ]
    given = [(name, str(value)) for name, value in changes.items() if value not in (None, "")]
    query = urlencode([*kept, *given])
    return f"{request.url.path}?{query}" if query else request.url.path
