"""The crawlers of the trial, and the lists of URLs that they leave."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from benchmarks.built_sites import PROJECT_DIR
from benchmarks.contestants import (
    CRAWL_PEERS,
    FEED_NAME,
    LOG_NAME,
    VENVS_DIR,
    CrawlPeer,
    Project,
    ensure_venv,
)
from benchmarks.measure import BenchmarkError, clean_environment
from benchmarks.trial.packages import TRIAL_DIR

if TYPE_CHECKING:
    from pathlib import Path

RUNS_DIR = TRIAL_DIR / "runs"
_PEER_NAMES = ("crawlspider", "crawlee-parsel")


class Crawler(Protocol):
    """What the trial asks of everyone who takes part."""

    @property
    def name(self) -> str: ...

    def install(self) -> None: ...

    def has_ended_well(self, exit_code: int) -> bool: ...

    def command(self, root_url: str, folder: Path) -> list[str]: ...

    def environment(self, folder: Path) -> dict[str, str]: ...

    def listed_urls(self, folder: Path) -> list[str]:
        """Read the list that the last run left in its folder; a URL twice is there twice."""


@dataclass(frozen=True, slots=True)
class _OwnProject(Project):
    """This project as `make discover` installs it: with what rendering needs."""

    requirements: tuple[str, ...] = (
        "-c",
        str(PROJECT_DIR / "constraints.txt"),
        "-e",
        f"{PROJECT_DIR}[render]",
    )

    @property
    def venv(self) -> Path:
        return VENVS_DIR / "sitecrawl-render"


@dataclass(frozen=True, slots=True)
class Sitecrawl:
    """The profile `docs` without delays: robots.txt, sitemaps, every page, classes, the feed."""

    name: str = "sitecrawl"
    project: Project = field(default_factory=_OwnProject)

    def install(self) -> None:
        ensure_venv(self.project)

    def has_ended_well(self, exit_code: int) -> bool:
        return exit_code in {0, 3}  # 3: the list is not complete

    def command(self, root_url: str, folder: Path) -> list[str]:
        command = [self.project.script("scrapy"), "crawl", "discover", "-a", f"domain={root_url}"]
        for setting in (
            "DOWNLOAD_DELAY=0",
            "AUTOTHROTTLE_ENABLED=0",
            "CONCURRENT_REQUESTS_PER_DOMAIN=8",
        ):
            command += ["-s", setting]
        return [*command, "-O", str(folder / FEED_NAME)]

    def environment(self, folder: Path) -> dict[str, str]:
        database = folder / "sitecrawl.db"
        return clean_environment() | {
            "SCRAPY_PROJECT": "docs",
            "SITECRAWL_DATABASE_URL": f"sqlite:///{database}",
        }

    def listed_urls(self, folder: Path) -> list[str]:
        return _feed_urls(folder / FEED_NAME)


@dataclass(frozen=True, slots=True)
class PeerCrawler:
    """A peer of the benchmark, in its own venv."""

    tool: CrawlPeer

    @property
    def name(self) -> str:
        return self.tool.name

    def install(self) -> None:
        ensure_venv(self.tool)

    def has_ended_well(self, exit_code: int) -> bool:
        return exit_code == 0

    def command(self, root_url: str, folder: Path) -> list[str]:
        return [*self.tool.command(root_url)[:-1], str(folder / FEED_NAME)]

    def environment(self, folder: Path) -> dict[str, str]:
        return self.tool.environment()

    def listed_urls(self, folder: Path) -> list[str]:
        return _feed_urls(folder / FEED_NAME)


@dataclass(frozen=True, slots=True)
class Wget:
    """`wget -r` on links alone: by itself it fetches images, style sheets and scripts as well."""

    name: str = "wget"

    def install(self) -> None:
        if shutil.which(self.name) is None:
            raise BenchmarkError("wget is not installed")

    def has_ended_well(self, exit_code: int) -> bool:
        # 4: a link led to a port that nobody listens on; 8: an answer was an error, such as 404.
        return exit_code in {0, 4, 8}

    def command(self, root_url: str, folder: Path) -> list[str]:
        options = ["--recursive", "--level=inf", "--no-verbose", "--delete-after"]
        follow = "--follow-tags=a,area,frame,iframe,meta"
        return ["wget", *options, follow, f"--directory-prefix={folder / 'files'}", root_url]

    def environment(self, folder: Path) -> dict[str, str]:
        return clean_environment()

    def listed_urls(self, folder: Path) -> list[str]:
        log = (folder / LOG_NAME).read_text(encoding="utf-8", errors="replace")
        return re.findall(r"^\S+ \S+ URL:\s?(\S+) \[", log, re.MULTILINE)


def _feed_urls(feed: Path) -> list[str]:
    if not feed.is_file():
        return []
    with feed.open(encoding="utf-8") as rows:
        return [json.loads(row)["url"] for row in rows]


SITECRAWL = Sitecrawl()
_PEERS = [PeerCrawler(peer) for peer in CRAWL_PEERS if peer.name in _PEER_NAMES]
_EVERYONE: tuple[Crawler, ...] = (SITECRAWL, Wget(), *_PEERS)
CRAWLERS = {crawler.name: crawler for crawler in _EVERYONE}


def install_crawlers(names: list[str]) -> list[Crawler]:
    """Install those that take part; one that cannot be installed is left out, and said so."""
    ready = []
    for name in names:
        try:
            CRAWLERS[name].install()
        except BenchmarkError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
        else:
            ready.append(CRAWLERS[name])
    return ready
