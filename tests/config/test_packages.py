from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.config import Config, ConfigError, packages
from sitecrawl.config.packages import check_packages
from sitecrawl.config.profiles import load_settings
from sitecrawl.spiders.discover import DiscoverSpider

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

_ASKED: dict[str, tuple[str, Any, str]] = {
    "xlsx": ("FEEDS", {"a": {"format": "xlsx"}}, "the feed a needs the xlsxwriter package"),
    "parquet": ("FEEDS", {"a": {"format": "csv"}, "b": {"format": "parquet"}}, "[parquet]"),
    "traces": ("SITECRAWL_TRACES_URL", "http://127.0.0.1:9/", "[otel]"),
    "agents": ("SITECRAWL_BROWSER_USER_AGENTS", True, "scrapy-fake-useragent package"),
    "language": ("SITECRAWL_LANGUAGE_DETECTION", "always", "[language]"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "value", "words"), _ASKED.values(), ids=_ASKED)
def test_a_missing_package_is_found_before_the_scan(
    monkeypatch: pytest.MonkeyPatch, name: str, value: Any, words: str
) -> None:
    settings = load_settings("default")
    settings.set(name, value, "cmdline")
    DiscoverSpider.update_settings(settings.copy())

    def is_missing(module: str) -> ModuleSpec | None:
        # Of a package that is not there, a part cannot even be looked for.
        return find_spec(f"no_such_{module}")

    monkeypatch.setattr(packages, "find_spec", is_missing)
    with pytest.raises(ConfigError) as raised:
        DiscoverSpider.update_settings(settings)
    assert words in str(raised.value)
    if name != "FEEDS":
        assert str(raised.value).startswith(name)


def test_without_a_wish_nothing_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings("default")
    monkeypatch.setattr(packages, "find_spec", lambda _module: None)
    check_packages(Config.from_settings(settings), settings)
