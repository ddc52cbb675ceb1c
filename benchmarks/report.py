"""What the benchmark found: runs, medians, bars, and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.sitemap_site import Manifest


class Outcome(StrEnum):
    OK = "ok"
    WRONG = "WRONG"  # it ended well, but the number of URLs is not the site's
    CRASHED = "CRASHED"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one contestant."""

    contestant: str
    outcome: Outcome
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    urls: int
    requests: int
    not_modified: int


@dataclass(frozen=True, slots=True)
class Medians:
    """The medians of a contestant's runs that did not crash."""

    contestant: str
    runs: int
    cpu_seconds: float
    cpu_seconds_lowest: float
    wall_seconds: float
    peak_mb: float
    urls: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure beside the limit it should keep."""

    name: str
    value: float | None  # None: not measured in this run
    limit: float
    unit: str = ""

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        return "PASS" if self.value <= self.limit else "MISS"

    def __str__(self) -> str:
        value = "-" if self.value is None else f"{self.value:.3g}{self.unit}"
        limit = f"at most {self.limit:g}{self.unit}"
        return f"  {self.verdict:<12}  {self.name:<52} {value:>9}  ({limit})"


def medians_of(contestant: str, runs: Sequence[Run]) -> Medians | None:
    """Sum up a contestant's runs; None when none of them came to its end."""
    ended = [r for r in runs if r.contestant == contestant and r.outcome is not Outcome.CRASHED]
    if not ended:
        return None
    wrong = any(run.outcome is Outcome.WRONG for run in ended)
    return Medians(
        contestant=contestant,
        runs=len(ended),
        cpu_seconds=median(run.cpu_seconds for run in ended),
        cpu_seconds_lowest=min(run.cpu_seconds for run in ended),
        wall_seconds=median(run.wall_seconds for run in ended),
        peak_mb=median(run.peak_mb for run in ended),
        urls=ended[-1].urls,
        outcome=Outcome.WRONG if wrong else Outcome.OK,
    )


def ratio(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or not theirs else ours / theirs


def describe_site(manifest: Manifest) -> str:
    return (
        f"{manifest.entries:,} entries in {manifest.maps} maps, "
        f"{manifest.distinct_urls:,} distinct URLs of {manifest.mean_url_characters} characters, "
        f"{manifest.gzip_bytes / 1e6:.1f} MB gzipped, {manifest.xml_bytes / 1e6:.0f} MB of XML"
    )


def describe_run(run: Run) -> str:
    return (
        f"{run.contestant:<18} {run.cpu_seconds:7.2f} s CPU {run.wall_seconds:7.2f} s wall "
        f"{run.peak_mb:6.0f} MB {run.urls:>10,} URLs  {run.outcome}"
    )


def format_table(rows: Sequence[Medians], ours: Medians | None) -> str:
    """Lay out the medians, the cheapest first, with our CPU as a part of each one's."""
    titles = ("CPU s", "lowest", "wall s", "peak MB")
    head = "".join(f" {title:>8}" for title in titles)
    lines = [f"{'':<12}{head} {'URLs':>11} {'runs':>5}  sitecrawl / it"]
    for row in sorted(rows, key=lambda row: row.cpu_seconds):
        part = ratio(ours.cpu_seconds if ours else None, row.cpu_seconds)
        wrong = "" if row.outcome is Outcome.OK else f"  {row.outcome}"
        lines.append(
            f"{row.contestant:<12} {row.cpu_seconds:8.2f} {row.cpu_seconds_lowest:8.2f} "
            f"{row.wall_seconds:8.2f} {row.peak_mb:8.0f} {row.urls:>11,} {row.runs:>5}  "
            f"{'-' if part is None else format(part, '.2f')}{wrong}"
        )
    return "\n".join(lines)


def format_crawl_table(rows: Sequence[Medians], pages: int, ours: Medians | None) -> str:
    """Lay out the medians of a crawl by page, the cheapest first."""
    titles = ("CPU ms/page", "lowest", "pages/s", "peak MB", "URLs")
    head = "".join(f" {title:>11}" for title in titles)
    lines = [f"{'':<18}{head} {'runs':>5}  sitecrawl / it"]
    for row in sorted(rows, key=lambda row: row.cpu_seconds):
        part = ratio(ours.cpu_seconds if ours else None, row.cpu_seconds)
        wrong = "" if row.outcome is Outcome.OK else f"  {row.outcome}"
        lines.append(
            f"{row.contestant:<18} {row.cpu_seconds / pages * 1e3:11.2f} "
            f"{row.cpu_seconds_lowest / pages * 1e3:11.2f} {pages / row.wall_seconds:11.0f} "
            f"{row.peak_mb:11.0f} {row.urls:>11,} {row.runs:>5}  "
            f"{'-' if part is None else format(part, '.2f')}{wrong}"
        )
    return "\n".join(lines)
