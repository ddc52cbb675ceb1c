"""Where the sites of the benchmark are built, and how they are kept for the next run.

A site is a folder: small files that are served by their name (robots.txt), for sites with many
pages two files that hold all of them (`paths.txt`, `pages.bin`), and `manifest.json`.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PROJECT_DIR = Path(__file__).resolve().parent.parent
BENCH_DIR = PROJECT_DIR / ".bench"
DEFAULT_PORT = 8917

_MANIFEST_NAME = "manifest.json"
_PATHS_NAME = "paths.txt"
_PAGES_NAME = "pages.bin"

_Manifest = TypeVar("_Manifest", bound="SiteManifest")


@dataclass(frozen=True, slots=True)
class SiteManifest:
    """What every built site says about itself; each kind of site adds what it holds."""

    # Part of the manifest: a change of the builder makes the sites that are already built stale.
    BUILDER: ClassVar[int]

    builder: int
    port: int

    @property
    def folder(self) -> Path:
        raise NotImplementedError

    @property
    def root_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @classmethod
    def read(cls, folder: Path, port: int) -> Self | None:
        """Read what a folder holds; None when this builder built nothing there for this port."""
        try:
            manifest = cls(**json.loads((folder / _MANIFEST_NAME).read_text()))
        except (FileNotFoundError, TypeError, ValueError):
            return None
        return manifest if (manifest.builder, manifest.port) == (cls.BUILDER, port) else None


def parse_size(text: str) -> int:
    """Read a number of entries as a person writes it.

    >>> parse_size("1m"), parse_size("100k"), parse_size("2500")
    (1000000, 100000, 2500)
    """
    factor = {"k": 1_000, "m": 1_000_000}.get(text[-1:].lower(), 1)
    size = int(text.rstrip("kKmM")) * factor
    if size < 1:
        raise ValueError(f"a site needs at least one entry, not {text!r}")
    return size


def size_name(entries: int) -> str:
    """Write a number of entries as a person would: the inverse of `parse_size`."""
    for factor, suffix in ((1_000_000, "m"), (1_000, "k")):
        if entries % factor == 0:
            return f"{entries // factor}{suffix}"
    return str(entries)


def ensure_bench_folder() -> None:
    """Make the folder of build products, which keeps itself out of the repository."""
    BENCH_DIR.mkdir(exist_ok=True)
    (BENCH_DIR / ".gitignore").write_text("*\n")


def ensure_built(
    kind: type[_Manifest], folder: Path, port: int, build: Callable[[Path], _Manifest]
) -> _Manifest:
    """Build a site unless it is there already for this port."""
    manifest = kind.read(folder, port)
    if manifest is not None:
        return manifest
    ensure_bench_folder()
    # Built aside and moved, so that an interrupted build is never taken for a whole site.
    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    manifest = build(unfinished)
    (unfinished / _MANIFEST_NAME).write_text(json.dumps(asdict(manifest), indent=2) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return manifest


def write_pages(folder: Path, pages: Iterable[tuple[str, bytes]]) -> int:
    """Write pages one after another into one file and return their bytes.

    A site of 100,000 small pages would otherwise be 100,000 files.
    """
    total = 0
    with (folder / _PAGES_NAME).open("wb") as bodies, (folder / _PATHS_NAME).open("w") as paths:
        for path, body in pages:
            paths.write(f"{len(body)} {path}\n")
            total += bodies.write(body)
    return total


def read_pages(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and body of each page; nothing for a site that has none."""
    if not (folder / _PAGES_NAME).is_file():
        return
    with (folder / _PAGES_NAME).open("rb") as bodies:
        for length, path in _lines(folder):
            yield path, bodies.read(length)


def read_paths(folder: Path) -> Iterator[str]:
    """Yield the path of each page, with its query if it has one: what a crawl has to find."""
    return (path for _, path in _lines(folder))


def _lines(folder: Path) -> Iterator[tuple[int, str]]:
    with (folder / _PATHS_NAME).open() as paths:
        for line in paths:
            length, path = line.split()
            yield int(length), path
