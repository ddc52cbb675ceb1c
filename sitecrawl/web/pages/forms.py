"""What forms and addresses of pages give, checked before a route sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field

from sitecrawl.changes.kinds import Severity
from sitecrawl.channels.rules import Cadence, Rules
from sitecrawl.errors import InvalidInputError
from sitecrawl.services.sites import DEFAULT_PROFILE
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort
from sitecrawl.store.vocabulary import SiteState

Text = Annotated[str, Field(max_length=2_000, pattern=r"^[^\x00]*$")]
NumberText = Annotated[str, Field(pattern=r"^[0-9]{0,18}$")]
"""A number, or nothing: an empty field of a form."""


class FormModel(BaseModel):
    """Fields of a form; unknown ones are ignored, as browsers send the name of the button, too."""

    model_config = ConfigDict(populate_by_name=True)


class SiteListQuery(FormModel):
    search: Text = ""
    tag: Text = ""
    group: Annotated[str, Field(pattern=r"^([0-9]{1,18}|none)?$")] = ""
    state: Text = ""
    sort: SiteSort = SiteSort.ADDED
    order: Annotated[str, Field(pattern="^(asc|desc)$")] = "desc"
    cursor: Text | None = None

    def site_filter(self) -> SiteFilter:
        return SiteFilter(
            text=self.search,
            tags=(self.tag,) if self.tag else (),
            group_id=number_or_none(self.group),
            without_group=self.group == "none",
            state=SiteState(self.state) if self.state in set(SiteState) else None,
        )

    def export_query(self) -> str:
        """The same filter as parameters of the API."""
        wanted = self.site_filter()
        given = {
            "search": wanted.text,
            "tag": self.tag,
            "group": wanted.group_id,
            "state": wanted.state,
            "withoutGroup": "true" if wanted.without_group else "",
        }
        return urlencode({name: value for name, value in given.items() if value})


class SiteForm(FormModel):
    """A new site, or the settings of one; numbers are texts, so that a wrong one can be shown."""

    root_url: Text = ""
    name: Text = ""
    tags: Text = ""
    group_id: Text = ""
    profile: Text = DEFAULT_PROFILE
    interval_minutes: Text = "1440"
    priority: Text = "3"
    cron: Text = ""
    timezone: Text = "UTC"
    owner: Text = ""
    worker_tags: Text = ""
    enabled: bool = False
    version: int = 0


class ChannelForm(FormModel):
    """A new channel, or what is changed of one."""

    kind: Text = ""
    target: Text = ""
    name: Text = ""
    min_severity: Text = "info"
    cadence: Text = "at_once"
    scope: Text = "site"

    def rules(self, old: Rules) -> Rules:
        """The changed rules; ``InvalidInputError`` names the wrong field."""
        if self.min_severity not in set(Severity):
            raise InvalidInputError("min_severity", f"expected one of {', '.join(Severity)}")
        if self.cadence not in set(Cadence):
            raise InvalidInputError("cadence", f"expected one of {', '.join(Cadence)}")
        severity, cadence = Severity(self.min_severity), Cadence(self.cadence)
        return replace(old, min_severity=severity, cadence=cadence)


class ChangeListQuery(FormModel):
    type: Text = ""
    severity: Text = ""
    since: Text = Field(default="", alias="from")
    scan: NumberText = ""
    cursor: Text | None = None

    def export_query(self) -> str:
        """The same filter as parameters of the API."""
        given = self.model_dump(include={"type", "severity", "since", "scan"}, by_alias=True)
        return urlencode({name: value for name, value in given.items() if value})


def number_or_none(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def checked_number(field: str, text: str) -> int:
    if not text.isdecimal():
        raise InvalidInputError(field, f"{text!r}: expected a number")
    return int(text)


def split_tags(text: str) -> tuple[str, ...]:
    """
    >>> split_tags(" blog, production ,")
    ('blog', 'production')
    """
    return tuple(tag.strip() for tag in text.split(",") if tag.strip())
