"""Finds a Chromium to render with, and says how it is started."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The headless shell first: it is the smallest and starts the fastest.
_COMMANDS = (
    "chromium-headless-shell",
    "chromium",
    "google-chrome-stable",
    "google-chrome",
    "chromium-browser",
)
_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# What Playwright downloads: its name in Playwright's list, and where the program is in its folder.
_DOWNLOADS = {
    "chromium-headless-shell": ("*/chrome-headless-shell", "*/headless_shell"),
    "chromium": ("*/chrome", "*/*.app/Contents/MacOS/*"),
}
_COMPLETE = "INSTALLATION_COMPLETE"
_VERSION_SECONDS = 10

# Playwright's own arguments already turn off first runs, sync, updates and background networking.
# They are here as well, because what a scan may contact should not hang on another's defaults.
_ARGUMENTS = (
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    # QUIC and WebRTC speak UDP, which goes past every proxy, and so past the guard of addresses.
    # The name of the second differs between builds.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)


class BrowserOrigin(StrEnum):
    """How a browser was found."""

    SETTING = "SITECRAWL_BROWSER"
    PLAYWRIGHT = "Playwright"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Browser:
    path: str
    origin: BrowserOrigin

    def version(self) -> str:
        """Ask the browser; nothing if it does not answer, as a broken one or a mere stub."""
        try:
            answer = subprocess.run(  # noqa: S603  a browser that the user has or names
                [self.path, "--version"],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=_VERSION_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        lines = answer.stdout.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def launch_options(self) -> dict[str, Any]:
        """For Playwright's ``chromium.launch``."""
        return {
            "executable_path": self.path,
            "headless": True,
            # As root Chromium refuses to start with its sandbox.
            "chromium_sandbox": not _is_root(),
            "args": list(_ARGUMENTS),
        }


def find_browser(setting: str = "") -> Browser | None:
    """Look for what the setting names, else for Playwright's own browser, else in the system."""
    if setting:
        own = str(Path(setting).expanduser()) if setting.startswith("~") else setting
        path = shutil.which(own)
        if path is None:
            raise ConfigError(
                f"SITECRAWL_BROWSER={setting!r}: there is no such program; "
                "expected the path of a Chromium or Chrome"
            )
        return Browser(path, BrowserOrigin.SETTING)
    for path in _playwright_programs():
        return Browser(path, BrowserOrigin.PLAYWRIGHT)
    for name in (*_COMMANDS, *_APPLICATIONS):
        if path := shutil.which(name):
            return Browser(path, BrowserOrigin.SYSTEM)
    return None


def is_playwright_installed() -> bool:
    return find_spec("playwright") is not None


def _playwright_programs() -> Iterator[str]:
    """Those browsers of the installed Playwright that were downloaded.

    They are where Playwright puts them, in the folders of the revisions that it was made for.
    Asking Playwright itself would start Node.js, which takes half a second.
    """
    spec = find_spec("playwright")
    if spec is None or not spec.submodule_search_locations:
        return
    package = Path(spec.submodule_search_locations[0], "driver", "package")
    folder = _downloads_folder(package)
    for name, revision in _revisions(package).items():
        download = folder / f"{name.replace('-', '_')}-{revision}"
        if (download / _COMPLETE).exists():
            for pattern in _DOWNLOADS[name]:
                yield from filter(shutil.which, map(str, sorted(download.glob(pattern))))


def _revisions(package: Path) -> dict[str, str]:
    """By name, in our order; empty where Playwright's list is not as it used to be."""
    try:
        listed = json.loads((package / "browsers.json").read_text(encoding="utf-8"))["browsers"]
        revisions = {entry["name"]: entry["revision"] for entry in listed}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return {name: revisions[name] for name in _DOWNLOADS if name in revisions}


def _downloads_folder(package: Path) -> Path:
    chosen = _playwright_environment().get("PLAYWRIGHT_BROWSERS_PATH", "")
    if chosen == "0":
        return package / ".local-browsers"
    return Path(chosen).absolute() if chosen else _cache_folder() / "ms-playwright"


def _cache_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = _playwright_environment().get("XDG_CACHE_HOME", "")
    return Path(chosen) if chosen else Path.home() / ".cache"


def _playwright_environment() -> Mapping[str, str]:
    """The variables that Playwright's driver sees: they are its settings, not ours."""
    from playwright._impl._driver import get_driver_env

    variables: Mapping[str, str] = get_driver_env()
    return variables


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
