"""What a run was asked for: its arguments and feeds, also those of a scan that is resumed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sitecrawl.config import Config, ConfigError, setting_specs
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import apply_profile, profile_names
from sitecrawl.config.values import ValueKind, choice, count, flag, names, text
from sitecrawl.render.trials import RenderMode
from sitecrawl.safety.policy import Endpoint, endpoint_of
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.address import resolve, without_credentials
from sitecrawl.urls.skip import SkipRules
from sitecrawl.urls.target import Target, TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

    from sitecrawl.store.queries.scans import Scan

_KINDS: dict[str, ValueKind] = {
    "domain": text,
    "profile": text,
    "base": names,
    "strict": flag,
    "subdomains": flag,
    "skip": names,
    "render": choice(*RenderMode),
    "resume": count,
    "dive": count,
}


@dataclass(frozen=True, slots=True)
class SpiderArguments:
    """What a run was asked for.

    * ``domain``: a domain or URL; required;
    * ``profile``: the name of a profile, whose settings are used;
    * ``base``: URLs or paths, separated by commas: only what is below one of them is in scope;
    * ``strict``, ``subdomains``: as ``SITECRAWL_STRICT_PATHS`` and ``SITECRAWL_SUBDOMAINS``;
    * ``skip``: path patterns to refuse, in addition to ``SITECRAWL_SKIP_PATHS``;
    * ``render``: as ``SITECRAWL_RENDER``;
    * ``resume``: the number of a scan to go on with, which says all the rest;
    * ``dive``: the number of a dive whose pages are fetched (the spider ``dive``);
    * ``_job``: the id of the job that Scrapyd passes to every spider; kept in the scan's record.
      Further arguments that start with ``_`` are accepted and not used.
    """

    NAMES: ClassVar = tuple(_KINDS)

    asked: str
    target: Target
    profile: str
    bases: tuple[str, ...]
    strict: bool | None
    subdomains: bool | None
    skip: tuple[str, ...]
    render: str | None = None
    resume: int | None = None
    dive: int | None = None
    job: str = ""

    @classmethod
    def parse(cls, arguments: Mapping[str, str]) -> SpiderArguments:
        job = arguments.get("_job", "")
        arguments = own_arguments(arguments)
        for name in arguments:
            if name not in cls.NAMES:
                raise ConfigError(
                    f"argument {name}: there is no such argument; there are {', '.join(cls.NAMES)}"
                )
        values = {name: _parse(name, value) for name, value in arguments.items()}
        if "domain" not in values:
            raise ConfigError(
                "argument domain is missing: give a domain or a URL (-a domain=example.com)"
            )
        if "profile" in values:
            profile_names(values["profile"])
        _check_skip(values.get("skip", ()))
        try:
            target = parse_target(values["domain"])
        except TargetError as error:
            raise ConfigError(str(error)) from error
        return cls(
            asked=values["domain"],
            target=target,
            profile=values.get("profile", ""),
            bases=_checked_bases(values.get("base", ()), target),
            strict=values.get("strict"),
            subdomains=values.get("subdomains"),
            skip=values.get("skip", ()),
            render=values.get("render"),
            resume=values.get("resume"),
            dive=values.get("dive"),
            job=job,
        )

    def named_endpoints(self) -> frozenset[Endpoint]:
        """The hosts and ports that the user named; a bare domain names those of both schemes."""
        target = self.target.url
        urls = [target, *(resolve(base, target) or target for base in self.bases)]
        if self.target.is_bare:
            urls.append("http:" + target.removeprefix("https:"))
        return frozenset(map(endpoint_of, urls))

    def apply_to(self, settings: BaseSettings) -> None:
        """The profile's settings first; then arguments that are settings, too, win over them."""
        if self.profile:
            apply_profile(self.profile, settings)
        if self.strict is not None:
            settings.set("SITECRAWL_STRICT_PATHS", self.strict, "cmdline")
        if self.subdomains is not None:
            settings.set("SITECRAWL_SUBDOMAINS", self.subdomains, "cmdline")
        if self.render is not None:
            settings.set("SITECRAWL_RENDER", self.render, "cmdline")
        if self.skip:
            paths = [*names.parse(settings["SITECRAWL_SKIP_PATHS"]), *self.skip]
            settings.set("SITECRAWL_SKIP_PATHS", paths, "cmdline")


def own_arguments(arguments: Mapping[str, str]) -> dict[str, str]:
    """Those that are for the spider: Scrapyd adds some that start with ``_``."""
    return {name: value for name, value in arguments.items() if not name.startswith("_")}


def _parse(name: str, value: str) -> Any:
    kind = _KINDS[name]
    try:
        return kind.parse(value)
    except ValueError as error:
        raise ConfigError(f"argument {name}={value!r}: expected {kind.expects}") from error


def _check_skip(paths: tuple[str, ...]) -> None:
    try:
        SkipRules(paths, ())
    except ValueError as error:
        raise ConfigError(f"argument skip: {error}") from error


def _checked_bases(bases: tuple[str, ...], target: Target) -> tuple[str, ...]:
    for base in bases:
        if resolve(base, target.url) is None:
            shown = without_credentials(base)
            raise ConfigError(f"argument base={shown!r}: expected a URL or a path such as /docs/")
    return bases


# --- resuming ----------------------------------------------------------------------------------

_FETCHER = "fetch"  # joins scans of other spiders
# Scrapy's own settings that decide how requests are sent; a resumed scan sends its requests alike.
_REQUEST_SETTINGS = (
    *("USER_AGENT", "CONCURRENT_REQUESTS_PER_DOMAIN", "DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER"),
    *("AUTOTHROTTLE_ENABLED", "AUTOTHROTTLE_START_DELAY", "AUTOTHROTTLE_MAX_DELAY"),
    *("AUTOTHROTTLE_TARGET_CONCURRENCY", "RETRY_TIMES"),
)


def request_settings(settings: BaseSettings) -> dict[str, Any]:
    """How requests are sent, for the record of the scan."""
    return {name: settings.get(name) for name in _REQUEST_SETTINGS}


def check_arguments(given: Mapping[str, str], settings: BaseSettings, spider: str) -> None:
    """Raise ConfigError, before anything is started, for what would stop the spider."""
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

    Settings of the command line and of the environment win over those of the record.
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
    for name in _REQUEST_SETTINGS:
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
    from sitecrawl.store.engine import open_database  # only needed here before the spider
    from sitecrawl.store.queries.scans import scan_by_id

    with open_database(Config.from_settings(settings).database_url, create=False) as database:
        scan = scan_by_id(database, scan_id)
    if scan is None:
        raise ConfigError(f"argument resume={number}: there is no such scan; see sitecrawl scans")
    if scan.status == ScanStatus.FINISHED:
        raise ConfigError(f"argument resume={number}: that scan has ended, nothing is left of it")
    return scan


# --- feeds -------------------------------------------------------------------------------------

_FORMATS: Final = frozenset({"jsonl", "json", "csv", "xlsx", "parquet"})
_PLAIN_OPTIONS: Final = frozenset({"format", "overwrite"})


def plain_feeds(settings: BaseSettings) -> dict[str, str]:
    """The local files of ``FEEDS``, each with its format; only those without further options.

    A feed that is appended to is left out: it is not known which rows it has already.
    """
    return {
        str(Path(uri).absolute()): options["format"]
        for uri, options in settings.getdict("FEEDS").items()
        if options.keys() <= _PLAIN_OPTIONS
        and options.get("overwrite")
        and options.get("format") in _FORMATS
        and "://" not in str(uri)
        and "%(" not in str(uri)
    }


def as_feeds(files: dict[str, str]) -> dict[str, dict[str, object]]:
    """The files of :func:`plain_feeds` as a value of ``FEEDS``."""
    return {path: {"format": format_, "overwrite": True} for path, format_ in files.items()}
