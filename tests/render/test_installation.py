"""Installing a browser, with programs in place of the real ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sitecrawl.config import ConfigError
from sitecrawl.render import browsers, installation
from sitecrawl.render.installation import NO_SUCCESS, install_browser

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
    monkeypatch.setattr(browsers, "_APPLICATIONS", ())
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
    monkeypatch.setattr(browsers, "find_spec", lambda name: None)
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
    monkeypatch.setattr(installation, "_DOWNLOAD_SECONDS", 0.05)
    machine.put("python", "exec /bin/sleep 60")
    assert machine.install() is None
    assert "That failed: it took more than 0 seconds" in machine.said


def test_what_a_step_has_started_ends_with_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "_DOWNLOAD_SECONDS", 0.3)
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
