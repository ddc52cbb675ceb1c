"""Settings that need the package of an extra: found before a scan starts."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

    from sitecrawl.config import Config

# The format of a feed: the package that writes it, and the extra that has the package.
FEED_PACKAGES: Final = {"xlsx": ("xlsxwriter", "excel"), "parquet": ("pyarrow", "parquet")}


def check_packages(config: Config, settings: BaseSettings) -> None:
    """Raise ConfigError if what is asked for needs a package that is not installed."""
    for asked, module, extra in _needed(config, settings):
        if not _is_installed(module):
            package = module.partition(".")[0].replace("_", "-")
            remedy = f"pip install 'sitecrawl[{extra}]'"
            raise ConfigError(f"{asked} needs the {package} package; {remedy}")


def _needed(config: Config, settings: BaseSettings) -> Iterator[tuple[str, str, str]]:
    if config.browser_user_agents:
        yield "SITECRAWL_BROWSER_USER_AGENTS", "scrapy_fake_useragent", "browserlike"
    if config.language_detection == "always":
        yield "SITECRAWL_LANGUAGE_DETECTION=always", "py3langid", "language"
    if config.traces_url:
        yield "SITECRAWL_TRACES_URL", "opentelemetry.exporter.otlp.proto.http", "otel"
    for path, options in settings.getdict("FEEDS").items():
        if needed := FEED_PACKAGES.get(options.get("format", "")):
            yield f"the feed {path}", *needed


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of a package above it
        return False
