from __future__ import annotations

from configparser import ConfigParser
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.profiles import (
    PROFILES,
    contradictions,
    describe,
    differences,
    load_settings,
)
from tests.site.build import page
from tests.site.project import ROOT

if TYPE_CHECKING:
    from tests.site import SiteServer
    from tests.site.project import Project

# The table "Defaults by profile" of the design, row by row. 0 is "no limit", and as a threshold
# "never"; nested maps share the time-out of the root where the table gives one figure.
_COLUMNS = ("default", "audit", "docs", "waterfall", "monitor")
_TABLE: dict[str, tuple[object, ...]] = {
    "SITECRAWL_MAX_SITEMAP_URLS": (0, 1_000, 0, 10_000, 0),
    "SITECRAWL_MAX_SITEMAPS": (10_000, 10_000, 10_000, 10_000, 500),
    "SITECRAWL_MAX_SITEMAP_DEPTH": (5, 5, 2, 5, 5),
    "SITECRAWL_MIN_SITEMAP_URLS": (10, 10, 1, 500, 0),
    "SITECRAWL_MAX_CRAWL_DEPTH": (2, 2, 0, 3, 2),
    "SITECRAWL_MAX_CRAWL_PAGES": (200, 200, 0, 10_000, 200),
    "SITECRAWL_CHECK_PAGES": (0, 0, 0, 0, 50),
    "SITECRAWL_ROBOTS_CACHE_SECONDS": (3600, 3600, 3600, 3600, 0),
    "SITECRAWL_PAGE_TIMEOUT_SECONDS": (10, 10, 30, 15, 10),
    "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": (30, 30, 10, 15, 12),
    "SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS": (30, 30, 5, 15, 12),
    "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS": (0, 0, 30, 0, 0),
    "SITECRAWL_ROBOTS_TIMEOUT_SECONDS": (30, 30, 30, 30, 8),
    "RETRY_TIMES": (2, 2, 2, 3, 2),
    "SITECRAWL_RETRY_BACKOFF_SECONDS": (0.2, 0.2, 0.2, 0.2, 0.2),
    "SITECRAWL_QUERY_STRINGS": ("clean", "skip", "keep", "clean", "keep"),
    "CONCURRENT_REQUESTS_PER_DOMAIN": (2, 2, 2, 2, 2),
    "AUTOTHROTTLE_ENABLED": (True, True, True, True, True),
    "SITECRAWL_MAX_PAGES": (0, 200, 0, 0, 0),
    "SITECRAWL_MAX_SCAN_MINUTES": (0, 60, 0, 0, 0),
    "SITECRAWL_ROBOTS_FAIL_OPEN": (False, True, False, False, False),
}
_FIGURES = [
    (profile, setting, value)
    for setting, values in _TABLE.items()
    for profile, value in zip(_COLUMNS, values, strict=True)
]


@pytest.mark.parametrize(("profile", "setting", "value"), _FIGURES)
def test_figures_of_the_design(profile: str, setting: str, value: object) -> None:
    assert load_settings(profile)[setting] == value


@pytest.mark.parametrize("profile", _COLUMNS)
def test_requests_to_a_host_are_200_to_500_ms_apart(profile: str) -> None:
    settings = load_settings(profile)
    delay, jitter = settings.getfloat("DOWNLOAD_DELAY"), settings.getfloat("DOWNLOAD_DELAY_JITTER")
    assert delay * (1 - jitter) == pytest.approx(0.2)
    assert delay * (1 + jitter) == pytest.approx(0.5)


@pytest.mark.parametrize(("profile"), PROFILES)
def test_every_profile_is_valid_and_knows_its_name(profile: str) -> None:
    assert Config.from_settings(load_settings(profile)).profile == profile


def test_scrapy_cfg_lists_the_same_profiles() -> None:
    parser = ConfigParser()
    parser.read(ROOT / "scrapy.cfg", encoding="utf-8")
    assert dict(parser["settings"]) == PROFILES


def test_every_module_of_settings_profiles_is_a_profile() -> None:
    modules = {
        f"settings_profiles.{path.stem}"
        for path in (ROOT / "settings_profiles").glob("*.py")
        if path.stem != "__init__"
    }
    assert modules == set(PROFILES.values()) - {"sitecrawl.settings"}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_only_changes_settings_that_there_are(profile: str) -> None:
    default, own = import_module(PROFILES["default"]), import_module(PROFILES[profile])
    unknown = {
        name for name in vars(own) if name.startswith("SITECRAWL_") and not hasattr(default, name)
    }
    assert not unknown


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_described_in_one_line(profile: str) -> None:
    words = describe(profile)
    assert words.endswith(".")
    assert "\n" not in words


def test_differences_are_what_the_profile_changes() -> None:
    assert differences("default") == {}
    fast = differences("fast")
    assert fast["DOWNLOAD_DELAY"] == 0
    assert fast["AUTOTHROTTLE_ENABLED"] is False
    assert "SITECRAWL_MAX_SITEMAPS" not in fast


def test_an_unknown_profile_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings("adit")
    message = str(caught.value)
    assert "'adit'" in message
    assert all(profile in message for profile in PROFILES)


def test_profiles_combine_and_the_later_one_wins() -> None:
    settings = load_settings("docs, fast,monitor")
    assert settings["SITECRAWL_PROFILE"] == "docs,fast,monitor"
    assert settings["SITECRAWL_MAX_CRAWL_PAGES"] == 0  # only docs changes it
    assert settings["DOWNLOAD_DELAY"] == 0  # only fast does
    assert settings["SITECRAWL_CRAWL"] == "never"
    assert load_settings("monitor,docs")["SITECRAWL_CRAWL"] == "always"


def test_what_profiles_disagree_about_is_said() -> None:
    assert list(contradictions("docs,fast")) == []
    said = list(contradictions("docs,fast,monitor"))
    assert "SITECRAWL_CRAWL is 'never' by monitor, not 'always' by docs" in said
    assert not [words for words in said if "SITECRAWL_PROFILE" in words]


def test_one_of_several_profiles_is_unknown() -> None:
    with pytest.raises(ConfigError, match="'fats'"):
        load_settings("docs,fats")


def test_docs_visits_the_reference_below_api(site: SiteServer, project: Project) -> None:
    site.routes |= {
        "/": b'<!doctype html><meta http-equiv="refresh" content="0;url=api/index.html">',
        "/api/index.html": page("Reference", "/api/String.html"),
        "/api/String.html": page("String"),
    }
    settings = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "SITECRAWL_CRAWL": "always"}
    found = project.crawl(f"{site.url}/", profile="docs", settings=settings).succeeded()
    paths = {url.removeprefix(site.url) for url in found.urls}
    assert paths == {"/", "/api/index.html", "/api/String.html"}
