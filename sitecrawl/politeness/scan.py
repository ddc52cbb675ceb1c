"""The politeness of one scan: its hosts, its budget, and whether a request may be sent."""

from __future__ import annotations

import math
from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.politeness.ledger import HostLedger
from sitecrawl.politeness.pace import HostPace, PaceRules, RobotsPace
from sitecrawl.urls.address import origin_of, site_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WARN_AT = 0.8


class ScanBudget:
    """Pages and seconds of one scan; 0 is no limit.

    A page is taken when its request is handed out, one by one, and returned when it was not sent
    after all. So however many are under way, no more than ``max_pages`` are ever sent.
    """

    def __init__(self, max_pages: int, max_seconds: float, started: float):
        self.max_pages = max_pages
        self.ends_at = started + max_seconds if max_seconds else float("inf")
        self.pages = 0
        self.refused_pages = 0
        self._started = started
        self._warned: set[str] = set()

    @property
    def has_pages(self) -> bool:
        return not self.max_pages or self.pages < self.max_pages

    def take_page(self) -> bool:
        """Whether one more page may be sent; it then counts."""
        if not self.has_pages:
            return False
        self.pages += 1
        return True

    async def claim_page(self) -> bool:
        """The same, where other processes may take from the same budget."""
        return self.take_page()

    def return_page(self) -> None:
        """A page that was taken was not sent after all."""
        self.pages -= 1

    def is_over(self, now: float) -> bool:
        return now >= self.ends_at

    def seconds_left(self, now: float) -> float | None:
        """None: there is no limit."""
        return None if self.ends_at == math.inf else max(self.ends_at - now, 0.0)

    def warnings(self, now: float) -> Iterator[str]:
        """Messages for the log, each once, before a limit is reached."""
        if self.max_pages and self.pages >= _WARN_AT * self.max_pages:
            yield from self._once(
                f"{self.pages} of {self.max_pages} pages are used (SITECRAWL_MAX_PAGES)", "pages"
            )
        seconds = self.ends_at - self._started
        if now - self._started >= _WARN_AT * seconds:
            yield from self._once(
                f"{_WARN_AT:.0%} of the {seconds / 60:g} minutes are used"
                " (SITECRAWL_MAX_SCAN_MINUTES)",
                "minutes",
            )

    def _once(self, words: str, kind: str) -> Iterator[str]:
        if kind not in self._warned:
            self._warned.add(kind)
            yield words


# A site that redirects to ever new hosts must not fill the summary; the busiest are shown.
_MAX_REPORTED_HOSTS = 100


class NotSentReason(StrEnum):
    """Why a request was not sent; the values are outcomes of a fetch."""

    HOST_PAUSED = "host_paused"
    LEASE_ENDED = "stopped"
    OVER_BUDGET = "over_budget"
    SLOT_TIMEOUT = "slot_timeout"


class NotSent(NamedTuple):
    """One request that was not sent."""

    reason: NotSentReason
    words: str


class Host:
    """What is known and counted of one host."""

    def __init__(self, key: str, rules: PaceRules):
        self.key = key
        self.pace = HostPace(key, rules)
        self.ledger = HostLedger(key)
        self.refused: Counter[str] = Counter()  # by server, because it is left alone


class ScanPoliteness:
    """Decides for every request of a scan, and keeps the ledger.

    A host is a name without ``www.`` and a port: http and https, with and without ``www.``, are
    one, because one machine answers for all of them. Another port that is not the scheme's own is
    another server, with its own pace.
    """

    def __init__(self, rules: PaceRules, budget: ScanBudget, slot_wait_seconds: float):
        self.budget = budget
        self.slot_wait_seconds = slot_wait_seconds or math.inf
        self.slot_timeouts = 0
        self.shares = 1  # of the pace of each host, of which this process has one
        self._rules = rules
        self._hosts: dict[str, Host] = {}
        self._fetchers: list[dict[str, Any]] = []

    def host(self, url: str) -> Host:
        key = site_of(url)
        if key not in self._hosts:
            self._hosts[key] = Host(key, self._rules)
        return self._hosts[key]

    def set_robots_pace(self, url: str, pause_seconds: float | None) -> RobotsPace | None:
        """The pause between two requests that the robots.txt at *url* asks for.

        Holds from the next request on, for those that already wait as well.
        """
        own_pause = pause_seconds and pause_seconds * self.shares
        return self.host(url).pace.set_robots(origin_of(url), own_pause)

    def note_sent_by_others(self, now: float) -> None:
        """Other processes may have asked any of the hosts just now."""
        for host in self._hosts.values():
            host.pace.begin()
            host.pace.sent(now)

    def refusal(
        self, url: str, *, is_page: bool, now: float, deadline: float = math.inf
    ) -> NotSent | None:
        """Why a request for *url* must not be sent, now or later; None when it may."""
        budget = self.budget
        if budget.is_over(now):
            return NotSent(NotSentReason.OVER_BUDGET, "the time limit of the scan was reached")
        if is_page and not budget.has_pages:
            budget.refused_pages += 1
            return NotSent(
                NotSentReason.OVER_BUDGET,
                f"the page limit was reached (SITECRAWL_MAX_PAGES={budget.max_pages})",
            )
        host, server = self.host(url), origin_of(url)
        if words := self._why_left_alone(host.pace, server, now, deadline):
            host.refused[server] += 1
            return NotSent(NotSentReason.HOST_PAUSED, words)
        if now >= host.pace.held_until:
            words = f"{host.key} may be asked by another process now"
            return NotSent(NotSentReason.LEASE_ENDED, words)
        return None

    def is_waiting_in_vain(self, url: str, now: float, deadline: float) -> bool:
        """Whether one more try of *url* would be refused."""
        return bool(self._why_left_alone(self.host(url).pace, origin_of(url), now, deadline))

    def end_of_wait(self, now: float, *, expires: float, deadline: float) -> NotSent | None:
        """Why a waiting request need not wait any longer."""
        if now >= deadline:
            words = "the time of its stage was up before its turn came"
        elif now >= expires:
            self.slot_timeouts += 1
            words = (
                f"its turn did not come within {self.slot_wait_seconds:g} s"
                " (SITECRAWL_SLOT_WAIT_SECONDS)"
            )
        else:
            return None
        return NotSent(NotSentReason.SLOT_TIMEOUT, words)

    def _why_left_alone(self, pace: HostPace, server: str, now: float, deadline: float) -> str:
        if server in pace.left_alone:
            return pace.left_alone[server]
        if pace.paused_until <= now:
            return ""
        wait = f"{pace.host} asks to wait {pace.paused_until - now:.0f} s"
        if pace.paused_until >= self.budget.ends_at:
            words = f"{wait}, longer than the scan may still take (SITECRAWL_MAX_SCAN_MINUTES)"
            return pace.leave_alone(server, words)
        if pace.paused_until >= deadline:
            return f"{wait}, longer than its stage may still take"
        return ""

    # --- at the end --------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """What this process has sent, as JSON for :meth:`merge`."""
        return {
            host.key: {
                **host.ledger.record(),
                "left_alone": host.pace.left_alone,
                "refused": host.refused,
            }
            for host in self._hosts.values()
            if host.ledger.requests or host.pace.left_alone
        }

    def merge(self, fetcher: str, record: Mapping[str, Mapping[str, Any]]) -> None:
        """Add what a fetcher has sent, by host."""
        own = HostLedger("")
        for key, of_host in record.items():
            own.merge(of_host)
            host = self._hosts.setdefault(key, Host(key, self._rules))
            host.ledger.merge(of_host)
            host.refused.update(of_host["refused"])
            for server, why in of_host["left_alone"].items():
                host.pace.leave_alone(server, why)
        figures = own.figures()
        self._fetchers.append(
            {
                "fetcher": fetcher,
                "hosts": len(record),
                "requests": figures.requests,
                "received_bytes": figures.received_bytes,
                "statuses": figures.statuses,
                "failed": figures.failed,
                "pauses": figures.pauses,
            }
        )

    def report(self) -> dict[str, Any]:
        """The politeness ledger, for programs."""
        hosts = [host for host in self._hosts.values() if host.ledger.requests]
        hosts.sort(key=lambda host: -host.ledger.requests)
        return {
            "hosts": len(hosts),
            "requests": sum(host.ledger.requests for host in hosts),
            "received_bytes": sum(host.ledger.received_bytes for host in hosts),
            "by_host": [_figures(host) for host in hosts[:_MAX_REPORTED_HOSTS]],
            "by_fetcher": self._fetchers[:_MAX_REPORTED_HOSTS],
            "left_alone": [
                {"server": server, "reason": words, "refused": host.refused[server]}
                for host in self._hosts.values()
                for server, words in host.pace.left_alone.items()
            ][:_MAX_REPORTED_HOSTS],
        }

    def limits(self) -> list[dict[str, Any]]:
        """The limits that cut something off, in the form of a stage's."""
        cuts: list[tuple[str, str, float]] = []
        if self.budget.refused_pages:
            cuts.append(("pages not fetched", "SITECRAWL_MAX_PAGES", self.budget.max_pages))
        if self.slot_timeouts:
            what = "requests that waited too long for their turn"
            cuts.append((what, "SITECRAWL_SLOT_WAIT_SECONDS", self.slot_wait_seconds))
        return [{"what": what, "setting": name, "limit": limit} for what, name, limit in cuts]


def _figures(host: Host) -> dict[str, Any]:
    figures = host.ledger.figures().as_dict()
    if robots := host.pace.robots:
        figures["robots_asked_seconds"] = robots.asked_seconds
        figures["robots_kept_seconds"] = robots.kept_seconds
    return figures
