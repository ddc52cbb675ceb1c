"""``sitecrawl orphans`` and ``unlisted``: the sitemaps of a site beside its links."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import IO, TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.inventory import DATABASE_OPTION, SCAN_OPTION, SITE_ARGUMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.exporters.comparison import ComparedPages
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.scans import Scan


class ListFormat(StrEnum):
    """What these commands can write."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


FORMAT_OPTION = typer.Option(
    "--format", "-f", help="Default: by the ending of --output, else text."
)
OUTPUT_OPTION = typer.Option("--output", "-o", help="A file instead of the screen.")


@dataclass(frozen=True, slots=True)
class _Question:
    """Which pages are wanted, how a line of them looks, and what they are."""

    pages: Callable[[Database, Scan], ComparedPages]
    columns: tuple[str, ...]
    words: str

    def write(
        self, pages: ComparedPages, coverage: CrawlCoverage, format_: ListFormat, file: IO[bytes]
    ) -> int:
        from sitecrawl.exporters import comparison

        if format_ is ListFormat.CSV:
            return comparison.write_csv(pages, self.columns, file)
        if format_ is ListFormat.JSON:
            return comparison.write_json(pages, coverage.as_dict(), file)
        return comparison.write_text(pages, file)


def orphans(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List pages that are in a sitemap, but not linked.

    \b
    sitecrawl orphans example.com
    sitecrawl orphans example.com -o orphans.csv
    """
    from sitecrawl.store.queries.comparison import Orphan, orphans

    words = "in a sitemap, but not linked by any page that was visited"
    question = _Question(orphans, Orphan._fields, words)
    _answer(question, domain, scan, database, format_ or format_by_ending(output), output)


def unlisted(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List pages that are linked, but in no sitemap.

    \b
    sitecrawl unlisted example.com
    sitecrawl unlisted example.com --format json
    """
    from sitecrawl.store.queries.comparison import UnlistedPage, unlisted_pages

    question = _Question(unlisted_pages, UnlistedPage._fields, "linked, but in no sitemap")
    _answer(question, domain, scan, database, format_ or format_by_ending(output), output)


def _answer(
    question: _Question,
    domain: str,
    scan: int | None,
    database: str,
    format_: ListFormat,
    output: Path | None,
) -> None:
    from sitecrawl.cli.database import known_site, reading, wanted_scan
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.store.queries.coverage import crawl_coverage

    with reading(database) as store:
        chosen = wanted_scan(store, known_site(store, domain), scan)
        coverage = crawl_coverage(store, chosen)
        with opened_output(output) as file:
            number = question.write(question.pages(store, chosen), coverage, format_, file)
    where = f", written to {output}" if output else ""
    noun = "page is" if number == 1 else "pages are"
    typer.echo(f"{number:,} {noun} {question.words}{where}", err=True)
    for line in completeness_words(coverage):
        typer.echo(line, err=True)


def completeness_words(coverage: CrawlCoverage) -> Iterator[str]:
    """How many sitemaps were read, and how far the crawl came."""
    from sitecrawl.cli.coveragewords import coverage_words

    if coverage.sitemaps:
        yield f"{coverage.sitemaps:,} sitemap{' was' if coverage.sitemaps == 1 else 's were'} read"
    else:
        yield "no sitemap was read"
    yield from coverage_words(coverage)


def format_by_ending(output: Path | None) -> ListFormat:
    from sitecrawl.config import ConfigError

    ending = output.suffix.lstrip(".").lower() if output else ""
    if ending in {"", "txt"}:
        return ListFormat.TEXT
    try:
        return ListFormat(ending)
    except ValueError:
        raise ConfigError(
            f"-o {output}: expected a file that ends with one of .txt, .csv, .json"
        ) from None
