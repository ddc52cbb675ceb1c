from __future__ import annotations

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.robots.answers import (
    MAX_KEPT_SECONDS,
    AnswerKind,
    fresh_seconds,
    may_use_kept_copy,
    read_answer,
)

READ, UNAVAILABLE, UNREACHABLE = AnswerKind
DAY, HOUR, FIVE_MINUTES = 86_400, 3_600, 300


@pytest.mark.parametrize(
    ("outcome", "status", "kind"),
    [
        (FetchOutcome.OK, 200, READ),
        (FetchOutcome.OK, 204, READ),
        (FetchOutcome.NOT_MODIFIED, 304, READ),
        (FetchOutcome.NOT_FOUND, 404, UNAVAILABLE),
        (FetchOutcome.NOT_FOUND, 410, UNAVAILABLE),
        (FetchOutcome.HTTP_ERROR, 400, UNAVAILABLE),
        (FetchOutcome.HTTP_ERROR, 401, UNAVAILABLE),
        (FetchOutcome.HTTP_ERROR, 403, UNAVAILABLE),
        (FetchOutcome.HTTP_ERROR, 451, UNAVAILABLE),
        (FetchOutcome.HTTP_ERROR, 429, UNREACHABLE),
        (FetchOutcome.HTTP_ERROR, 302, UNREACHABLE),
        (FetchOutcome.HTTP_ERROR, 500, UNREACHABLE),
        (FetchOutcome.HTTP_ERROR, 503, UNREACHABLE),
        (FetchOutcome.HTTP_ERROR, 999, UNREACHABLE),
        (FetchOutcome.TOO_MANY_REDIRECTS, None, UNAVAILABLE),
        # The answer was begun with a 404, but nobody knows how it ended.
        (FetchOutcome.INCOMPLETE, 404, UNREACHABLE),
    ],
)
def test_what_an_answer_means(outcome: FetchOutcome, status: int | None, kind: AnswerKind) -> None:
    assert read_answer(outcome, status).kind is kind


def test_every_other_outcome_is_unreachable() -> None:
    answers = {
        FetchOutcome.OK,
        FetchOutcome.NOT_MODIFIED,
        FetchOutcome.NOT_FOUND,
        FetchOutcome.TOO_MANY_REDIRECTS,
    }
    for outcome in set(FetchOutcome) - answers:
        assert read_answer(outcome).kind is UNREACHABLE, outcome


@pytest.mark.parametrize(("redirects", "kind"), [(0, READ), (5, READ), (6, UNAVAILABLE)])
def test_five_redirects_are_followed(redirects: int, kind: AnswerKind) -> None:
    assert read_answer(FetchOutcome.OK, 200, redirects=redirects).kind is kind


@pytest.mark.parametrize(
    ("outcome", "status", "error", "cause"),
    [
        (FetchOutcome.HTTP_ERROR, 503, "", "HTTP 503"),
        (FetchOutcome.TIMEOUT, None, "", "timeout"),
        (FetchOutcome.UNREACHABLE, None, "no such host", "no such host"),
        (FetchOutcome.OK, 200, "", ""),
    ],
)
def test_the_cause_in_words(outcome: str, status: int | None, error: str, cause: str) -> None:
    assert read_answer(outcome, status, error=error).cause == cause


@pytest.mark.parametrize(
    ("outcome", "status", "cache_control", "seconds"),
    [
        (FetchOutcome.OK, 200, "", DAY),
        (FetchOutcome.OK, 200, "public, max-age=3600", HOUR),
        (FetchOutcome.OK, 200, "MAX-AGE = 3600", HOUR),
        (FetchOutcome.OK, 200, "max-age=31536000", DAY),
        (FetchOutcome.OK, 200, "max-age=0", FIVE_MINUTES),
        (FetchOutcome.OK, 200, "s-max-age=600, x-max-age=7", DAY),
        (FetchOutcome.OK, 200, "max-age=3600, no-cache", FIVE_MINUTES),
        (FetchOutcome.OK, 200, "no-store", FIVE_MINUTES),
        (FetchOutcome.OK, 200, "max-age=soon", DAY),
        (FetchOutcome.NOT_FOUND, 404, "", DAY),
        (FetchOutcome.HTTP_ERROR, 403, "", HOUR),
        (FetchOutcome.HTTP_ERROR, 403, "max-age=86400", HOUR),
        (FetchOutcome.TOO_MANY_REDIRECTS, None, "", HOUR),
        (FetchOutcome.HTTP_ERROR, 503, "max-age=86400", FIVE_MINUTES),
        (FetchOutcome.TIMEOUT, None, "", FIVE_MINUTES),
    ],
)
def test_for_how_long_it_is_fresh(
    outcome: str, status: int | None, cache_control: str, seconds: int
) -> None:
    assert fresh_seconds(read_answer(outcome, status), cache_control) == seconds


def test_a_kept_copy_replaces_only_what_cannot_be_had() -> None:
    failed = read_answer(FetchOutcome.TIMEOUT)
    assert may_use_kept_copy(failed, 0)
    assert may_use_kept_copy(failed, MAX_KEPT_SECONDS)
    assert not may_use_kept_copy(failed, MAX_KEPT_SECONDS + 1)
    assert not may_use_kept_copy(read_answer(FetchOutcome.NOT_FOUND, 404), 0)
    assert not may_use_kept_copy(read_answer(FetchOutcome.OK, 200), 0)
