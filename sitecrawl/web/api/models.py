"""What bodies and answers of several resources have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from fastapi import Header, Query, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from sitecrawl.store.queries.scans import Scan
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.web.dependencies import MAX_ID
from sitecrawl.web.problems import MEDIA_TYPE, PROBLEMS, Problem

MAX_LIMIT: Final = 500
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=2_000, description="`nextCursor` of the page before; none for the first."),
]
BeforeId = Annotated[
    int | None,
    Query(ge=1, le=MAX_ID, description="`nextBefore` of the page before; none for the first."),
]
Order = Annotated[Literal["asc", "desc"], Query(description="Which end comes first.")]
Moment = AwareDatetime
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events as they happen; `id` is that of the state, `data` is JSON.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
LastId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", max_length=100, description="The state that is known already."),
]


class Model(BaseModel):
    """An answer: its fields in camel case, as the API of the monitor has them."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Body(Model):
    """What a request says: nothing unknown, no endless text, and no NUL, which databases refuse."""

    model_config = ConfigDict(extra="forbid", str_max_length=100_000)

    @model_validator(mode="before")
    @classmethod
    def _refuse_nul(cls, value: Any) -> Any:
        if _has_nul(value):
            raise ValueError("a text has the character NUL")
        return value


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(map(_has_nul, value))


class ScanSummary(Model):
    """A scan; what it changed is known when it has been compared with the one before."""

    id: int
    status: str = Field(description="running, success, partial, interrupted, failed, cancelled")
    reason: str | None
    profile: str | None
    started_at: Moment
    finished_at: Moment | None
    total_urls: int
    added: int
    removed: int
    updated: int

    @classmethod
    def of(cls, scan: Scan, counts: Mapping[str, int]) -> Self:
        """*counts*: the changes that it has found, by kind."""
        return cls(
            id=scan.id,
            # The word of the monitor's API.
            status="success" if scan.status == ScanStatus.FINISHED else scan.status,
            reason=scan.reason,
            profile=scan.profile,
            started_at=scan.started_at,
            finished_at=scan.finished_at,
            total_urls=scan.known_pages,
            **{name: counts.get(name, 0) for name in ("added", "removed", "updated")},
        )


class ScanList(Model):
    scans: list[ScanSummary]


def download_answer(*media_types: str) -> dict[str, Any]:
    """For the documentation of a route that gives a file."""
    binary = {"type": "string", "format": "binary"}
    content = {
        each: {"schema": {} if each == "application/json" else binary} for each in media_types
    }
    answer = {"description": "The file.", "content": content, "x-download": True}
    return {"response_class": Response, "responses": {200: answer}}


def problems(*names: str) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, for its documentation, by status."""
    answers: dict[int | str, dict[str, Any]] = {}
    for name in names:
        kind = PROBLEMS[name]
        before = answers.get(kind.status, {}).get("description")
        words = f"{kind.title}: {kind.meaning}"
        example = {
            "type": kind.type,
            "title": kind.title,
            "status": kind.status,
            "detail": kind.meaning,
        }
        answers[kind.status] = {
            "description": f"{before} {words}" if before else words,
            "model": Problem,
            "content": {MEDIA_TYPE: {"example": example}},
        }
    return answers


def etag_of(kind: str, number: int, version: object) -> str:
    """Of one version of an object."""
    return f'"{kind}-{number}-{version}"'
