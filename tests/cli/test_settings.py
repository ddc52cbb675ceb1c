"""``sitecrawl profiles``, ``settings`` and ``doctor``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from sitecrawl.config import setting_specs
from sitecrawl.config.meanings import MEANINGS
from sitecrawl.config.profiles import PROFILES, describe, differences
from sitecrawl.render import browser as render_browser
from sitecrawl.services.diagnosis import _package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Inventory
    from tests.site.project import ProcessResult, Project

_PASSWORD_URL = "postgresql://joe:secret@db.example:5432/inventory"


def shown(text: str) -> dict[str, tuple[str, str]]:
    """By setting: its value and where it comes from."""
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition(" = ")
        value, _, origin = rest.rpartition("  (")
        found[name] = (value, origin.removesuffix(")"))
    return found


# --- profiles -----------------------------------------------------------------------------------


def test_profiles_are_described_with_what_they_change(
    run_cli: Callable[..., ProcessResult],
) -> None:
    text = run_cli("profiles").succeeded().stdout
    for profile in PROFILES:
        assert f"{profile:<11} {describe(profile)}" in text
        for setting, value in differences(profile).items():
            if setting != "SITECRAWL_PROFILE":
                assert f"{setting} = {value!r}" in text


# --- settings -----------------------------------------------------------------------------------


def test_settings_shows_every_setting(cli: Callable[..., ProcessResult]) -> None:
    values = shown(cli("settings").succeeded().stdout)
    assert {spec.name for spec in setting_specs()} <= values.keys()
    assert values["SITECRAWL_MAX_SITEMAPS"] == ("10000", "default")
    assert values["SITECRAWL_TRACKING_PARAMETERS"] == ("(none)", "default")
    assert values["SITECRAWL_SITEMAP_PLACES"][0].startswith("/sitemap.xml, /sitemap_index.xml, ")


def test_settings_of_scrapy_that_profiles_and_variables_change_are_shown(
    cli: Callable[..., ProcessResult],
) -> None:
    values = shown(
        cli("settings", "--profile", "waterfall", environment={"USER_AGENT": "Audit/1.0"})
        .succeeded()
        .stdout
    )
    changed = {setting for profile in PROFILES for setting in differences(profile)}
    assert changed <= values.keys()
    assert values["RETRY_TIMES"] == ("3", "profile waterfall")
    assert values["USER_AGENT"] == ("Audit/1.0", "environment")


def test_settings_say_where_each_value_comes_from(cli: Callable[..., ProcessResult]) -> None:
    done = cli(
        *("settings", "--profile", "audit", "-s", "SITECRAWL_MAX_PAGES=7"),
        *("-s", "SITECRAWL_SUBDOMAINS=yes"),
        environment={"SITECRAWL_SUBDOMAINS": "no", "URL_DISCOVERY_CRAWL_TIMEOUT": "2500"},
    ).succeeded()
    values = shown(done.stdout)
    assert values["SITECRAWL_MAX_SITEMAPS"] == ("10000", "default")
    assert values["SITECRAWL_MAX_SITEMAP_URLS"] == ("1000", "profile audit")
    assert values["SITECRAWL_PAGE_TIMEOUT_SECONDS"] == ("2.5", "environment")
    assert values["SITECRAWL_MAX_PAGES"] == ("7", "command line")
    assert values["SITECRAWL_SUBDOMAINS"] == ("True", "command line")


def test_some_settings(cli: Callable[..., ProcessResult]) -> None:
    values = shown(cli("settings", "sitemap_url", "SOFT_404").succeeded().stdout)
    assert values.keys() == {
        "SITECRAWL_MAX_SITEMAP_URLS",
        "SITECRAWL_MIN_SITEMAP_URLS",
        "SITECRAWL_SOFT_404",
    }


def test_a_setting_that_there_is_not_is_said(cli: Callable[..., ProcessResult]) -> None:
    done = cli("settings", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_a_whole_name_explains_the_setting(cli: Callable[..., ProcessResult]) -> None:
    lines = cli("settings", "sitecrawl_crawl").succeeded().stdout.splitlines()
    place = lines.index("SITECRAWL_CRAWL = never  (environment)")
    assert lines[place + 1 : place + 6] == [
        f"  {MEANINGS['SITECRAWL_CRAWL']}",
        "  expects one of auto, always, never; the default is auto",
        "  in the environment: SITECRAWL_CRAWL",
        "  by the profile docs: always",
        "  by the profile monitor: never",
    ]
    assert lines[place + 6].startswith("SITECRAWL_CRAWL_LISTED_PAGES = ")


def test_links_of_explanations_name_the_page(cli: Callable[..., ProcessResult]) -> None:
    text = cli("settings", "SITECRAWL_DATABASE_URL").succeeded().stdout
    assert "where everything is kept (database: docs/database.md)" in text


def test_settings_of_scrapy_are_shown_by_their_whole_name(
    cli: Callable[..., ProcessResult],
) -> None:
    assert cli("settings", "DEPTH_LIMIT").succeeded().stdout.splitlines() == [
        "DEPTH_LIMIT = 0  (default)",
        "  a setting of Scrapy, whose documentation explains it",
    ]
    assert "did you mean DEPTH_LIMIT?" in cli("settings", "DEPHT_LIMIT").stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DOWNLOAD_DELY", "did you mean DOWNLOAD_DELAY?"),
        ("SITECRAL_CRAWL", "did you mean SITECRAWL_CRAWL?"),
        ("download_delay", "did you mean DOWNLOAD_DELAY?"),
        ("MY_SHOP_TOKEN", ""),
        ("PLAYWRIGHT_CONTEXTS", ""),
    ],
)
def test_a_misspelled_setting_is_told_and_not_refused(
    cli: Callable[..., ProcessResult], name: str, words: str
) -> None:
    done = cli("settings", "SOFT_404", "-s", f"{name}=1").succeeded()
    assert done.stderr.strip() == (f"-s {name}: there is no such setting; {words}" if words else "")


def test_combined_profiles_say_what_they_disagree_about(cli: Callable[..., ProcessResult]) -> None:
    done = cli("settings", "MAX_SITEMAPS", "--profile", "docs,monitor").succeeded()
    assert done.stdout.startswith("SITECRAWL_MAX_SITEMAPS = 500  (profile docs,monitor)")
    assert "--profile docs,monitor: SITECRAWL_CRAWL is 'never' by monitor" in done.stderr


def test_a_variable_chooses_the_profile(cli: Callable[..., ProcessResult]) -> None:
    done = cli("settings", "MAX_SITEMAPS", environment={"SITECRAWL_PROFILE": "monitor"})
    assert done.succeeded().stdout.startswith("SITECRAWL_MAX_SITEMAPS = 500  (profile monitor)")


@pytest.mark.parametrize(
    "url", [_PASSWORD_URL, "postgresql://db.example/inventory?user=joe&password=secret"]
)
def test_the_password_of_the_database_is_not_shown(
    cli: Callable[..., ProcessResult], url: str
) -> None:
    done = cli("settings", "database", environment={"SITECRAWL_DATABASE_URL": url}).succeeded()
    assert "db.example" in done.stdout
    assert "secret" not in done.output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("-s", "SITECRAWL_MAX_PAGES=many"), "SITECRAWL_MAX_PAGES='many' on the command line"),
        (("-s", "SITECRAWL_MAX_PAGE=5"), "did you mean SITECRAWL_MAX_PAGES?"),
        (("-s", "nonsense"), "NAME=VALUE"),
        (("--profile", "adit"), "'adit'"),
    ],
)
def test_bad_settings_are_one_line(
    cli: Callable[..., ProcessResult], args: tuple[str, ...], words: str
) -> None:
    done = cli("settings", *args)
    assert done.returncode == 2
    assert done.stderr.startswith("sitecrawl: ")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


# --- doctor -------------------------------------------------------------------------------------


def test_doctor_before_the_first_scan(run_cli: Callable[..., ProcessResult]) -> None:
    done = run_cli("doctor").succeeded()
    lines = {line[4:16].strip(): line for line in done.stdout.splitlines()}
    assert lines["scrapy"].startswith("ok ")
    assert "2.19" in lines["scrapy"]
    assert lines["brotli"].startswith("ok ")
    assert "scrapy-fake-useragent " in done.stdout
    assert "created by the first scan" in lines["database"]
    assert "USER_AGENT" in lines["user agent"]
    assert "browser" in lines
    assert not done.database.exists()


def test_doctor_counts_the_sites(inventory: Inventory) -> None:
    assert "2 sites" in inventory.run("doctor").succeeded().stdout


def test_doctor_likes_an_own_user_agent(cli: Callable[..., ProcessResult]) -> None:
    done = cli("doctor", environment={"USER_AGENT": "Audit/1.0 (+https://acme.test/bot)"})
    assert "ok  user agent   Audit/1.0 (+https://acme.test/bot)\n" in done.succeeded().stdout


def test_doctor_says_what_is_wrong_with_the_database(
    cli: Callable[..., ProcessResult], project: Project
) -> None:
    project.database.write_text("not a database at all, but long enough to look at" * 9)
    done = cli("doctor")
    assert done.returncode == 1
    assert "!!  database" in done.stdout


def test_doctor_looks_at_another_database(
    cli: Callable[..., ProcessResult], inventory: Inventory
) -> None:
    url = f"sqlite:///{inventory.project.database}"
    assert "2 sites" in cli("doctor", "--database", url).succeeded().stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_doctor_sees_that_no_database_can_be_made(
    cli: Callable[..., ProcessResult], tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir(mode=0o500)
    done = cli("doctor", "--database", f"sqlite:///{tmp_path}/kept/own.db")
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line[4:].startswith("database")]
    assert line.startswith("!!  ")
    assert f"you may not write into {tmp_path}/kept; change that, or set" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_doctor_sees_that_a_database_can_only_be_read(
    cli: Callable[..., ProcessResult], inventory: Inventory, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    source = f"sqlite:///{inventory.project.database}"
    cli("backup", str(copy), "--database", source).succeeded()
    copy.chmod(0o400)
    done = cli("doctor", "--database", f"sqlite:///{copy}")
    [line] = [line for line in done.stdout.splitlines() if line[4:].startswith("database")]
    assert line.startswith("-   ")
    assert "2 sites" in line
    assert "you may only read it" in line


def test_doctor_does_not_show_the_password(cli: Callable[..., ProcessResult]) -> None:
    url = "postgresql://joe:secret@127.0.0.1:9/inventory"
    done = cli("doctor", environment={"SITECRAWL_DATABASE_URL": url})
    assert done.returncode == 1
    assert "127.0.0.1:9/inventory" in done.stdout
    assert "secret" not in done.output


def test_doctor_on_postgresql(cli: Callable[..., ProcessResult], postgres_url: str) -> None:
    done = cli("doctor", environment={"SITECRAWL_DATABASE_URL": postgres_url})
    assert done.succeeded().stdout.count("ok  database") == 1


def test_doctor_with_bad_settings_says_so(cli: Callable[..., ProcessResult]) -> None:
    done = cli("doctor", environment={"SITECRAWL_MAX_PAGES": "many"})
    assert done.returncode in {1, 2}
    assert "SITECRAWL_MAX_PAGES='many'" in done.output
    assert "Traceback" not in done.output


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Variables under which no browser is found, and nothing that would install one works."""
    monkeypatch.setattr(render_browser, "_APPLICATIONS", ())
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    return {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}


def own_browser(folder: Path, script: str = "echo Chromium 150.0") -> Path:
    program = folder / "own-chrome"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_doctor_names_the_browser(cli: Callable[..., ProcessResult], tmp_path: Path) -> None:
    path = own_browser(tmp_path)
    done = cli("doctor", environment={"SITECRAWL_BROWSER": str(path)}).succeeded()
    assert f"ok  browser      {path}, Chromium 150.0 (SITECRAWL_BROWSER)\n" in done.stdout


def test_doctor_does_without_a_browser(
    cli: Callable[..., ProcessResult], bare_machine: dict[str, str]
) -> None:
    done = cli("doctor", environment=bare_machine).succeeded()
    assert "-   browser      none found" in done.stdout
    assert "sitecrawl doctor --install-browser" in done.stdout


def test_doctor_sees_a_browser_that_does_not_start(
    cli: Callable[..., ProcessResult], tmp_path: Path
) -> None:
    path = own_browser(tmp_path, "exit 127")
    done = cli("doctor", environment={"SITECRAWL_BROWSER": str(path)}).succeeded()
    assert f"-   browser      {path} does not start" in done.stdout


def test_doctor_sees_a_browser_that_is_not_there(cli: Callable[..., ProcessResult]) -> None:
    wrong = {"SITECRAWL_BROWSER": "/nowhere/chrome"}
    done = cli("doctor", environment=wrong)
    assert done.returncode == 1
    assert "!!  browser      SITECRAWL_BROWSER='/nowhere/chrome'" in done.stdout
    installing = cli("doctor", "--install-browser", environment=wrong)
    assert installing.returncode == 2
    assert installing.stderr.startswith("sitecrawl: SITECRAWL_BROWSER='/nowhere/chrome'")


def test_doctor_installs_no_second_browser(
    cli: Callable[..., ProcessResult], tmp_path: Path
) -> None:
    path = own_browser(tmp_path)
    done = cli("doctor", "--install-browser", environment={"SITECRAWL_BROWSER": str(path)})
    assert str(path) in done.succeeded().stdout
    assert done.stderr == ""


def test_doctor_says_that_no_browser_could_be_installed(
    cli: Callable[..., ProcessResult], bare_machine: dict[str, str]
) -> None:
    done = cli("doctor", "--install-browser", environment=bare_machine)
    assert done.returncode == 1
    assert "That failed: " in done.stderr
    assert "No browser could be installed." in done.stderr
    assert "-   browser      none found" in done.stdout


def test_a_missing_package_is_said_with_what_it_is_for() -> None:
    required, optional = (
        _package("no-such-package"),
        _package("nope", "Excel files"),
    )
    assert (required.is_fine, required.is_optional) == (False, False)
    assert (optional.is_fine, optional.is_optional) == (False, True)
    assert "Excel files" in optional.words
