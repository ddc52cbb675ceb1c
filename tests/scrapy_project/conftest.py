from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.scrapy_project.spiders import run_shop
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.scrapy_project.spiders import ShopRun
    from tests.site.project import ProcessResult, Project

DEPLOYED_VERSION = "9.9.9"


@pytest.fixture
def shop_spider(
    project: Project, run_scrapy: Callable[..., ProcessResult]
) -> Callable[..., ShopRun]:
    """An ordinary spider: its start URLs, then options and settings; see ``run_shop``."""
    return partial(run_shop, project, run_scrapy)


@pytest.fixture
def copied_project(project: Project) -> Path:
    """A copy of the project's files, whose version shows that it is the copy that runs."""
    folder = project.folder / "project"
    folder.mkdir()
    for name in ("sitecrawl", "settings_profiles"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scrapy.cfg", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    module = folder / "sitecrawl" / "__init__.py"
    with module.open("a", encoding="utf-8") as file:
        file.write(f'\n__version__ = "{DEPLOYED_VERSION}"\n')
    return folder


@pytest.fixture
def environment(project: Project) -> dict[str, str]:
    """Nothing in it tells where the project is: Scrapyd knows by the egg alone."""
    own = ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE", "SITECRAWL_DATABASE_URL", "SITECRAWL_CRAWL")
    return {name: value for name, value in project.environment.items() if name not in own}
