"""Finding, starting and installing a browser, with programs in place of the real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from sitecrawl.config import ConfigError
from sitecrawl.render import browser as render_browser
from sitecrawl.render.browser import (
    NO_SUCCESS,
    Browser,
    BrowserOrigin,
    find_browser,
    install_browser,
    is_playwright_installed,
)

SYSTEM_ORDER = (
    "chromium-headless-shell",
    "chromium",
    "google-chrome-stable",
    "google-chrome",
    "chromium-browser",
)


def program(path: Path, says: str = "Chromium 150.0.1") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return str(path)


def downloaded(folder: Path, name: str, inside: str, revision: str | None = None) -> str:
    """A browser as ``playwright install`` leaves it."""
    spec = find_spec("playwright")
    assert spec is not None
    assert spec.submodule_search_locations
    listed = Path(spec.submodule_search_locations[0], "driver", "package", "browsers.json")
    revisions = {
        each["name"]: each["revision"] for each in json.loads(listed.read_text())["browsers"]
    }
    download = folder / f"{name.replace('-', '_')}-{revision or revisions[name]}"
    path = program(download / inside)
    (download / "INSTALLATION_COMPLETE").touch()
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH, empty; and a home in which nothing was downloaded."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(render_browser, "_APPLICATIONS", ())
    return folder


def downloads(path: Path) -> Path:
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return path.parent / "home" / caches / "ms-playwright"


# --- the order --------------------------------------------------------------------------------


@pytest.mark.usefixtures("path")
def test_there_may_be_none() -> None:
    assert find_browser() is None


def test_the_system_is_searched_in_order(path: Path) -> None:
    for name in reversed(SYSTEM_ORDER):
        expected = program(path / name)
        assert find_browser() == Browser(expected, BrowserOrigin.SYSTEM)


def test_what_playwright_downloaded_comes_before_the_system(path: Path) -> None:
    program(path / "chromium-headless-shell")
    chrome = downloaded(downloads(path), "chromium", "chrome-linux64/chrome")
    assert find_browser() == Browser(chrome, BrowserOrigin.PLAYWRIGHT)
    shell = downloaded(
        downloads(path), "chromium-headless-shell", "any-platform/chrome-headless-shell"
    )
    assert find_browser() == Browser(shell, BrowserOrigin.PLAYWRIGHT)


def test_the_setting_comes_first(path: Path) -> None:
    program(path / "chromium-headless-shell")
    downloaded(downloads(path), "chromium", "chrome-linux64/chrome")
    own = program(path.parent / "own" / "my chrome")
    assert find_browser(own) == Browser(own, BrowserOrigin.SETTING)


def test_the_setting_may_be_a_command_or_start_with_the_home_folder(path: Path) -> None:
    brave = program(path / "brave")
    assert find_browser("brave") == Browser(brave, BrowserOrigin.SETTING)
    own = program(path.parent / "home" / "chrome")
    assert find_browser("~/chrome") == Browser(own, BrowserOrigin.SETTING)


@pytest.mark.parametrize("kind", ["missing", "folder", "no program"])
def test_a_wrong_setting_is_an_error_although_others_are_there(path: Path, kind: str) -> None:
    program(path / "chromium")
    wrong = path / "wrong"
    if kind == "folder":
        wrong.mkdir()
    elif kind == "no program":
        wrong.write_text("text")
    with pytest.raises(
        ConfigError, match=r"SITECRAWL_BROWSER='.*/wrong': there is no such program"
    ):
        find_browser(str(wrong))


# --- Playwright's own -------------------------------------------------------------------------


def test_playwright_may_be_told_where_its_browsers_are(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = path.parent / "elsewhere"
    chrome = downloaded(elsewhere, "chromium", "chrome-linux64/chrome")
    assert find_browser() is None
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(elsewhere))
    assert find_browser() == Browser(chrome, BrowserOrigin.PLAYWRIGHT)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has its own place for caches")
def test_the_cache_may_be_elsewhere(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chrome = downloaded(
        path.parent / "cache" / "ms-playwright", "chromium", "chrome-linux64/chrome"
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(path.parent / "cache"))
    assert find_browser() == Browser(chrome, BrowserOrigin.PLAYWRIGHT)


def test_browsers_inside_of_the_package_are_found(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = path.parent / "package"
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "0")
    assert render_browser._downloads_folder(package) == package / ".local-browsers"


def test_a_download_that_was_broken_off_is_none(path: Path) -> None:
    chrome = downloaded(downloads(path), "chromium", "chrome-linux64/chrome")
    (Path(chrome).parents[1] / "INSTALLATION_COMPLETE").unlink()
    assert find_browser() is None


def test_browsers_of_another_playwright_are_none(path: Path) -> None:
    downloaded(downloads(path), "chromium", "chrome-linux64/chrome", revision="1")
    assert find_browser() is None


@pytest.mark.parametrize("text", [None, "", "[]", '{"browsers": 1}', '{"browsers": [{}]}', "\0"])
def test_a_list_that_is_not_as_it_used_to_be_names_nothing(
    tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "browsers.json").write_text(text)
    assert render_browser._revisions(tmp_path) == {}


def test_without_playwright_the_system_is_searched(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloaded(downloads(path), "chromium", "chrome-linux64/chrome")
    chromium = program(path / "chromium")
    assert is_playwright_installed()
    monkeypatch.setattr(render_browser, "find_spec", lambda name: None)
    assert not is_playwright_installed()
    assert find_browser() == Browser(chromium, BrowserOrigin.SYSTEM)


# --- version and start ------------------------------------------------------------------------


def test_the_version_is_asked_for(tmp_path: Path) -> None:
    path = program(tmp_path / "chromium", "Chromium 150.0.1 built on Debian ")
    assert Browser(path, BrowserOrigin.SYSTEM).version() == "Chromium 150.0.1 built on Debian"


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\n", "not a program"])
def test_a_browser_that_does_not_answer_has_no_version(tmp_path: Path, script: str) -> None:
    path = tmp_path / "chromium"
    path.write_text(script)
    path.chmod(0o755)
    assert Browser(str(path), BrowserOrigin.SYSTEM).version() == ""


def test_a_browser_that_hangs_has_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "chromium"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    monkeypatch.setattr(render_browser, "_VERSION_SECONDS", 0.05)
    assert Browser(str(path), BrowserOrigin.SYSTEM).version() == ""


@pytest.mark.parametrize(("user", "has_sandbox"), [(0, False), (1000, True)])
def test_only_root_goes_without_the_sandbox(
    monkeypatch: pytest.MonkeyPatch, user: int, has_sandbox: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)
    options = Browser("/usr/bin/chromium", BrowserOrigin.SYSTEM).launch_options()
    assert options["chromium_sandbox"] is has_sandbox
    assert options["executable_path"] == "/usr/bin/chromium"
    assert options["headless"] is True
    assert "--no-sandbox" not in options["args"]


def test_whatever_goes_past_proxies_is_off() -> None:
    arguments = Browser("/usr/bin/chromium", BrowserOrigin.SYSTEM).launch_options()["args"]
    assert {"--disable-quic", "--disable-background-networking", "--disable-sync"} <= set(arguments)
    assert "--force-webrtc-ip-handling-policy=disable_non_proxied_udp" in arguments


ROOT, SOMEBODY = 0, 1000


class Machine:
    """A system with nothing but the programs that a test puts there; each notes how it is called.

    A program that succeeds may leave a browser behind.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bin"
        self.path.mkdir()
        self._calls = folder / "calls"
        self.said: list[str] = []

    def put(self, name: str, script: str = "") -> Path:
        program = self.path / name
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> {self._calls}\n{script}\n')
        program.chmod(0o755)
        return program

    def leaves_browser(self, name: str = "chromium") -> str:
        browser = self.path / name
        lines = r"#!/bin/sh\necho Chromium 150\n"
        return f"printf '{lines}' > {browser}; /bin/chmod 755 {browser}"

    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def install(self, setting: str = "") -> str | None:
        browser = install_browser(setting, self.said.append)
        return browser.path if browser else None


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    found = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(found.path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloads"))
    monkeypatch.setattr(render_browser, "_APPLICATIONS", ())
    monkeypatch.setattr(sys, "executable", str(found.put("python", "exit 1")))
    monkeypatch.setattr("os.geteuid", lambda: ROOT)
    # The real one sets a variable and runs the rest.
    found.put("env", 'shift; exec "$@"')
    return found


def test_nothing_is_done_where_a_browser_is(machine: Machine) -> None:
    chromium = machine.put("chromium", "echo Chromium 150")
    assert machine.install() == str(chromium)
    assert machine.calls() == ["chromium --version"]
    assert machine.said == []


def test_playwright_comes_first(machine: Machine) -> None:
    machine.put("python", machine.leaves_browser())
    machine.put("apt-get")
    assert machine.install() == str(machine.path / "chromium")
    assert machine.calls() == ["python -m playwright install --only-shell --no-progress chromium"]
    assert machine.said[-1] == f"Installed {machine.path / 'chromium'}"


def test_playwright_knows_these_arguments() -> None:
    # Asked without a download, so that a new version that has renamed them is seen.
    done = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--only-shell" in done.stdout
    assert "--no-progress" in done.stdout


def test_packages_come_next(machine: Machine) -> None:
    machine.put("python", "echo the network is down >&2; exit 1")
    machine.put("apt-get", f'case "$*" in *shell) {machine.leaves_browser("chromium")};; esac')
    assert machine.install() is not None
    assert [call for call in machine.calls() if call.startswith("apt-get")] == [
        "apt-get --quiet update",
        "apt-get --quiet install --yes --no-install-recommends chromium-headless-shell",
    ]
    assert "That failed: the network is down" in machine.said


def test_the_larger_package_is_the_last_hope(machine: Machine) -> None:
    machine.put(
        "apt-get",
        f'case "$*" in *shell) echo "E: Unable to locate package"; exit 100;; '
        f"*chromium) {machine.leaves_browser()};; esac",
    )
    assert machine.install() == str(machine.path / "chromium")
    assert "That failed: E: Unable to locate package" in machine.said


def test_a_browser_that_does_not_start_is_not_enough(machine: Machine) -> None:
    # As Playwright's does where libraries are missing; the packages bring them.
    machine.put("chromium", "exit 127")
    machine.put("python")
    machine.put("apt-get", f'case "$*" in *shell) {machine.leaves_browser("chromium")};; esac')
    assert machine.install() == str(machine.path / "chromium")


def test_without_playwright_there_are_only_packages(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_browser, "find_spec", lambda name: None)
    machine.put("apt-get", machine.leaves_browser())
    assert machine.install() is not None
    assert not [call for call in machine.calls() if call.startswith("python")]


@pytest.mark.parametrize("has_sudo", [True, False])
def test_others_than_root_need_sudo(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, has_sudo: bool
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: SOMEBODY)
    machine.put("apt-get", machine.leaves_browser())
    if has_sudo:
        machine.put("sudo", 'shift; exec "$@"')
    assert (machine.install() is not None) is has_sudo
    sudo = [call for call in machine.calls() if call.startswith("sudo")]
    expected = ["sudo -n env DEBIAN_FRONTEND=noninteractive apt-get --quiet update"]
    assert sudo == (expected if has_sudo else [])


def test_a_password_is_not_waited_for(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: SOMEBODY)
    machine.put("apt-get")
    machine.put("sudo", "echo 'sudo: a password is required' >&2; exit 1")
    assert machine.install() is None
    assert "That failed: sudo: a password is required" in machine.said


def test_when_nothing_helps_it_says_what_to_do(machine: Machine) -> None:
    machine.put("python", "exit 3")
    assert machine.install() is None
    assert "That failed: exit code 3" in machine.said
    assert machine.said[-1] == NO_SUCCESS
    assert "SITECRAWL_BROWSER" in NO_SUCCESS


def test_a_step_that_takes_too_long_is_ended(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_browser, "_DOWNLOAD_SECONDS", 0.05)
    machine.put("python", "exec /bin/sleep 60")
    assert machine.install() is None
    assert "That failed: it took more than 0 seconds" in machine.said


def test_what_a_step_has_started_ends_with_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_browser, "_DOWNLOAD_SECONDS", 0.3)
    left = machine.path / "left"
    machine.put("python", f"/bin/sleep 60 & echo $! > {left}; wait")
    assert machine.install() is None
    status = Path("/proc", left.read_text().strip(), "status")
    assert not status.exists() or "State:\tZ" in status.read_text()


def test_a_program_that_cannot_be_run_is_a_failure_like_others(machine: Machine) -> None:
    Path(sys.executable).unlink()
    assert machine.install() is None
    assert any("No such file" in words for words in machine.said)


def test_a_wrong_setting_is_not_mended_by_a_download(machine: Machine) -> None:
    with pytest.raises(ConfigError, match="SITECRAWL_BROWSER"):
        machine.install("/nowhere/chrome")
    assert machine.calls() == []
