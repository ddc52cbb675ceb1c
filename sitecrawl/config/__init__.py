"""The settings as one frozen, validated :class:`Config`; nothing else reads ``SITECRAWL_*``.

Precedence, highest first: command line (``-s``), environment (:mod:`sitecrawl.config.environment`),
profile (:mod:`sitecrawl.config.profiles`), default (:mod:`sitecrawl.settings`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import Field, dataclass, field, fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.config.values import (
    ValueKind,
    any_text,
    choice,
    count,
    count_up_to,
    flag,
    kept_bodies,
    languages,
    milliseconds_as_seconds,
    names,
    positive,
    positive_seconds,
    seconds,
    text,
)
from sitecrawl.errors import SitecrawlError
from sitecrawl.politeness.pace import PaceRules
from sitecrawl.politeness.scan import ScanBudget
from sitecrawl.robots.file import AgentMatching, parse_token
from sitecrawl.safety.policy import AddressPolicy
from sitecrawl.sitemaps.reader import SitemapLimits
from sitecrawl.urls.canonical import DEFAULT_RULES, CanonicalRules, KeyRules
from sitecrawl.urls.pattern_budgets import BudgetLimits
from sitecrawl.urls.rules import READABLE_FILES
from sitecrawl.urls.scope import Scope
from sitecrawl.urls.skip import SkipRules
from sitecrawl.urls.traps import TrapLimits, TrapRules

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from scrapy.settings import BaseSettings

PREFIX = "SITECRAWL_"
COMMAND_LINE_PRIORITY = 40  # Scrapy's "cmdline"

# Raised whenever a parser reads something else from the same bytes: then stored validators
# are not used, and every document is read again once.
READING_VERSION = 3
_DECISIVE_FOR_READING = (
    "strict_paths",
    "subdomains",
    "max_sitemap_urls",
    "max_sitemap_depth",
    "max_sitemaps",
    "max_sitemap_bytes",
    "query_strings",
    "tracking_parameters",
    "keep_hash_routes",
    "max_url_length",
    "skip_paths",
    "skip_extensions",
    "max_robots_files",
    "robots_agent",
    "max_external_hops",
    "max_page_bytes",
    "max_page_links",
    "render",
    "language_detection",
    *(f"trap_{each.name}" for each in fields(TrapLimits)),
)

_NOT_OF_SCANS = (
    *("database_url", "workspace", "monitor_", "web_", "email_", "apprise_"),
    *("dive_", "model_", "embedding_", "secret_key", "log_format", "traces_"),
)


class ConfigError(SitecrawlError, ValueError):
    """A setting, an environment variable or an argument that cannot be used."""


def _setting(kind: ValueKind, **environment: ValueKind) -> Any:
    """A field read from its setting; keywords name further environment variables and their kind."""
    return field(metadata={"kind": kind, "environment": environment})


def _secret(kind: ValueKind, **environment: ValueKind) -> Any:
    """A field as :func:`_setting` gives, whose value is never shown."""
    return field(metadata={"kind": kind, "environment": environment, "is_secret": True}, repr=False)


@dataclass(frozen=True, slots=True)
class Config:
    """Every ``SITECRAWL_*`` setting: the field ``x_y`` is read from ``SITECRAWL_X_Y``."""

    profile: str = _setting(text)
    database_url: str = _setting(text)
    database_wait_seconds: float = _setting(seconds)
    workspace: int = _setting(positive)
    strict_paths: bool = _setting(flag)
    subdomains: bool = _setting(flag)
    feed_refused: bool = _setting(flag)
    page_items: bool = _setting(flag)

    max_sitemap_urls: int = _setting(count, URL_DISCOVERY_MAX_SITEMAP_URLS=count)
    max_sitemap_depth: int = _setting(count, URL_DISCOVERY_MAX_SITEMAP_DEPTH=count)
    max_sitemaps: int = _setting(count)
    min_sitemap_urls: int = _setting(count)
    max_sitemap_bytes: int = _setting(positive)
    sitemap_batch_entries: int = _setting(positive)
    sitemap_places: tuple[str, ...] = _setting(names)
    conditional_requests: bool = _setting(flag)
    keep_bodies: str = _setting(kept_bodies)
    keep_bodies_max_bytes: int = _setting(count)
    keep_bodies_scans: int = _setting(count)
    keep_bodies_total_bytes: int = _setting(count)
    keep_scans: int = _setting(count)

    crawl: str = _setting(choice("auto", "always", "never"))
    crawl_listed_pages: bool = _setting(flag)
    max_crawl_depth: int = _setting(count, URL_DISCOVERY_MAX_CRAWL_DEPTH=count)
    max_crawl_pages: int = _setting(count, URL_DISCOVERY_MAX_CRAWL_PAGES=count)
    fetchers: int = _setting(count)
    shards: int = _setting(positive)
    max_external_hops: int = _setting(count)
    check_pages: int = _setting(count)
    max_page_bytes: int = _setting(positive)
    max_page_links: int = _setting(positive)
    keep_texts: bool = _setting(flag)
    keep_texts_max_pages: int = _setting(count)
    obey_nofollow: bool = _setting(flag)
    soft_404: bool = _setting(flag)
    canonical_is_identity: bool = _setting(flag)

    collapse_percent: int = _setting(count_up_to(100))
    collapse_pages: int = _setting(count)

    trap_max_segments: int = _setting(count)
    trap_max_path_length: int = _setting(count)
    trap_max_repeats: int = _setting(count)
    trap_max_parameters: int = _setting(count)
    trap_future_years: int = _setting(count)
    trap_past_years: int = _setting(count)
    trap_session_names: tuple[str, ...] = _setting(names)
    trap_pattern_pages: int = _setting(count)
    trap_suspect_pages: int = _setting(count)
    trap_parameter_copies: int = _setting(count)
    trap_growth: int = _setting(count)
    trap_text_distance: int = _setting(count_up_to(32))
    trap_max_patterns: int = _setting(count)
    trap_max_texts: int = _setting(count)

    robots_fail_open: bool = _setting(flag)
    robots_agent: str = _setting(text)
    robots_agent_matching: str = _setting(choice(*AgentMatching))
    robots_cache_seconds: int = _setting(count_up_to(86_400))
    max_robots_files: int = _setting(count)
    browser_user_agents: bool = _setting(flag)

    render: str = _setting(choice("auto", "always", "never"))
    browser: str = _setting(any_text)
    render_tabs: int = _setting(positive)
    render_tab_memory_mb: int = _setting(positive)
    render_seconds: float = _setting(positive_seconds)
    render_data: str = _setting(choice("same-site", "all", "none"))
    render_max_requests: int = _setting(count)
    render_wait_seconds: float = _setting(positive_seconds)
    render_max_clicks: int = _setting(count)
    render_max_scrolls: int = _setting(count)

    page_timeout_seconds: float = _setting(
        positive_seconds, URL_DISCOVERY_CRAWL_TIMEOUT=milliseconds_as_seconds
    )
    robots_timeout_seconds: float = _setting(positive_seconds)
    sitemap_timeout_seconds: float = _setting(positive_seconds)
    nested_sitemap_timeout_seconds: float = _setting(positive_seconds)
    sitemap_stage_timeout_seconds: float = _setting(seconds)
    max_pages: int = _setting(count, MAX_PAGES=count)
    max_scan_minutes: float = _setting(seconds, MAX_SCAN_TIME_MINUTES=seconds)

    query_strings: str = _setting(choice("clean", "keep", "skip"))
    tracking_parameters: tuple[str, ...] = _setting(names)
    keep_hash_routes: bool = _setting(flag)
    max_url_length: int = _setting(positive)
    key_fold_scheme: bool = _setting(flag)
    key_fold_www: bool = _setting(flag)
    key_fold_trailing_slash: bool = _setting(flag)
    key_fold_path_case: bool = _setting(flag)
    skip_paths: tuple[str, ...] = _setting(names)
    skip_extensions: tuple[str, ...] = _setting(names)

    languages: tuple[str, ...] = _setting(languages)
    skip_other_languages: bool = _setting(flag)
    language_detection: str = _setting(choice("auto", "always", "never"))

    address_allow: tuple[str, ...] = _setting(names)
    allow_private_site: bool = _setting(flag)
    verify_certificates: bool = _setting(flag)
    use_proxies: bool = _setting(flag)
    max_header_bytes: int = _setting(positive)
    allow_unguarded_handlers: bool = _setting(flag)

    retry_backoff_seconds: float = _setting(seconds)
    max_crawl_delay_seconds: float = _setting(seconds)
    max_retry_after_seconds: float = _setting(seconds)
    busy_backoff_seconds: float = _setting(seconds)
    max_errors_in_a_row: int = _setting(count)
    slot_wait_seconds: float = _setting(seconds)
    progress: str = _setting(choice("auto", "live", "log", "off"))
    progress_interval_seconds: float = _setting(seconds)
    log_format: str = _setting(choice("text", "json"))
    traces_url: str = _setting(any_text)
    traces_requests: int = _setting(count)
    traces_parent: str = _setting(any_text)

    monitor_database_url: str = _setting(any_text)
    monitor_scans: int = _setting(positive)
    monitor_tags: tuple[str, ...] = _setting(names)
    monitor_min_free_mb: int = _setting(count)
    monitor_retries: int = _setting(count)
    monitor_retry_minutes: float = _setting(seconds)
    monitor_keep_days: int = _setting(count)
    monitor_drain_seconds: int = _setting(count)

    web_host: str = _setting(text)
    web_port: int = _setting(count_up_to(65_535))
    web_public_url: str = _setting(any_text)
    web_trusted_proxies: tuple[str, ...] = _setting(names)
    web_session_idle_minutes: int = _setting(positive)
    web_session_days: int = _setting(positive)
    web_requests_per_minute: int = _setting(count)
    web_max_body_bytes: int = _setting(positive)
    web_cron_token: str = _secret(any_text, CRON_TOKEN=any_text)
    web_cron_token_in_query: bool = _setting(flag)
    web_oidc_issuer: str = _setting(any_text)
    web_oidc_client_id: str = _setting(any_text)
    web_oidc_client_secret: str = _secret(any_text)

    email_smtp_host: str = _setting(any_text, EMAIL_SMTP_HOST=any_text)
    email_smtp_port: int = _setting(count_up_to(65_535), EMAIL_SMTP_PORT=count_up_to(65_535))
    email_smtp_user: str = _setting(any_text, EMAIL_SMTP_USER=any_text)
    email_smtp_pass: str = _secret(any_text, EMAIL_SMTP_PASS=any_text)
    email_smtp_tls: str = _setting(choice("auto", "starttls", "implicit", "off"))
    email_from: str = _setting(any_text, EMAIL_FROM=any_text)
    apprise_schemes: tuple[str, ...] = _setting(names)
    dive_max_age_hours: float = _setting(seconds)
    dive_files: tuple[str, ...] = _setting(names)
    model_url: str = _setting(any_text)
    model_name: str = _setting(any_text)
    model_key: str = _secret(any_text)
    model_timeout_seconds: float = _setting(seconds)
    model_max_tokens: int = _setting(positive)
    model_daily_tokens: int = _setting(count)
    model_unsupported: str = _setting(choice("mark", "drop"))
    embedding_url: str = _setting(any_text)
    embedding_name: str = _setting(any_text)
    embedding_key: str = _secret(any_text)
    secret_key: tuple[str, ...] = _secret(names)
    secret_key_file: str = _setting(any_text)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        _refuse_unknown(settings)
        values = {}
        for spec in setting_specs():
            raw = settings.get(spec.name)
            try:
                values[spec.field] = spec.kind.parse(raw)
            except ValueError as error:
                raise ConfigError(_complaint(spec, settings, raw)) from error
        config = cls(**values)
        _check_rules(config)
        return config

    def as_dict(self) -> dict[str, Any]:
        """For the record of a scan, without what is secret or not about scans."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if not each.name.startswith(_NOT_OF_SCANS)
        }

    def canonical_rules(self) -> CanonicalRules:
        return self.canonical_rules_of(self.as_dict())

    @staticmethod
    def canonical_rules_of(values: Mapping[str, Any]) -> CanonicalRules:
        """The rules under these values of :meth:`as_dict`, such as those recorded with a scan."""
        keep_all = values.get("query_strings") == "keep"
        own_names = frozenset(name.lower() for name in values.get("tracking_parameters", ()))
        return CanonicalRules(
            tracking_names=frozenset() if keep_all else DEFAULT_RULES.tracking_names | own_names,
            tracking_prefixes=() if keep_all else DEFAULT_RULES.tracking_prefixes,
            keep_hash_routes=values.get("keep_hash_routes", False),
            max_length=values.get("max_url_length", DEFAULT_RULES.max_length),
        )

    def key_rules(self) -> KeyRules:
        return KeyRules(
            fold_scheme=self.key_fold_scheme,
            fold_www=self.key_fold_www,
            fold_trailing_slash=self.key_fold_trailing_slash,
            fold_path_case=self.key_fold_path_case,
        )

    def trap_rules(self, today: date) -> TrapRules:
        return TrapRules(TrapLimits(**self._of_traps(TrapLimits)), today)

    def budget_limits(self) -> BudgetLimits:
        return BudgetLimits(**self._of_traps(BudgetLimits))

    def _of_traps(self, limits: type[TrapLimits | BudgetLimits]) -> dict[str, Any]:
        return {each.name: getattr(self, f"trap_{each.name}") for each in fields(limits)}

    def agent_matching(self) -> AgentMatching:
        return AgentMatching(self.robots_agent_matching)

    def skip_rules(self, readable: Collection[str] = ()) -> SkipRules:
        """What is not fetched; *readable*: endings of files that are fetched nevertheless."""
        return SkipRules(
            paths=self.skip_paths,
            extensions=[
                each for each in self.skip_extensions if each.lower().lstrip("*.") not in readable
            ],
            skip_queries=self.query_strings == "skip",
        )

    def scope(self, bases: Sequence[str]) -> Scope:
        return Scope.from_urls(bases, strict=self.strict_paths, subdomains=self.subdomains)

    def sitemap_limits(self) -> SitemapLimits:
        return SitemapLimits(
            max_bytes=self.max_sitemap_bytes, batch_entries=self.sitemap_batch_entries
        )

    def pace_rules(self) -> PaceRules:
        return PaceRules(
            max_crawl_delay_seconds=self.max_crawl_delay_seconds,
            max_retry_after_seconds=self.max_retry_after_seconds,
            busy_backoff_seconds=self.busy_backoff_seconds,
            max_errors_in_a_row=self.max_errors_in_a_row,
        )

    def keeps_body(self, size: int, *, of_page: bool) -> bool:
        """Whether the raw bytes of a document of this size are kept."""
        is_wanted = self.keep_bodies == "pages" or (not of_page and self.keep_bodies != "none")
        return is_wanted and 0 < size <= (self.keep_bodies_max_bytes or size)

    @property
    def drops_unsupported(self) -> bool:
        """Whether sentences of a model that their sources do not support are not shown."""
        return self.model_unsupported == "drop"

    def scan_budget(self, started: float) -> ScanBudget:
        return ScanBudget(self.max_pages, self.max_scan_minutes * 60, started)

    def reading_fingerprint(self, bases: Sequence[str], today: date) -> str:
        """Of all that decides what is read from a document: equal means its pages stay valid."""
        decisive = {
            "version": READING_VERSION,
            "year": today.year,  # addresses with a date are judged by their distance from it
            "bases": sorted(bases),
            **{name: getattr(self, name) for name in _DECISIVE_FOR_READING},
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:16]


class SettingSpec(NamedTuple):
    """One setting: where it is read from and what it may be."""

    name: str
    field: str
    kind: ValueKind
    environment: Mapping[str, ValueKind]  # variable -> how its value is written
    is_secret: bool


@cache
def setting_specs() -> tuple[SettingSpec, ...]:
    return tuple(_setting_spec(each) for each in fields(Config))


def _setting_spec(each: Field[Any]) -> SettingSpec:
    name = PREFIX + each.name.upper()
    kind: ValueKind = each.metadata["kind"]
    environment = {name: kind, **each.metadata["environment"]}
    return SettingSpec(name, each.name, kind, environment, each.metadata.get("is_secret", False))


@lru_cache(maxsize=8)
def _check_rules(config: Config) -> None:
    """Raise at the start what the rules would raise in the middle of a scan.

    Cached, because every component reads the settings.
    """
    for name, extensions, paths in (
        ("SITECRAWL_SKIP_PATHS", (), config.skip_paths),
        ("SITECRAWL_SKIP_EXTENSIONS", config.skip_extensions, ()),
    ):
        try:
            SkipRules(paths, extensions)
        except ValueError as error:
            raise ConfigError(f"{name}: {error}") from error
    for ending in config.dive_files:
        if ending not in READABLE_FILES:
            known = ", ".join(READABLE_FILES)
            raise ConfigError(f"SITECRAWL_DIVE_FILES: {ending!r} is none of: {known}")
    for place in config.sitemap_places:
        if not place.startswith("/"):
            raise ConfigError(
                f"SITECRAWL_SITEMAP_PLACES: {place!r}: expected a path that starts with /"
            )
    try:
        parse_token(config.robots_agent)
    except ValueError as error:
        raise ConfigError(f"SITECRAWL_ROBOTS_AGENT: {error}") from error
    try:
        AddressPolicy(allow=config.address_allow)
    except ValueError as error:
        raise ConfigError(f"SITECRAWL_ADDRESS_ALLOW: {error}") from error


def _refuse_unknown(settings: BaseSettings) -> None:
    known = {spec.name for spec in setting_specs()}
    for name in settings:
        if name.startswith(PREFIX) and name not in known:
            raise ConfigError(f"{name}: there is no such setting{near_setting(name)}")


def near_setting(name: str) -> str:
    """A hint at the setting whose name is nearest to a wrong one."""
    import difflib

    near = difflib.get_close_matches(name, [spec.name for spec in setting_specs()], 1)
    return f"; did you mean {near[0]}?" if near else ""


def _complaint(spec: SettingSpec, settings: BaseSettings, raw: object) -> str:
    given = settings.getpriority(spec.name) or 0
    where = " on the command line" if given >= COMMAND_LINE_PRIORITY else ""
    return f"{spec.name}={raw!r}{where}: expected {spec.kind.expects}"
