"""Installs a browser: Playwright's download, else the system's package."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.render.browsers import find_browser, is_playwright_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sitecrawl.render.browsers import Browser

_DOWNLOAD_SECONDS = 600
_PACKAGE_SECONDS = 900
_END_SECONDS = 10
_MAX_REASON_CHARACTERS = 300
# The first is all that is needed, and is not to be had everywhere.
_PACKAGES = ("chromium-headless-shell", "chromium")
NO_SUCCESS = (
    "No browser could be installed. Install Chromium or Chrome with the means of your system, or "
    "set SITECRAWL_BROWSER to the path of one. Without it pages are read as the server sends them."
)


class _Step(NamedTuple):
    words: str
    command: Sequence[str]
    seconds: float


def install_browser(setting: str, say: Callable[[str], None]) -> Browser | None:
    """Install a browser unless one is there that starts; None: nothing helped, and why was said."""
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
    # Without a question: nobody may be there to answer it.
    return ("sudo", "-n", *apt) if shutil.which("sudo") else ()


def _failure(step: _Step) -> str:
    """Run a step; give what it complained of last, or nothing if it went well."""
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
    """Politely at first: a package manager that is killed leaves half of its work behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
            return
