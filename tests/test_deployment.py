"""The wheel works without the repository, and the files of deploy/ name what there is."""

from __future__ import annotations

import shlex
import shutil
import stat
import subprocess
import sys
import urllib.request
import zipfile
from configparser import ConfigParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from scrapyd.config import Config as ScrapydConfig
from scrapyd.utils import initialize_component
from typer.main import get_command
from typer.testing import CliRunner

from sitecrawl import __version__
from sitecrawl.cli import app
from sitecrawl.config import setting_specs
from sitecrawl.config.profiles import PROFILES
from sitecrawl.config.scrapyd_node import prepare_node
from tests.site.project import ROOT, Project

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPLOY = ROOT / "deploy"
_WAIT_SECONDS = 60
_UNITS = sorted(_DEPLOY.glob("*.service"))


# --- the wheel ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, which setuptools may leave its own folders in."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("sitecrawl", "settings_profiles"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    command = ("-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check")
    subprocess.run(
        [sys.executable, *command, "--outdir", str(folder), str(source)],
        check=True,
        capture_output=True,
        timeout=_WAIT_SECONDS * 2,
    )
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Project:
    """A folder in which the files of the wheel are found first, and none of the repository's."""
    files = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(files)
    project = Project.in_folder(tmp_path)
    return Project(
        project.folder, project.database, {**project.environment, "PYTHONPATH": str(files)}
    )


def test_the_wheel_has_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("sitecrawl", "settings_profiles"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert path.relative_to(ROOT).as_posix() in names
    assert not any(name.startswith(("tests/", "benchmarks/", "docs/")) for name in names)


def test_the_wheel_works_without_the_repository(installed: Project) -> None:
    where = installed.run(sys.executable, "-c", "import sitecrawl; print(sitecrawl.__file__)")
    assert where.stdout.startswith(installed.environment["PYTHONPATH"])

    def run(*args: str) -> str:
        done = installed.run(sys.executable, "-m", "sitecrawl", *args)
        return done.succeeded().stdout

    assert run("--version") == f"sitecrawl {__version__}\n"
    assert "SITECRAWL_MAX_PAGES = 200" in run("profiles")
    run("discover", "--demo", "--profile", "fast")
    [scan] = run("scans").splitlines()
    assert "152 URLs" in scan
    site = scan.split()[-1]
    run("report", site, "-o", "report.html")
    assert "<title>" in (installed.folder / "report.html").read_text(encoding="utf-8")
    server = installed.start(sys.executable, "-m", "sitecrawl", "serve", "--port", "0")
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[4]
        for path in ("/api/ready", "/login"):
            with urllib.request.urlopen(address + path, timeout=_WAIT_SECONDS) as answer:
                assert answer.status == 200
    finally:
        server.terminate()
        server.communicate(timeout=_WAIT_SECONDS)


# --- images -------------------------------------------------------------------------------------


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((_DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def commands() -> Iterator[list[str]]:
    """What the images and the units run, as arguments of sitecrawl."""
    for name, service in compose()["services"].items():
        if name != "database":
            yield service["command"]
            test = service.get("healthcheck", {}).get("test", [])
            if "sitecrawl" in test:
                yield test[test.index("sitecrawl") + 1 :]
    for unit in _UNITS:
        for line in unit.read_text(encoding="utf-8").splitlines():
            _, is_command, words = line.partition("/opt/sitecrawl/bin/sitecrawl ")
            if is_command:
                yield shlex.split(words.rstrip("'"))


@pytest.mark.parametrize("command", [*commands()], ids=" ".join)
def test_commands_of_images_and_units_are_understood(command: list[str]) -> None:
    done = CliRunner().invoke(app, [*command, "--help"])
    assert done.exit_code == 0, done.output
    assert command[0] in get_command(app).commands  # type: ignore[attr-defined]


def test_linters_find_nothing() -> None:
    for program, *args in (
        ("hadolint", "deploy/Dockerfile"),
        ("yamllint", "--strict", "-c", ".yamllint.yaml", "deploy/compose.yaml"),
    ):
        path = shutil.which(program, path=Path(sys.executable).parent)
        assert path is not None
        done = subprocess.run(
            [path, *args], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_variables_of_compose_are_settings_and_in_the_example() -> None:
    example = (_DEPLOY / "example.env").read_text(encoding="utf-8")
    known = {variable for spec in setting_specs() for variable in (spec.name, *spec.environment)}
    for name in compose()["x-sitecrawl"]["environment"]:
        assert name in known or name == "USER_AGENT"
        assert f"\n{name}=" in example or name == "SITECRAWL_DATABASE_URL"


# --- Scrapyd and systemd ------------------------------------------------------------------------


def test_scrapyd_takes_its_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert prepare_node(tmp_path) == ["scrapyd.conf", "scrapy.cfg"]
    assert stat.S_IMODE((tmp_path / "scrapyd.conf").stat().st_mode) == 0o600
    monkeypatch.chdir(tmp_path)
    config = ScrapydConfig()
    assert config.get("username") == "sitecrawl"
    assert len(config.get("password")) == 32
    assert config.getint("max_proc") == 4
    assert dict(config.items("settings")) == PROFILES
    initialize_component(config, "jobstorage", "")
    known = ConfigParser()
    known.read_string(
        (Path(sys.modules["scrapyd"].__file__ or "").parent / "default_scrapyd.conf").read_text()
    )
    own = ConfigParser()
    own.read("scrapyd.conf")
    assert set(own["scrapyd"]) <= set(known["scrapyd"])


def test_a_node_keeps_the_files_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "scrapyd.conf").write_text("[scrapyd]\n")
    assert prepare_node(tmp_path) == ["scrapy.cfg"]
    assert (tmp_path / "scrapyd.conf").read_text() == "[scrapyd]\n"
    assert prepare_node(tmp_path) == []


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
def test_units_are_understood() -> None:
    done = subprocess.run(
        ["systemd-analyze", "verify", *map(str, _UNITS), str(_DEPLOY / "sitecrawl-backup.timer")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    said = [line for line in done.stderr.splitlines() if "/opt/sitecrawl/bin/" not in line]
    assert [line for line in said if "sitecrawl" in line] == []
