"""sitecrawl's robots.txt matcher for Scrapy's own ``RobotsTxtMiddleware``."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Self

from scrapy.robotstxt import RobotParser
from scrapy.utils.python import to_unicode

from sitecrawl.robots.answers import AnswerKind, RobotsAnswer
from sitecrawl.robots.policy import policy_for

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from sitecrawl.robots.policy import RobotsPolicy, Verdict

logger = logging.getLogger(__name__)

# More than one user agent is rare; a project that rotates browsers' names may have many.
_MAX_POLICIES = 64
_FIRST_NAME = re.compile(r"[^\s/*]+")
_PRODUCT = re.compile(r"([A-Za-z][\w.-]*)/(?=[\dv])")
_BROWSERS = "mozilla"
_NOBODY = "*"


class SitecrawlRobotParser(RobotParser):
    """Answers by RFC 9309 and Google's parser, and says which line decided.

    Settings: ``ROBOTSTXT_PARSER`` names it, in any Scrapy project; ``ROBOTSTXT_OBEY`` must be on.
    No other component of sitecrawl is needed.

    The groups that name a product of the user agent hold; without any, those for ``*``. Of several
    products (``Mozilla/5.0 (compatible; MyBot/1.0)``) the first that is named counts, and browsers'
    common ``Mozilla`` last. ``ROBOTSTXT_USER_AGENT`` replaces the user agent.
    """

    def __init__(self, robotstxt_body: bytes):
        self._body = robotstxt_body
        self._policies: dict[str, RobotsPolicy] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        return cls(robotstxt_body)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        verdict = self.verdict(url, user_agent)
        if not verdict.allowed:
            logger.debug("%s: %s", to_unicode(url), verdict.explanation)
        return verdict.allowed

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        return self._policy(to_unicode(user_agent)).usual.crawl_delay

    def verdict(self, url: str | bytes, user_agent: str | bytes) -> Verdict:
        """Whether *url* may be fetched, with the deciding rule and its line."""
        return self._policy(to_unicode(user_agent)).decide(to_unicode(url))

    def _policy(self, user_agent: str) -> RobotsPolicy:
        if user_agent not in self._policies:
            if len(self._policies) >= _MAX_POLICIES:
                self._policies.clear()
            self._policies[user_agent] = self._parse(user_agent)
        return self._policies[user_agent]

    def _parse(self, user_agent: str) -> RobotsPolicy:
        answer = RobotsAnswer(AnswerKind.READ)
        policies = [
            policy_for(answer, self._body, token=token) for token in product_tokens(user_agent)
        ]
        named = (policy for policy in policies if policy.usual.group.strip()[:1] not in {"", "*"})
        return next(named, policies[0])


def product_tokens(user_agent: str) -> list[str]:
    """The names by which the groups of a robots.txt may address a user agent, the best first.

    >>> product_tokens("Mozilla/5.0 (compatible; MyBot/1.0; +https://bot.example/about)")
    ['MyBot', 'Mozilla']
    >>> product_tokens("my-bot (+https://bot.example)"), product_tokens("*")
    (['my-bot'], ['*'])
    """
    first = _FIRST_NAME.match(user_agent.strip())
    names = dict.fromkeys([*([first[0]] if first else []), *_PRODUCT.findall(user_agent)])
    return sorted(names, key=lambda name: name.lower() == _BROWSERS) or [_NOBODY]
