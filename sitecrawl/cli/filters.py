"""The filter options of ``urls`` and ``graph``, checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import typer

from sitecrawl.store.vocabulary import PageStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_STATUS = re.compile(r"([1-5])(?:xx|([0-9]{2}))", re.IGNORECASE)


def complete_source(beginning: str) -> list[str]:
    return [name for name in _sources() if name.startswith(beginning)]


def complete_region(beginning: str) -> list[str]:
    return [name for name in _regions() if name.startswith(beginning)]


SOURCE_OPTION = typer.Option(
    "--source",
    help="Only found this way, such as sitemap or link.",
    autocompletion=complete_source,
)
REGION_OPTION = typer.Option(
    "--region",
    help="Only links in this part of a page, such as navigation.",
    autocompletion=complete_region,
)


CATEGORY_OPTION = typer.Option(
    "--category", help="Only of this category: primary, support or utility."
)
TYPE_OPTION = typer.Option("--type", help="Only pages of this type, such as article or product.")
LANGUAGE_OPTION = typer.Option("--language", help="Only in this language, such as de or pt-br.")
CLUSTER_OPTION = typer.Option(
    "--cluster", help="Only in this cluster, such as /blog, '/blog/{slug}' or topic:garden."
)


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
