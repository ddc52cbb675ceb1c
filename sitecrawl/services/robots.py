"""What robots.txt says of URLs: for any bot, in a second opinion, and compared with a scan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.config import ConfigError
from sitecrawl.robots.answers import AnswerKind, may_use_kept_copy, read_answer
from sitecrawl.robots.file import token_of
from sitecrawl.robots.policy import policy_for
from sitecrawl.services.database import wanted_scan
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.known_documents import last_answer, last_good_copy
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.urls.address import origin_of, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from protego import Protego

    from sitecrawl.config import Config
    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.file import AgentMatching
    from sitecrawl.robots.policy import RobotsPolicy, Verdict
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.services.database import AskedScan

# protego stores every rule of a group once per name of the group: a hostile file of 500 KB would
# take gigabytes.
_MAX_PROTEGO_RULES: Final = 1_000_000
_AGENT_LINE: Final = re.compile(rb"^[ \t]*user[- ]?agent", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RobotsView:
    """Makes the policies that apply to one bot."""

    token: str
    matching: AgentMatching
    fail_open: bool

    @classmethod
    def of(cls, agent: str, config: Config) -> RobotsView:
        """For the bot *agent*; for sitecrawl, if it is empty."""
        try:
            token = token_of(agent) if agent else config.robots_agent
        except ValueError as error:
            raise ConfigError(f"--agent {error}") from error
        return cls(token, config.agent_matching(), config.robots_fail_open)

    def policy(
        self, answer: RobotsAnswer, body: bytes, kept_copy: bytes | None = None
    ) -> RobotsPolicy:
        return policy_for(
            answer,
            body,
            token=self.token,
            matching=self.matching,
            fail_open=self.fail_open,
            kept_copy=kept_copy,
        )

    def seen(self, robots: AuthorityRobots) -> AuthorityRobots:
        """The same answer, for this bot."""
        from sitecrawl.scan.robots import AuthorityRobots

        policy = self.policy(robots.answer, robots.document.body)
        return AuthorityRobots(robots.document, robots.answer, policy)


@dataclass(frozen=True, slots=True)
class JudgedUrl:
    """What robots.txt says of a URL."""

    url: str
    verdict: Verdict | None = None
    problem: str = ""
    """Why there is no verdict."""
    protego_allows: bool | None = None
    """What Scrapy's default parser says; None: it was not asked."""


@dataclass(frozen=True, slots=True)
class EarlierRobots:
    """The robots.txt that counted when a scan ran."""

    scan_id: int
    fetched_at: datetime
    policy: RobotsPolicy
    has_file: bool
    """Whether there was one to read."""


@requires(Permission.READ)
def judge_urls(robots: AuthorityRobots, texts: Sequence[str], token: str) -> Iterator[JudgedUrl]:
    """The verdicts on URLs or paths of the site, each with a second opinion."""
    protego = _protego(robots) if texts else None
    for text in texts:
        url = resolve(text, robots.url)
        if url is None:
            yield JudgedUrl(text, problem="not an http or https URL")
        elif origin_of(url) != origin_of(robots.url):
            yield JudgedUrl(url, problem="on another origin, whose own robots.txt decides")
        else:
            other = protego.can_fetch(url, token) if protego else None
            yield JudgedUrl(url, robots.policy.decide(url), protego_allows=other)


@requires(Permission.READ)
def earlier_robots(asked: AskedScan, url: str, view: RobotsView) -> EarlierRobots:
    """The robots.txt at this URL as of the scan; ``ConfigError`` if nothing is known of it."""
    scan, before = asked.scan, asked.scan.id + 1
    last = last_answer(asked.database, scan.site_id, url, before_scan=before)
    good = last_good_copy(asked.database, scan.site_id, url, before_scan=before)
    if last is None:
        raise ConfigError(f"{url}: no scan of {scan.site_key} up to {scan.id} has fetched it")
    answer = read_answer(last.outcome, last.status, redirects=last.redirects, error=last.error)
    if answer.kind is AnswerKind.READ and last.body is None:
        raise ConfigError(f"{url}: scan {last.scan_id} kept no copy of it (SITECRAWL_KEEP_BODIES)")
    if good is not None and may_use_kept_copy(
        answer, (last.fetched_at - good.fetched_at).total_seconds()
    ):
        last = good
        policy = view.policy(answer, b"", good.body)
    else:
        policy = view.policy(answer, last.body or b"")
    return EarlierRobots(last.scan_id, last.fetched_at, policy, last.body is not None)


@requires(Permission.READ)
def changed_verdicts(
    asked: AskedScan, robots: AuthorityRobots, before: RobotsPolicy
) -> Iterator[tuple[str, Verdict]]:
    """The URLs of the inventory, as it is now, on which the policies differ; the new verdicts."""
    newest = wanted_scan(asked.database, asked.site, None)
    prefix = origin_of(robots.url) + "/"
    for rows in page_rows(asked.database, newest, ALL_PAGES, ("url",)):
        urls = [url for (url,) in rows if url.startswith(prefix)]
        old, new = before.verdicts(urls), robots.policy.verdicts(urls)
        for row, url in enumerate(urls):
            if old[row].allowed != new[row].allowed:
                yield url, new[row]


def _protego(robots: AuthorityRobots) -> Protego | None:
    """Scrapy's default parser; None where there are no rules."""
    from protego import Protego

    body = robots.document.body
    if robots.answer.kind is not AnswerKind.READ or robots.policy.file.not_text:
        return None
    if len(_AGENT_LINE.findall(body)) * body.count(b":") > _MAX_PROTEGO_RULES:
        return None
    return Protego.parse(body.decode("utf-8", "replace"))
