"""Options that choose pages, checked."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.refusal import Reason  # noqa: TC001  Typer reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitecrawl.store.queries.page_filter import PageFilter

_STATUS = re.compile(r"([1-5])(?:xx|([0-9]{2}))", re.IGNORECASE)


def complete_source(beginning: str) -> list[str]:
    return [name for name in _sources() if name.startswith(beginning)]


def complete_region(beginning: str) -> list[str]:
    return [name for name in _regions() if name.startswith(beginning)]


SourceOption = Annotated[
    str,
    typer.Option(
        "--source",
        help="Only found this way, such as sitemap or link.",
        autocompletion=complete_source,
    ),
]
RegionOption = Annotated[
    str,
    typer.Option(
        "--region",
        help="Only links in this part of a page, such as navigation.",
        autocompletion=complete_region,
    ),
]


CategoryOption = Annotated[
    str, typer.Option("--category", help="Only of this category: primary, support or utility.")
]
TypeOption = Annotated[
    str, typer.Option("--type", help="Only pages of this type, such as article or product.")
]
LanguageOption = Annotated[
    str, typer.Option("--language", help="Only in this language, such as de or pt-br.")
]
ClusterOption = Annotated[
    str,
    typer.Option(
        "--cluster", help="Only in this cluster, such as /blog, '/blog/{slug}' or topic:garden."
    ),
]


def _moment(words: str) -> Any:
    return typer.Option(
        help=f"Only pages that {words} (UTC).",
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        metavar="DATE",
    )


@dataclass(frozen=True)
class PageOptions:
    """The options that choose pages of an inventory."""

    refused: Annotated[bool, typer.Option(help="Include refused and broken URLs.")] = False
    reason: Annotated[Reason | None, typer.Option(help="Only URLs refused for this reason.")] = None
    source: SourceOption = ""
    region: RegionOption = ""
    category: CategoryOption = ""
    type_: TypeOption = ""
    language: LanguageOption = ""
    cluster: ClusterOption = ""
    status: Annotated[
        str,
        typer.Option(
            help="Only listed, refused or broken URLs,"
            " or pages with this HTTP status: 200, 404, 3xx, 4xx, 5xx."
        ),
    ] = ""
    contains: Annotated[str, typer.Option(help="Only URLs that contain this text.")] = ""
    text: Annotated[
        str, typer.Option(help="Only pages with this text in their title or a link to them.")
    ] = ""
    pattern: Annotated[
        str, typer.Option(help="Only URLs of this pattern, such as '/item/{n}', or that of a URL.")
    ] = ""
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", "--max-depth", min=0, help="Only URLs with at most this many path segments."
        ),
    ] = None
    clicks: Annotated[
        int | None, typer.Option(min=0, help="Only pages at most this many clicks from the root.")
    ] = None
    search: Annotated[
        str, typer.Option(help="Only pages with this text in their URL or title.")
    ] = ""
    prefix: Annotated[str, typer.Option(help="Only URLs that begin with this.")] = ""
    template: Annotated[
        str, typer.Option(help="Only pages of this template, such as '/blog/{slug}'.")
    ] = ""
    min_depth: Annotated[
        int | None, typer.Option(min=0, help="Only URLs with at least this many path segments.")
    ] = None
    min_priority: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages of at least this priority.")
    ] = None
    max_priority: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages of at most this priority.")
    ] = None
    visited: Annotated[
        bool | None, typer.Option("--visited/--not-visited", help="Only pages that were visited.")
    ] = None
    robots_allowed: Annotated[
        bool | None,
        typer.Option("--robots-allowed/--robots-disallowed", help="What robots.txt says."),
    ] = None
    indexable: Annotated[
        bool | None,
        typer.Option(
            "--indexable/--not-indexable", help="Whether a search engine may show the page."
        ),
    ] = None
    orphan: Annotated[
        bool | None,
        typer.Option("--orphan/--not-orphan", help="Only pages of sitemaps that no link leads to."),
    ] = None
    lastmod_since: Annotated[datetime | None, _moment("have a lastmod since then")] = None
    lastmod_before: Annotated[datetime | None, _moment("have a lastmod before then")] = None
    first_seen_since: Annotated[datetime | None, _moment("were first seen since then")] = None
    first_seen_before: Annotated[datetime | None, _moment("were first seen before then")] = None
    last_seen_since: Annotated[datetime | None, _moment("were last seen since then")] = None
    last_seen_before: Annotated[datetime | None, _moment("were last seen before then")] = None
    changed_since: Annotated[datetime | None, _moment("have changed since then")] = None

    def page_filter(self) -> PageFilter:
        """What is asked for, checked; but for the cluster, which only a site knows."""
        from sitecrawl.store.queries.page_filter import PageFilter

        status = checked_status(self.status)
        given = asdict(self)
        for name in ("refused", "type_", "depth", "clicks", "cluster"):
            del given[name]
        given |= {
            "status": status if isinstance(status, PageStatus) else None,
            "http_status": status if isinstance(status, tuple) else None,
            "include_refused": self.refused,
            "reason": self.reason or "",
            "source": checked_source(self.source),
            "region": checked_region(self.region),
            "pattern": checked_pattern(self.pattern),
            "category": checked_category(self.category),
            "page_type": checked_type(self.type_),
            "language": checked_language(self.language),
            "max_depth": self.depth,
            "max_clicks": self.clicks,
        }
        return PageFilter(**given)


def checked_category(text: str) -> str:
    from sitecrawl.classify.pages import Category

    return _one_of("--category", text, Category)


def checked_type(text: str) -> str:
    from sitecrawl.classify.pages import PageType

    return _one_of("--type", text, PageType)


def checked_language(text: str) -> str:
    from sitecrawl.classify.language import parse_code

    code = parse_code(text)
    if text and not code:
        _complain(f"--language {text}: expected the code of a language, such as de or pt-br")
    return code


def checked_cluster(text: str, known: Sequence[str]) -> str:
    """The key of a cluster of the site."""
    if text and text not in known:
        import difflib

        near = difflib.get_close_matches(text, known, 3)
        hint = f"; near ones: {', '.join(near)}" if near else ""
        _complain(f"--cluster {text}: the site has no such cluster{hint}")
    return text


def checked_source(text: str) -> str:
    return _one_of("--source", text, _sources())


def checked_region(text: str) -> str:
    return _one_of("--region", text, _regions())


def checked_status(text: str) -> PageStatus | tuple[int, int] | None:
    """The status of a page that *text* means, or the lowest and the highest HTTP status.

    >>> checked_status("404"), checked_status("3xx"), checked_status(""), checked_status("broken")
    ((404, 404), (300, 399), None, <PageStatus.BROKEN: 'broken'>)
    """
    if not text:
        return None
    if text in set(PageStatus):
        return PageStatus(text)
    match = _STATUS.fullmatch(text)
    if match is None:
        _complain(
            f"--status {text}: expected {', '.join(PageStatus)}, an HTTP status such as 404,"
            " or a class such as 4xx"
        )
    hundred, rest = match.groups()
    if rest is None:
        return int(hundred) * 100, int(hundred) * 100 + 99
    return int(text), int(text)


def checked_pattern(text: str) -> str:
    """The pattern *text*, or the pattern of the URL *text*."""
    if "://" in text:
        from sitecrawl.urls.patterns import url_pattern

        return url_pattern(text)
    if text and not text.startswith(("/", "{")):
        _complain(f"--pattern {text}: expected a path such as /item/{{n}}, or a URL")
    return text.rstrip("/") or text


def _one_of(option: str, text: str, known: Iterable[str]) -> str:
    names = list(known)
    if text and text not in names:
        _complain(f"{option} {text}: expected one of {', '.join(names)}")
    return text


def _complain(words: str) -> NoReturn:
    from sitecrawl.config import ConfigError  # not for --help

    raise ConfigError(words)


def _sources() -> list[str]:
    from sitecrawl.html.links import LinkSource
    from sitecrawl.items import Source

    return [*Source, *LinkSource]


def _regions() -> list[str]:
    from sitecrawl.html.links import Region

    return [*Region]
