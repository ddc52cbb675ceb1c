"""A setting, command, finding or reason that nobody documented fails here."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from typer.main import get_command

from sitecrawl.changes.kinds import EventKind
from sitecrawl.channels.messages import MessageType
from sitecrawl.channels.rules import Phase, Rules
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.cli import app
from sitecrawl.config import setting_specs
from sitecrawl.config.meanings import MEANINGS
from sitecrawl.config.profiles import PROFILES
from sitecrawl.errors import ExitCode
from sitecrawl.exporters.sitemap_diff import ChangeReason
from sitecrawl.exporters.sitemap_fitness import Unfit
from sitecrawl.findings.kinds import DESCRIPTIONS, SiteFinding
from sitecrawl.items import EvidenceType, FetchOutcome
from sitecrawl.parsing.findings import FindingKind
from sitecrawl.scan.arguments import SpiderArguments
from sitecrawl.store.queries.feed import FEED_FIELDS
from sitecrawl.store.schema import metadata
from sitecrawl.urls.refusal import Reason

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), ROOT / "README.md"])


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_setting_and_its_variables_are_documented() -> None:
    text = read("settings.md")
    for spec in setting_specs():
        assert f"| `{spec.name}` |" in text
        for variable in spec.environment:
            assert f"`{variable}`" in text


def test_settings_are_explained_in_the_same_words_everywhere() -> None:
    text = read("settings.md")
    assert MEANINGS.keys() == {spec.name for spec in setting_specs()}
    for name, meaning in MEANINGS.items():
        (row,) = re.findall(rf"^\| `{name}` \|.*$", text, re.MULTILINE)
        assert f"| {meaning} |" in row, f"{name}: docs/settings.md and config/meanings.py differ"


def test_no_setting_is_documented_that_does_not_exist() -> None:
    known = {spec.name for spec in setting_specs()}
    for page in PAGES:
        for name in re.findall(r"\bSITECRAWL_[A-Z_]+[A-Z]\b", page.read_text(encoding="utf-8")):
            assert name in known, f"{page.name} names {name}"


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("profiles.md", list(PROFILES)),
        ("sitemaps.md", [f"`{kind}`" for kind in FindingKind]),
        ("evidence.md", [f"`{kind}`" for kind in (*EvidenceType, *FetchOutcome, *Reason)]),
        ("findings.md", [f"| `{kind}` | {DESCRIPTIONS[kind].severity} |" for kind in SiteFinding]),
        ("notifications.md", [f"`{each.name}`" for each in fields(Rules)]),
        ("notifications.md", [f"| `{kind}` |" for kind in ChannelKind]),
        ("notifications.md", [f"`{each}`" for each in (*MessageType, *Phase, *EventKind)]),
        ("exports.md", [f"`{reason}`" for reason in (*Unfit, *ChangeReason)]),
        ("database.md", [f"`{name}`" for name in metadata.tables]),
        ("cli.md", [f"`sitecrawl {name}" for name in get_command(app).commands]),  # type: ignore[attr-defined]
        ("cli.md", [f"`{name}`" for name in FEED_FIELDS]),
        ("cli.md", [f"| {code} |" for code in ExitCode]),
        (
            "cli.md",
            [f"`{name}`" for name in SpiderArguments.NAMES],
        ),
    ],
)
def test_every_word_is_explained(page: str, words: list[str]) -> None:
    text = read(page)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("*.md") if f"docs/{page.name}" not in readme] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_is_left_to_be_filled_in(page: Path) -> None:
    assert "@@" not in page.read_text(encoding="utf-8")
