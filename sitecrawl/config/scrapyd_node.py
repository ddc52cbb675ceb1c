"""The working folder of a Scrapyd node: its configuration, and each profile as a project."""

from __future__ import annotations

import os
import re
import secrets
from importlib import metadata, resources
from typing import TYPE_CHECKING, Final

from sitecrawl.config.profiles import PROFILES

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION: Final = "scrapyd.conf"
PROJECTS: Final = "scrapy.cfg"
_SAMPLE_PASSWORD: Final = "change-me"  # noqa: S105  what is replaced
# Scrapyd's jobs import pkg_resources, which setuptools has no more from this version on.
_SETUPTOOLS_WITHOUT_PKG_RESOURCES: Final = 81


def prepare_node(folder: Path) -> list[str]:
    """Write the files that the folder does not have yet; their names."""
    sample = resources.files("sitecrawl.config").joinpath(CONFIGURATION).read_text(encoding="utf-8")
    contents = {
        CONFIGURATION: sample.replace(_SAMPLE_PASSWORD, secrets.token_urlsafe(24)),
        PROJECTS: _projects(),
    }
    written = [name for name in contents if not (folder / name).exists()]
    for name in written:
        # With a password in it, it is for its owner alone from its first byte on.
        with open(folder / name, "x", encoding="utf-8", opener=_for_owner) as file:
            file.write(contents[name])
    return written


def setuptools_problem() -> str | None:
    """What is wrong with the setuptools of this environment for Scrapyd, and what to do."""
    try:
        version = metadata.version("setuptools")
    except metadata.PackageNotFoundError:
        version = None
    major = re.match(r"\d+", version or "")
    if major and int(major[0]) < _SETUPTOOLS_WITHOUT_PKG_RESOURCES:
        return None
    found = f"setuptools is {version}" if version else "setuptools is not installed"
    return f"{found}, and every job of Scrapyd would fail: pip install 'setuptools<81'"


def _projects() -> str:
    lines = [f"{name} = {module}" for name, module in PROFILES.items()]
    return "\n".join(("# Each profile is a project of Scrapyd.", "[settings]", *lines, ""))


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
