"""Finds or installs a Chromium, and gives its launch options."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
_DOWNLOAD_SECONDS = 600
_PACKAGE_SECONDS = 900
_END_SECONDS = 10
_MAX_REASON_CHARACTERS = 300
# The first one suffices, but is not available everywhere.
_PACKAGES = ("chromium-headless-shell", "chromium")
NO_SUCCESS = (
    "No browser could be installed. Install Chromium or Chrome with the means of your system, or "
    "set SITECRAWL_BROWSER to the path of one. Without it pages are read as the server sends them."
)

# Playwright's own arguments already turn off first runs, sync, updates and background networking.
# They are repeated, so that what a scan may contact does not depend on the defaults of Playwright.
_ARGUMENTS = (
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-client-side-phishing-detection",
    "--no-pings",
    # QUIC and WebRTC speak UDP, which no proxy setting holds back.
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
        """What the browser prints; empty if it is broken or a stub."""
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


def why_no_browser(setting: str = "") -> str:
    """What a person has to do before pages can be rendered; nothing: they can."""
    if not is_playwright_installed():
        return "scrapy-playwright is not installed: pip install 'sitecrawl[render]'"
    if find_browser(setting) is None:
        return "there is no browser: sitecrawl doctor --install-browser"
    return ""


def is_playwright_installed() -> bool:
    return find_spec("scrapy_playwright") is not None


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
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if chosen == "0":
        return package / ".local-browsers"
    return Path(chosen).absolute() if chosen else _cache_folder() / "ms-playwright"


def _cache_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    return Path(chosen) if chosen else Path.home() / ".cache"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


class _Step(NamedTuple):
    words: str
    command: Sequence[str]
    seconds: float


def install_browser(setting: str, say: Callable[[str], None]) -> Browser | None:
    """Install a browser unless one works; None: no step succeeded, *say* was told why."""
    if browser := _working_browser(setting):
        return browser
    for step in _steps():
        say(f"{step.words} ...")
        if reason := _failure(step):
            say(f"That failed: {reason}")
        elif browser := _working_browser(setting):
            say(f"Installed {browser.path}")
            return browser
    say(NO_SUCCESS)
    return None


def _working_browser(setting: str) -> Browser | None:
    browser = find_browser(setting)
    return browser if browser is not None and browser.version() else None


def _steps() -> Iterator[_Step]:
    if is_playwright_installed():
        command = (sys.executable, "-m", "playwright", "install", "--only-shell", "--no-progress")
        words = "Downloading Playwright's Chromium, about 100 MB"
        yield _Step(words, (*command, "chromium"), _DOWNLOAD_SECONDS)
    apt = _apt_command()
    if apt:
        yield _Step("Renewing the list of packages", (*apt, "update"), _PACKAGE_SECONDS)
        for package in _PACKAGES:
            # It brings the libraries that Playwright's download may have lacked, too.
            install = (*apt, "install", "--yes", "--no-install-recommends", package)
            yield _Step(f"Installing the package {package}", install, _PACKAGE_SECONDS)


def _apt_command() -> tuple[str, ...]:
    """Empty where packages are managed by others, or not by this user."""
    if shutil.which("apt-get") is None:
        return ()
    apt = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet")
    if os.geteuid() == 0:
        return apt
    # Without a prompt: there may be nobody to answer it.
    return ("sudo", "-n", *apt) if shutil.which("sudo") else ()


def _failure(step: _Step) -> str:
    """Run a step; return the last line of its output if it failed."""
    try:
        code, output = _run(step)
    except subprocess.TimeoutExpired:
        return f"it took more than {step.seconds:.0f} seconds"
    except OSError as error:
        return str(error)
    if code == 0:
        return ""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    said = next((line for line in reversed(lines) if line), "")
    return said[:_MAX_REASON_CHARACTERS] or f"exit code {code}"


def _run(step: _Step) -> tuple[int, bytes]:
    with subprocess.Popen(  # noqa: S603  fixed commands
        step.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # With what it starts in turn it can be ended as a whole.
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=step.seconds)
        except BaseException:
            _end(process)
            raise
        return process.returncode, output


def _end(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM first: a package manager that is killed leaves half of its work behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
            return
