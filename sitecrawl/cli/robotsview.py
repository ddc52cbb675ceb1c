"""Whose eyes a robots.txt is read with: ours, or those of another bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.config import Config, ConfigError
from sitecrawl.robots.file import token_of
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.robots import AuthorityRobots

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.file import AgentMatching
    from sitecrawl.robots.policy import RobotsPolicy


@dataclass(frozen=True, slots=True)
class RobotsView:
    """Makes policies for one bot."""

    token: str
    matching: AgentMatching
    fail_open: bool

    @classmethod
    def of(cls, agent: str, settings: BaseSettings) -> RobotsView:
        """For the bot that calls itself *agent*; nothing: for us."""
        config = Config.from_settings(settings)
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
        policy = self.policy(robots.answer, robots.document.body)
        return AuthorityRobots(robots.document, robots.answer, policy)
