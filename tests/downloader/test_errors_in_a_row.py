"""A host is left alone when it answers nothing any more, not because of some bad pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import NO_PAUSE, ONE_AT_ONCE, only_host, paths
from tests.site import Reply
from tests.stages.stored import outcomes, scan

if TYPE_CHECKING:
    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.reply import Request

_GOOD = 60


@pytest.mark.parametrize(
    ("broken", "number", "outcome"),
    [
        (Reply(b"x", delay_seconds=30), 3, "timeout"),
        (Reply(status=500), 4, "http_error"),
        (Reply(status=500), 12, "http_error"),
        (Reply(reset=True), 6, "incomplete"),
    ],
    ids=["3 time-outs", "4 x 500", "12 x 500", "6 resets"],
)
def test_bad_pages_among_good_ones_are_set_aside(
    site: SiteServer, fetch: Fetch, broken: Reply, number: int, outcome: str
) -> None:
    site.routes |= {"/page*": b"x", "/bad*": broken}
    good, bad = paths(_GOOD), [f"/bad{n}" for n in range(number)]
    pages = [*good[:30], *bad, *good[30:]]
    done = fetch(*pages, **NO_PAUSE, SITECRAWL_PAGE_TIMEOUT_SECONDS=1)
    found = outcomes(done)
    assert [found[site.at(path)] for path in good] == ["ok"] * _GOOD
    assert [found[site.at(path)] for path in bad] == [outcome] * number
    assert "left alone" not in scan(done)[1]
    tries = 3
    checks = len(site.requests()) - _GOOD - tries * number
    assert 0 <= checks <= number // 5 * tries, "the last good page is asked for once in a row of 5"
    assert only_host(done)["requests"] == len(site.requests())


def test_a_host_that_goes_down_is_left_alone(site: SiteServer, fetch: Fetch) -> None:
    answered = []

    def answer(request: Request) -> Reply | bytes:
        answered.append(request.target)
        return b"x" if len(answered) <= 10 else Reply(status=500)

    site.routes["/page*"] = answer
    done = fetch(*paths(40), **NO_PAUSE, **ONE_AT_ONCE, RETRY_TIMES=0)
    assert site.paths() == [*paths(15), "/page9"], "5 failures, and the last good page once more"
    assert "failed for 5 URLs in a row" in scan(done)[1]
    assert list(outcomes(done).values()).count("host_paused") == 25
