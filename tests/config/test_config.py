from __future__ import annotations

import ast
from dataclasses import FrozenInstanceError, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sitecrawl.settings
from sitecrawl.config import PREFIX, Config, ConfigError, setting_specs
from sitecrawl.config import values as kinds
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.errors import SitecrawlError
from sitecrawl.urls.canonical import canonicalize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from sitecrawl.config.values import ValueKind

_OWN = {name for name in dir(sitecrawl.settings) if name.startswith(PREFIX)}
TODAY = date(2026, 7, 1)
_RENDER = kinds.choice("auto", "always", "never")


def configured(
    profile: str = "default",
    environment: Mapping[str, str] | None = None,
    command_line: Mapping[str, object] | None = None,
) -> Config:
    return Config.from_settings(layered(profile, environment, command_line))


def layered(
    profile: str = "default",
    environment: Mapping[str, str] | None = None,
    command_line: Mapping[str, object] | None = None,
) -> Settings:
    settings = load_settings(profile)
    for name, value in (command_line or {}).items():
        settings.set(name, value, "cmdline")
    apply_environment(settings, environment or {})
    return settings


# --- the settings and the dataclass are one list ------------------------------------------------


def test_every_setting_is_a_field_of_the_config() -> None:
    assert {spec.name for spec in setting_specs()} == _OWN


def test_settings_are_listed_once() -> None:
    source = Path(sitecrawl.settings.__file__).read_text(encoding="utf-8")
    names = [
        target.id
        for node in ast.parse(source).body
        for target in (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AnnAssign)
            else []
        )
        if isinstance(target, ast.Name)
    ]
    assert len(names) == len(set(names))


def test_the_defaults_are_the_values_of_the_settings_module() -> None:
    config = configured()
    for spec in setting_specs():
        default = getattr(sitecrawl.settings, spec.name)
        expected = tuple(default) if isinstance(default, list) else default
        assert getattr(config, spec.field) == expected, spec.name


def test_the_config_is_frozen() -> None:
    config = configured()
    with pytest.raises(FrozenInstanceError):
        config.max_sitemaps = 1  # type: ignore[misc]


def test_a_record_of_a_scan_holds_neither_secrets_nor_what_is_of_no_scan() -> None:
    config = configured(
        command_line={
            "SITECRAWL_DATABASE_URL": "postgresql://u:secret@h/d",
            "SITECRAWL_EMAIL_SMTP_PASS": "secret",
            "SITECRAWL_SECRET_KEY": "secret",
        }
    )
    left_out = {each.name for each in fields(Config)} - config.as_dict().keys()
    assert {"database_url", "email_smtp_pass", "secret_key"} < left_out
    of_no_scan = (
        *("email_", "web_", "monitor_", "dive_", "model_", "embedding_"),
        "traces_",
    )
    assert {name for name in left_out if not name.startswith(of_no_scan)} == {
        *("database_url", "apprise_schemes", "secret_key", "secret_key_file"),
        *("workspace", "log_format"),
    }
    assert "secret" not in str(list(config.as_dict().values()))


def test_secrets_are_not_in_the_representation() -> None:
    config = configured(environment={"EMAIL_SMTP_PASS": "hush", "SITECRAWL_SECRET_KEY": "hush"})
    assert config.email_smtp_pass == "hush"
    assert "hush" not in repr(config)


# --- the kinds of values ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (kinds.text, "x", "x"),
        (kinds.text, " x y ", "x y"),
        *((kinds.flag, word, True) for word in ("1", "true", "True", " YES ", "on", 1, True)),
        *((kinds.flag, word, False) for word in ("0", "false", "False", "no", "OFF", 0, False)),
        (kinds.count, "0", 0),
        (kinds.count, " 12 ", 12),
        (kinds.count, "10_000", 10_000),
        (kinds.count, 7, 7),
        (kinds.count, 7.0, 7),
        (kinds.positive, "1", 1),
        (kinds.seconds, "0.5", 0.5),
        (kinds.seconds, 0, 0.0),
        (kinds.seconds, "1e2", 100.0),
        (kinds.milliseconds_as_seconds, "10000", 10.0),
        (kinds.milliseconds_as_seconds, "250", 0.25),
        (kinds.names, "a, b,,c ", ("a", "b", "c")),
        (kinds.names, "", ()),
        (kinds.names, ["a", " b "], ("a", "b")),
        (kinds.names, (), ()),
        (_RENDER, "Always", "always"),
    ],
)
def test_good_values(kind: ValueKind, value: object, expected: object) -> None:
    parsed = kind.parse(value)
    assert parsed == expected
    assert type(parsed) is type(expected)


_BAD: list[tuple[ValueKind, list[object]]] = [
    (kinds.text, ["", "  ", None, 3, []]),
    (kinds.flag, ["", "maybe", "2", 2, None, [], "truee"]),
    (kinds.count, ["", "x", "-1", -1, "1.5", 1.5, "1e3", "no limit", True, None]),
    (kinds.count, [[], {}, float("inf"), float("nan")]),
    (kinds.positive, ["0", 0, "-1", "", None, 0.0]),
    (kinds.seconds, ["", "x", "10s", "-0.1", -1, "nan", "inf", None, True]),
    (kinds.seconds, [[], {}, 10**400]),
    (kinds.milliseconds_as_seconds, ["", "10s", "-1", None]),
    (kinds.names, [None, 3, [1], {"a": 1}, [None]]),
    (_RENDER, ["", "sometimes", None, True, []]),
]


@pytest.mark.parametrize(
    ("kind", "value"), [(kind, value) for kind, values in _BAD for value in values]
)
def test_bad_values(kind: ValueKind, value: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  its text is never shown
        kind.parse(value)


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=3,
)


@pytest.mark.parametrize(
    "kind",
    [
        kinds.text,
        kinds.flag,
        kinds.count,
        kinds.positive,
        kinds.seconds,
        kinds.milliseconds_as_seconds,
        kinds.names,
        _RENDER,
    ],
    ids=lambda kind: kind.expects,
)
@given(value=_anything)
def test_a_kind_takes_a_value_or_refuses_it_with_a_value_error(
    kind: ValueKind, value: object
) -> None:
    try:
        parsed = kind.parse(value)
    except ValueError:
        return
    assert kind is kinds.milliseconds_as_seconds or kind.parse(parsed) == parsed


# --- precedence ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "variable", "argument", "name", "crawl"),
    [
        ("default", "docs,fast", None, "docs,fast", "always"),
        ("default", None, "docs", "docs", "always"),
        ("default", "docs", "monitor", "monitor", "never"),
        ("monitor", "docs", None, "monitor", "never"),  # a profile that was named stands
        ("docs", None, "fast", "fast", "auto"),
    ],
)
def test_a_setting_chooses_the_profile(
    profile: str, variable: str | None, argument: str | None, name: str, crawl: str
) -> None:
    config = configured(
        profile,
        {"SITECRAWL_PROFILE": variable} if variable else None,
        {"SITECRAWL_PROFILE": argument} if argument else None,
    )
    assert (config.profile, config.crawl) == (name, crawl)


@pytest.mark.parametrize(
    ("name", "profile", "default", "of_profile", "environment", "command_line"),
    [
        # flag
        ("SITECRAWL_ROBOTS_FAIL_OPEN", "audit", False, True, ("no", False), ("yes", True)),
        # count
        ("SITECRAWL_MAX_SITEMAPS", "monitor", 10_000, 500, ("7", 7), ("8", 8)),
        # seconds
        ("SITECRAWL_PAGE_TIMEOUT_SECONDS", "docs", 10, 30, ("1.5", 1.5), ("2", 2)),
        # choice
        ("SITECRAWL_QUERY_STRINGS", "audit", "clean", "skip", ("keep", "keep"), ("clean", "clean")),
    ],
)
def test_precedence(
    name: str,
    profile: str,
    default: object,
    of_profile: object,
    environment: tuple[str, object],
    command_line: tuple[str, object],
) -> None:
    field = name.removeprefix(PREFIX).lower()
    in_environment, as_argument = {name: environment[0]}, {name: command_line[0]}
    assert getattr(configured(), field) == default
    assert getattr(configured(profile), field) == of_profile
    assert getattr(configured(profile, in_environment), field) == environment[1]
    assert getattr(configured(profile, in_environment, as_argument), field) == command_line[1]
    assert getattr(configured(profile, None, as_argument), field) == command_line[1]


@pytest.mark.parametrize(
    ("name", "environment", "command_line"),
    [
        # No profile changes one of these kinds.
        ("SITECRAWL_SITEMAP_PLACES", ("/a.xml, /b.xml", ("/a.xml", "/b.xml")), ("/c", ("/c",))),
        ("SITECRAWL_MAX_SITEMAP_BYTES", ("1000", 1000), ("2000", 2000)),
    ],
)
def test_precedence_without_a_profile(
    name: str, environment: tuple[str, object], command_line: tuple[str, object]
) -> None:
    field = name.removeprefix(PREFIX).lower()
    in_environment = {name: environment[0]}
    assert getattr(configured("default", in_environment), field) == environment[1]
    both = configured("default", in_environment, {name: command_line[0]})
    assert getattr(both, field) == command_line[1]


def test_scrapy_components_see_the_same_values() -> None:
    settings = layered(environment={"SITECRAWL_MAX_SITEMAPS": "7", "USER_AGENT": "Audit/1.0"})
    assert settings["SITECRAWL_MAX_SITEMAPS"] == 7
    assert settings["USER_AGENT"] == "Audit/1.0"


# --- the environment variables of the systems before --------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("URL_DISCOVERY_MAX_SITEMAP_URLS", "1000", "max_sitemap_urls", 1000),
        ("URL_DISCOVERY_MAX_SITEMAP_DEPTH", "3", "max_sitemap_depth", 3),
        ("URL_DISCOVERY_MAX_CRAWL_DEPTH", "4", "max_crawl_depth", 4),
        ("URL_DISCOVERY_MAX_CRAWL_PAGES", "50", "max_crawl_pages", 50),
        ("URL_DISCOVERY_CRAWL_TIMEOUT", "2500", "page_timeout_seconds", 2.5),
        ("MAX_PAGES", "150", "max_pages", 150),
        ("MAX_SCAN_TIME_MINUTES", "30", "max_scan_minutes", 30),
    ],
)
def test_seed_variables(variable: str, value: str, field: str, expected: object) -> None:
    assert getattr(configured(environment={variable: value}), field) == expected
    own = {PREFIX + field.upper(): "9"}
    assert getattr(configured(environment={variable: value, **own}), field) == 9
    assert getattr(configured(environment={variable: value}, command_line=own), field) == 9


def test_the_user_agent_of_the_command_line_wins() -> None:
    settings = layered(environment={"USER_AGENT": "Env/1"}, command_line={"USER_AGENT": "Cmd/1"})
    assert settings["USER_AGENT"] == "Cmd/1"


@pytest.mark.parametrize("nothing", ["", " "])
def test_an_empty_user_agent_is_as_good_as_none(nothing: str) -> None:
    own = load_settings("default")["USER_AGENT"]
    assert own
    assert layered(environment={"USER_AGENT": nothing})["USER_AGENT"] == own


def test_other_variables_are_nobody_elses_business() -> None:
    environment = {"PATH": "/bin", "MAX_PAGES_OF_PRINTER": "x", "USER": "me", "CRON": "t"}
    assert configured(environment=environment) == configured()
    # Another system's namespace, which may have more in it than what is read here.
    assert configured(environment={"URL_DISCOVERY_WORKERS": "x"}) == configured()


# --- messages -----------------------------------------------------------------------------------


def complaint(**layers: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        configured(**layers)
    assert isinstance(caught.value, SitecrawlError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("SITECRAWL_MAX_SITEMAPS", "many", "a whole number, 0 or more"),
        ("SITECRAWL_MAX_SITEMAP_BYTES", "0", "a whole number, 1 or more"),
        ("SITECRAWL_SUBDOMAINS", "perhaps", "true or false"),
        ("SITECRAWL_PAGE_TIMEOUT_SECONDS", "10s", "a number greater than 0"),
        ("SITECRAWL_RENDER", "sometimes", "one of auto, always, never"),
        ("SITECRAWL_QUERY_STRINGS", "drop", "one of clean, keep, skip"),
        ("SITECRAWL_PROGRESS", "loud", "one of auto, live, log, off"),
        ("SITECRAWL_DATABASE_URL", "", "a text that is not empty"),
    ],
)
def test_a_bad_value_is_named_with_what_would_be_right(name: str, value: str, right: str) -> None:
    on_command_line = complaint(command_line={name: value})
    assert on_command_line == f"{name}={value!r} on the command line: expected {right}"
    in_environment = complaint(environment={name: value})
    assert in_environment == f"environment variable {name}={value!r}: expected {right}"


@pytest.mark.parametrize("value", [None, [], {}, object()])
def test_a_value_of_a_wrong_type_in_a_profile_is_named(value: object) -> None:
    settings = load_settings("default")
    settings.set("SITECRAWL_MAX_SITEMAPS", value, "project")
    with pytest.raises(ConfigError, match=r"SITECRAWL_MAX_SITEMAPS=.*: expected a whole number"):
        Config.from_settings(settings)


def test_a_bad_seed_variable_is_named_as_it_was_written() -> None:
    message = complaint(environment={"URL_DISCOVERY_CRAWL_TIMEOUT": "10s"})
    assert "URL_DISCOVERY_CRAWL_TIMEOUT='10s'" in message
    assert "milliseconds" in message


def test_an_unknown_setting_is_named_with_a_suggestion() -> None:
    message = complaint(command_line={"SITECRAWL_MAX_SITEMAP": "5"})
    assert message == (
        "SITECRAWL_MAX_SITEMAP: there is no such setting; did you mean SITECRAWL_MAX_SITEMAPS?"
    )
    assert "did you mean" not in complaint(command_line={"SITECRAWL_ZZZZZZZZZZ": "5"})


def test_an_unknown_variable_is_named_with_a_suggestion() -> None:
    message = complaint(environment={"SITECRAWL_DATABASE": "sqlite:///x.db"})
    assert "environment variable SITECRAWL_DATABASE" in message
    assert "did you mean SITECRAWL_DATABASE_URL?" in message


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("SITECRAWL_SKIP_PATHS", "/tag,admin", "/"),
        ("SITECRAWL_SKIP_EXTENSIONS", "tar.gz", "extension"),
        # Appended to the origin it would name another host.
        ("SITECRAWL_SITEMAP_PLACES", "/sitemap.xml,sitemap.txt", "/"),
        ("SITECRAWL_ROBOTS_AGENT", "sitecrawl/1.0", "letters, - and _"),
        ("SITECRAWL_ROBOTS_AGENT_MATCHING", "fuzzy", "rfc, partial"),
    ],
)
def test_a_bad_word_of_a_list_is_named_at_the_start(name: str, value: str, right: str) -> None:
    message = complaint(command_line={name: value})
    assert name in message
    assert value.rpartition(",")[2] in message
    assert right in message


# --- what the config makes of its values --------------------------------------------------------


@pytest.mark.parametrize(
    ("query_strings", "expected"),
    [
        ("clean", "https://a.example/?id=1"),
        ("keep", "https://a.example/?id=1&utm_source=x"),
        ("skip", "https://a.example/?id=1"),
    ],
)
def test_query_strings(query_strings: str, expected: str) -> None:
    config = configured(command_line={"SITECRAWL_QUERY_STRINGS": query_strings})
    rules = config.canonical_rules()
    assert canonicalize("https://a.example/?utm_source=x&id=1", None, rules) == expected
    is_refused = config.skip_rules().refusal(expected) is not None
    assert is_refused is (query_strings == "skip")


def test_own_tracking_parameters_are_added_to_the_known_ones() -> None:
    config = configured(command_line={"SITECRAWL_TRACKING_PARAMETERS": "Ref"})
    url = "https://a.example/?ref=1&utm_source=2&id=3"
    assert canonicalize(url, None, config.canonical_rules()) == "https://a.example/?id=3"


def test_a_recorded_scan_gives_back_the_rules_it_ran_with() -> None:
    config = configured(
        command_line={
            "SITECRAWL_TRACKING_PARAMETERS": "ref",
            "SITECRAWL_KEEP_HASH_ROUTES": "1",
            "SITECRAWL_MAX_URL_LENGTH": "100",
        }
    )
    assert Config.canonical_rules_of(config.as_dict()) == config.canonical_rules()
    assert Config.canonical_rules_of({}) == configured().canonical_rules()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SITECRAWL_MAX_SITEMAP_URLS", 5),
        ("SITECRAWL_SUBDOMAINS", True),
        ("SITECRAWL_QUERY_STRINGS", "keep"),
        ("SITECRAWL_SKIP_PATHS", ["/x"]),
        ("SITECRAWL_TRACKING_PARAMETERS", ["x"]),
        ("SITECRAWL_RENDER", "always"),
        ("SITECRAWL_TRAP_MAX_SEGMENTS", 5),
    ],
)
def test_what_decides_the_reading_changes_its_fingerprint(setting: str, value: object) -> None:
    bases = ["https://a.example/"]
    changed = configured(command_line={setting: value})
    assert changed.reading_fingerprint(bases, TODAY) != configured().reading_fingerprint(
        bases, TODAY
    )


def test_a_new_year_changes_the_fingerprint_because_dates_in_addresses_are_judged_by_it() -> None:
    config, new_year = configured(), TODAY.replace(year=TODAY.year + 1)
    assert config.reading_fingerprint([], TODAY) != config.reading_fingerprint([], new_year)


def test_what_does_not_decide_it_leaves_the_fingerprint() -> None:
    bases = ["https://a.example/", "https://b.example/"]
    changed = configured(command_line={"SITECRAWL_PROGRESS": "off"})
    fingerprint = changed.reading_fingerprint(bases, TODAY)
    assert fingerprint == configured().reading_fingerprint(bases[::-1], TODAY)
    assert fingerprint != changed.reading_fingerprint(bases[:1], TODAY)
