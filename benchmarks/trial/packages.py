"""Fetches the packages that hold the sites, once, into the folder of build products.

Debian packages are downloaded and unpacked without root (`apt-get download`, `dpkg-deb -x`), npm
packages with `npm pack`. What cannot be had raises `MissingPackageError`, whose message says why.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from typing import TYPE_CHECKING

from benchmarks.built_sites import BENCH_DIR, ensure_bench_folder
from benchmarks.measure import BenchmarkError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRIAL_DIR = BENCH_DIR / "trial"
_PACKAGES_DIR = TRIAL_DIR / "packages"
_TIMEOUT_SECONDS = 900.0


class MissingPackageError(BenchmarkError):
    """A package cannot be had on this machine."""


def debian_package(name: str) -> Path:
    """Return the folder that a Debian package is unpacked in."""

    def unpack(folder: Path) -> None:
        run_tool(["apt-get", "download", name], folder)
        (archive,) = folder.glob("*.deb")
        run_tool(["dpkg-deb", "-x", archive.name, "."], folder)
        archive.unlink()

    return _fetched(name, unpack)


def npm_package(name: str, version: str) -> Path:
    """Return the folder of an npm package as it is published, without its dependencies."""

    def unpack(folder: Path) -> None:
        run_tool(["npm", "pack", "--silent", f"{name}@{version}"], folder)
        (archive,) = folder.glob("*.tgz")
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        archive.unlink()

    return _fetched(f"{name}-{version}", unpack) / "package"


def npm_build(name: str, prepare: Callable[[Path], None], command: list[str]) -> Path:
    """Return a folder that *prepare* has filled and *command* built, with npm's packages."""

    def build(folder: Path) -> None:
        prepare(folder)
        run_tool(["npm", "install", "--silent", "--no-audit", "--no-fund"], folder)
        run_tool(["npx", *command], folder)

    return _fetched(name, build)


def run_tool(command: list[str], folder: Path) -> None:
    """Run a program of the system; what it says is the message when it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | {"CI": "true"},  # npm tools ask nothing then
            check=False,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
        )
    except FileNotFoundError:
        raise MissingPackageError(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise MissingPackageError(f"{' '.join(command)} took too long") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip() or "it gave no reason"
        raise MissingPackageError(f"{' '.join(command)} failed: {said[-600:]}")


def _fetched(name: str, fetch: Callable[[Path], None]) -> Path:
    folder = _PACKAGES_DIR / name
    if folder.is_dir():
        return folder
    print(f"fetching {name} ...", flush=True)
    ensure_bench_folder()
    # Fetched aside and moved, so that an interrupted download is never taken for the package.
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    fetch(unfinished)
    unfinished.rename(folder)
    return folder
