from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert, update

from sitecrawl.services import diagnosis
from sitecrawl.services.database import configured
from sitecrawl.services.diagnosis import run_checks
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from tests.site.project import ROOT
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.services.diagnosis import Check
    from sitecrawl.store.engine import Database

_NOW = datetime.now(UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/own.db") as opened:
        crawling = Crawling(opened)
        crawling.start()
        crawling.visit("/", "/a")
        crawling.end()
        yield opened


def checks(database: Database) -> dict[str, Check]:
    config = replace(configured(), database_url=f"sqlite:///{database.engine.url.database}")
    return {check.name: check for check in run_checks(config, "Own/1.0")}


def test_a_database_that_is_well(database: Database) -> None:
    found = checks(database)
    assert found["database"].is_fine
    assert " 1 site," in found["database"].words
    assert found["scans"].words == "1 in all, 0 running"
    assert found["disk"].is_fine
    assert found.keys().isdisjoint({"monitor", "channels", "secret key", "retention"})


def test_every_extra_is_named(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", is_missing)
    words = " ".join(check.words for check in checks(database).values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in project["optional-dependencies"].keys() - {"dev", "docs"}:
        assert f"sitecrawl[{extra}]" in words


@pytest.mark.parametrize(
    ("version", "is_fine"), [("80.10.2", True), ("81.0.0", False), ("", False)]
)
def test_a_setuptools_with_which_scrapyd_works(
    version: str, is_fine: bool, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = metadata.version

    def installed(name: str) -> str:
        if name != "setuptools":
            return real(name)
        if not version:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", installed)
    found = checks(database)["setuptools"]
    assert found.is_fine == is_fine
    assert is_fine or "pip install 'setuptools<81'" in found.words


def test_a_scan_whose_process_is_gone(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(
            update(t.scans).values(
                status="running", finished_at=None, heartbeat_at=_NOW - timedelta(days=1)
            )
        )
    assert not checks(database)["scans"].is_fine
    assert "sitecrawl resume" in checks(database)["scans"].words


def test_watched_sites_without_a_scheduler(database: Database) -> None:
    add_site(database, 1, NewSite(root_url="https://example.com/"))
    found = checks(database)["monitor"]
    assert not found.is_fine
    assert "1 site watched, 0 schedulers" in found.words
    assert "sitecrawl monitor run" in found.words


def test_a_full_disk(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "_MIN_FREE_BYTES", 1 << 60)
    found = checks(database)["disk"]
    assert not found.is_fine
    assert not found.is_optional


def test_channels_that_failed_and_a_key_that_is_missing(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(
            insert(t.channels).values(
                workspace_id=1,
                kind="webhook",
                name="ours",
                target_label="example.com",
                target="",
                target_hash="",
                rules={},
                enabled=False,
                disabled_reason="gone",
                failures=9,
                created_at=_NOW,
                updated_at=_NOW,
            )
        )
    found = checks(database)
    assert "1 switched off" in found["channels"].words
    assert not found["secret key"].is_fine
    assert "own.key" in found["secret key"].words
