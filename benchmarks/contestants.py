"""The programs that are compared: how each is started, and whether its list of URLs is right."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urldefrag

from benchmarks.built_sites import (
    BENCH_DIR,
    PROJECT_DIR,
    SiteManifest,
    ensure_bench_folder,
    read_paths,
)
from benchmarks.measure import BenchmarkError, clean_environment, count_lines, last_line

if TYPE_CHECKING:
    from benchmarks.page_sites import FrontierManifest, PageManifest
    from benchmarks.sitemap_site import Manifest

RUNS_DIR = BENCH_DIR / "runs"
VENVS_DIR = BENCH_DIR / "venvs"
LOG_NAME = "log.txt"
FEED_NAME = "urls.jsonl"
_SCRIPTS_DIR = Path(__file__).resolve().parent / "peers"
_BIN_NAME = "Scripts" if os.name == "nt" else "bin"

Site_contra = TypeVar("Site_contra", bound=SiteManifest, contravariant=True)


class Contestant(Protocol[Site_contra]):
    """What the benchmark asks of everyone who runs in it, on one kind of site."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> Path: ...

    def command(self, root_url: str) -> list[str]: ...

    def environment(self) -> dict[str, str]: ...

    def urls_listed(self) -> int: ...

    def is_right(self, urls: int, manifest: Site_contra) -> bool: ...


@dataclass(frozen=True, slots=True)
class Project:
    """This project in its venv; subclasses say what it is asked to do."""

    name: str = "sitecrawl"
    # As a user installs it: packages for development would be imported by what looks for them.
    requirements: tuple[str, ...] = (
        "-c",
        str(PROJECT_DIR / "constraints.txt"),
        "-e",
        str(PROJECT_DIR),
    )

    @property
    def folder(self) -> Path:
        return RUNS_DIR / self.name

    @property
    def venv(self) -> Path:
        return VENVS_DIR / "sitecrawl"

    def script(self, name: str) -> str:
        return str(self.venv / _BIN_NAME / name)

    def environment(self) -> dict[str, str]:
        database = self.folder / "sitecrawl.db"
        return clean_environment() | {
            "SCRAPY_PROJECT": "fast",
            "SITECRAWL_DATABASE_URL": f"sqlite:///{database}",
        }


@dataclass(frozen=True, slots=True)
class Sitecrawl(Project):
    """Reads the sitemaps: everything from the fetch to the database, the feed and the evidence."""

    writes_feed: bool = True

    def command(self, root_url: str) -> list[str]:
        command = [self.script("scrapy"), "crawl", "discover", "-a", f"domain={root_url}"]
        return [*command, "-O", str(self.folder / FEED_NAME)] if self.writes_feed else command

    def urls_listed(self) -> int:
        if self.writes_feed:
            return count_lines(self.folder / FEED_NAME)
        log = (self.folder / LOG_NAME).read_text(encoding="utf-8")
        said = re.search(r"^found +([0-9,]+) URLs", log, re.MULTILINE)
        return int(said[1].replace(",", "")) if said else 0

    def is_right(self, urls: int, manifest: Manifest) -> bool:
        # The root is in no sitemap, but the scan starts there and lists it, too.
        return urls == manifest.distinct_urls + 1


@dataclass(frozen=True, slots=True)
class Tool:
    """Another tool in its own venv; subclasses say how its answer is read."""

    name: str
    requirements: tuple[str, ...]
    script: str

    @property
    def folder(self) -> Path:
        return RUNS_DIR / self.name

    @property
    def venv(self) -> Path:
        return VENVS_DIR / self.name

    def environment(self) -> dict[str, str]:
        return clean_environment()

    def command(self, root_url: str) -> list[str]:
        return [str(self.venv / _BIN_NAME / "python"), str(_SCRIPTS_DIR / self.script), root_url]


@dataclass(frozen=True, slots=True)
class Peer(Tool):
    """Lists the URLs of the sitemaps and does nothing else with them."""

    writes_feed: bool = False

    def command(self, root_url: str) -> list[str]:
        command = Tool.command(self, root_url)
        return [*command, str(self.folder / FEED_NAME)] if self.writes_feed else command

    def urls_listed(self) -> int:
        if self.writes_feed:
            return count_lines(self.folder / FEED_NAME)
        said = last_line(self.folder / LOG_NAME)
        return int(said) if said.isdecimal() else 0

    def is_right(self, urls: int, manifest: Manifest) -> bool:
        # Some drop what one map lists twice, none what two maps list.
        return manifest.distinct_urls <= urls <= manifest.entries


# Exact versions: a ratio means little when one side of it moves.
PEERS = (
    Peer("crawlee", ("crawlee==1.11.0",), "crawlee_loader.py"),
    Peer("advertools", ("advertools==0.18.0",), "advertools_df.py"),
    Peer("usp", ("ultimate-sitemap-parser==1.8.1",), "usp_tree.py"),
    # Its lxml extra for the HTML cleaner is gone from lxml 6.1, so the package is named here.
    Peer("trafilatura", ("trafilatura==2.3.1", "lxml_html_clean==0.4.6"), "trafilatura_search.py"),
    Peer("scrapy", ("scrapy==2.19.0",), "scrapy_feed.py", writes_feed=True),
)
SITECRAWL = Sitecrawl()


# --- crawlers: everyone visits all pages and leaves the URLs it found ---

# What a crawler may list beside the pages: the head of every page names the feed.
_NAMED_BESIDE = frozenset({"feed.xml"})


def found_urls(feed: Path) -> set[str]:
    """Read the URLs of a feed of JSON lines; a fragment names no other page."""
    if not feed.is_file():
        return set()
    with feed.open(encoding="utf-8") as rows:
        return {urldefrag(json.loads(row)["url"]).url for row in rows}


def has_found_all(feed: Path, manifest: PageManifest) -> bool:
    """Whether every page of the site was found, and nothing that is none."""
    root = manifest.root_url
    pages = {root + path.removeprefix("/") for path in read_paths(manifest.folder)}
    found = found_urls(feed)
    return pages <= found <= pages | {root + name for name in _NAMED_BESIDE}


@dataclass(frozen=True, slots=True)
class SitecrawlPages(Project):
    """Crawls with everything on: all link sources, regions, the store, the evidence, the feed."""

    @property
    def folder(self) -> Path:
        return RUNS_DIR / f"{self.name}-pages"

    def command(self, root_url: str) -> list[str]:
        return crawl_command(self, root_url, max_pages=0)

    def urls_listed(self) -> int:
        return len(found_urls(self.folder / FEED_NAME))

    def is_right(self, urls: int, manifest: PageManifest) -> bool:
        return has_found_all(self.folder / FEED_NAME, manifest)


@dataclass(frozen=True, slots=True)
class SitecrawlFrontier(Project):
    """Crawls a few pages of a site that names many; the feed lists those that wait as well."""

    max_pages: int = 250

    @property
    def folder(self) -> Path:
        return RUNS_DIR / f"{self.name}-frontier"

    def command(self, root_url: str) -> list[str]:
        return crawl_command(self, root_url, max_pages=self.max_pages)

    def urls_listed(self) -> int:
        return count_lines(self.folder / FEED_NAME)

    def is_right(self, urls: int, manifest: FrontierManifest) -> bool:
        return urls == manifest.pages


def crawl_command(project: Project, root_url: str, *, max_pages: int) -> list[str]:
    command = [project.script("scrapy"), "crawl", "crawl"]
    command += ["-a", f"domain={root_url}", "-a", "profile=fast"]
    command += ["-s", "SITECRAWL_MAX_CRAWL_DEPTH=0", "-s", f"SITECRAWL_MAX_CRAWL_PAGES={max_pages}"]
    return [*command, "-O", str(project.folder / FEED_NAME)]


@dataclass(frozen=True, slots=True)
class CrawlPeer(Tool):
    """Visits the pages and keeps their URLs, and no more than that."""

    def command(self, root_url: str) -> list[str]:
        return [*Tool.command(self, root_url), str(self.folder / FEED_NAME)]

    def urls_listed(self) -> int:
        return len(found_urls(self.folder / FEED_NAME))

    def is_right(self, urls: int, manifest: PageManifest) -> bool:
        return has_found_all(self.folder / FEED_NAME, manifest)


CRAWL_PEERS = (
    CrawlPeer("crawlspider", ("scrapy==2.19.0",), "crawlspider_pages.py"),
    CrawlPeer("crawlee-parsel", ("crawlee[parsel]==1.11.0",), "crawlee_parsel.py"),
    CrawlPeer(
        "trafilatura-spider",
        ("trafilatura==2.3.1", "lxml_html_clean==0.4.6"),
        "trafilatura_spider.py",
    ),
    CrawlPeer("lean-scrapy", ("scrapy==2.19.0", "selectolax==1.0.2"), "selectolax_spider.py"),
)
SITECRAWL_PAGES = SitecrawlPages()
SITECRAWL_FRONTIER = SitecrawlFrontier()


# --- their virtual environments ---


def own_script(name: str) -> str:
    """Return the path of a console script in the environment that runs the benchmark."""
    return str(Path(sys.executable).parent / name)


def ensure_venv(contestant: Tool | Project) -> None:
    """Create the venv once; again when its requirements or the Python change."""
    marker = contestant.venv / "installed.txt"
    pins = "".join(
        (PROJECT_DIR / name).read_text() for name in ("pyproject.toml", "constraints.txt")
    )
    wanted = "\n".join((sys.version, *contestant.requirements))
    wanted += pins if isinstance(contestant, Project) else ""
    if marker.is_file() and marker.read_text() == wanted:
        return
    ensure_bench_folder()
    shutil.rmtree(contestant.venv, ignore_errors=True)
    python = str(contestant.venv / _BIN_NAME / "python")
    if uv := _find_uv():
        _call([uv, "venv", "--quiet", "--python", sys.executable, str(contestant.venv)])
        # pip compiles what it installs; uv has to be told, or the first round would do it.
        flags = ["--quiet", "--compile-bytecode", "--python", python]
        _call([uv, "pip", "install", *flags, *contestant.requirements])
    else:
        _call([sys.executable, "-m", "venv", str(contestant.venv)])
        _call([python, "-m", "pip", "install", "--quiet", *contestant.requirements])
    marker.write_text(wanted)


def _find_uv() -> str | None:
    beside = Path(own_script("uv"))
    return str(beside) if beside.is_file() else shutil.which("uv")


def _call(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        output = (done.stderr or done.stdout).strip()
        raise BenchmarkError(f"{' '.join(command)} failed:\n{output[-2000:]}")
