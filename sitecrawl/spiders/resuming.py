"""What a scan was asked for, read from its record so that it can be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sitecrawl.config import Config, ConfigError, apply_environment, setting_specs
from sitecrawl.config.profiles import apply_profile
from sitecrawl.config.values import count
from sitecrawl.scan.arguments import SpiderArguments, own_arguments
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

    from sitecrawl.store.queries.scans import Scan


# Scrapy's own settings that decide how a site is asked: it is not asked otherwise afterwards.
_FETCHER = "fetch"  # joins scans of other spiders
_MANNERS = (
    *("USER_AGENT", "CONCURRENT_REQUESTS_PER_DOMAIN", "DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER"),
    *("AUTOTHROTTLE_ENABLED", "AUTOTHROTTLE_START_DELAY", "AUTOTHROTTLE_MAX_DELAY"),
    *("AUTOTHROTTLE_TARGET_CONCURRENCY", "RETRY_TIMES"),
)


def manners(settings: BaseSettings) -> dict[str, Any]:
    """How the site is asked, for the record."""
    return {name: settings.get(name) for name in _MANNERS}


def check_arguments(given: Mapping[str, str], settings: BaseSettings, spider: str) -> None:
    """Find before anything is started what would stop the spider."""
    if "resume" not in given:
        SpiderArguments.parse(given)
        return
    settings = settings.copy()
    apply_environment(settings)
    recorded_arguments(given, settings, spider)


def recorded_arguments(
    given: Mapping[str, str], settings: BaseSettings, spider: str
) -> dict[str, str]:
    """The arguments of the scan to resume; its settings go into *settings*.

    What is given on the command line or in the environment stands above the record.
    """
    if others := sorted(own_arguments(given).keys() - {"resume"}):
        raise ConfigError(
            f"argument {others[0]}: a resumed scan has its own arguments; give resume alone"
        )
    scan = _recorded_scan(given["resume"], settings)
    recorded_spider = scan.settings.get("spider", spider)
    if spider not in {recorded_spider, _FETCHER}:
        raise ConfigError(
            f"argument resume={scan.id}: that scan was made by the spider {recorded_spider}:"
            f" scrapy crawl {recorded_spider} -a resume={scan.id}"
        )
    if scan.profile:
        apply_profile(scan.profile, settings)
    for spec in setting_specs():
        if spec.field in scan.settings:
            settings.set(spec.name, scan.settings[spec.field], "spider")
    for name in _MANNERS:
        if name in scan.settings:
            settings.set(name, scan.settings[name], "spider")
    bases = ",".join(scan.settings.get("bases", ()))
    job = given.get("_job", "")
    arguments = {"resume": str(scan.id), "domain": scan.asked, "base": bases, "_job": job}
    return {name: value for name, value in arguments.items() if value}


def _recorded_scan(number: str, settings: BaseSettings) -> Scan:
    try:
        scan_id = count.parse(number)
    except ValueError as error:
        raise ConfigError(f"argument resume={number!r}: expected the number of a scan") from error
    from sitecrawl.store.engine import open_database  # only who resumes needs it before the spider
    from sitecrawl.store.queries.scans import scan_by_id

    with open_database(Config.from_settings(settings).database_url, create=False) as database:
        scan = scan_by_id(database, scan_id)
    if scan is None:
        raise ConfigError(f"argument resume={number}: there is no such scan; see sitecrawl scans")
    if scan.status == ScanStatus.FINISHED:
        raise ConfigError(f"argument resume={number}: that scan has ended, nothing is left of it")
    return scan
