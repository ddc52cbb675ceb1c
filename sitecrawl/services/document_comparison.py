"""Compares robots.txt and the sitemaps of a scan with those of the one before."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sitecrawl.changes.events import Event
from sitecrawl.changes.kinds import Change, ChangeKind, EventKind, Severity
from sitecrawl.changes.robots_changes import RobotsImpact, compare_policies
from sitecrawl.changes.sitemap_changes import MapChangeKind, MapHealth, compare_maps
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.file import AgentMatching
from sitecrawl.robots.policy import policy_for
from sitecrawl.store.queries import change_documents, scan_pairs
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.services.page_comparison import Found
    from sitecrawl.store.queries.change_documents import RobotsAnswered
    from sitecrawl.store.queries.page_changes import AddedPage
    from sitecrawl.store.queries.scan_pairs import Pair


class DocumentComparison:
    """Adds what it finds to *found*, on the connection of the comparison."""

    def __init__(self, connection: Connection, pair: Pair, found: Found) -> None:
        self._connection = connection
        self._pair = pair
        self._settings = pair.scan.settings
        self.found = found

    def run(self, added: Sequence[AddedPage]) -> None:
        self._compare_robots()
        self._compare_maps(added)

    def _compare_robots(self) -> None:
        for old, new in change_documents.robots_answers(self._connection, self._pair):
            before, after = self._policy(old), self._policy(new)
            diff = compare_policies(before, after)
            if diff is None:
                continue
            impact = RobotsImpact(before, after)
            origin = origin_of(new.url)
            for urls, important in scan_pairs.known_urls(self._connection, self._pair.scan):
                own = [row for row, url in enumerate(urls) if url.startswith(origin)]
                impact.add([urls[row] for row in own], [important[row] for row in own])
            self._say_robots(new, diff.as_dict(), impact)

    def _policy(self, answer: RobotsAnswered) -> Any:
        outcome = "ok" if answer.status is not None and answer.status < 400 else "not_found"  # noqa: PLR2004
        return policy_for(
            read_answer(outcome, answer.status),
            answer.body,
            token=str(self._settings.get("robots_agent", "sitecrawl")),
            matching=AgentMatching(self._settings.get("robots_agent_matching", "rfc")),
        )

    def _say_robots(
        self, answer: RobotsAnswered, diff: Mapping[str, Any], impact: RobotsImpact
    ) -> None:
        numbers = impact.as_dict()
        change = Change(
            ChangeKind.ROBOTS_CHANGED,
            document_id=answer.document_id,
            before={"rules": diff.get("removed", [])},
            after={"rules": diff.get("added", [])},
            evidence={**numbers, **diff},
        )
        self.found.counts[ChangeKind.ROBOTS_CHANGED] += 1
        key = f"robots:{answer.url}"
        is_blocking = impact.blocked > 0
        if impact.allowed and not is_blocking:
            self.found.closed[key] = f"robots.txt allows {impact.allowed:,} known URLs again"
        self.found.events.append(
            Event(
                EventKind.ROBOTS_CHANGED,
                _robots_severity(impact),
                _robots_title(impact),
                (change,),
                impact.blocked or impact.allowed,
                impact.blocked_important or impact.allowed_important,
                {**numbers, **diff},
                incident=key if is_blocking else "",
            )
        )

    def _compare_maps(self, added: Sequence[AddedPage]) -> None:
        foreign = Counter(
            each.document_id for each in added if each.is_new and each.page.reason == Reason.OFFSITE
        )
        for before, after in change_documents.map_states(self._connection, self._pair):
            state = after
            if after is not None:
                state = replace(after, foreign=foreign[after.document_id])
            for found in compare_maps(before, state):
                self._say_map(found)
            if before is not None and before.is_broken and _has_recovered(after):
                key = f"sitemap:{before.url}"
                self.found.closed.setdefault(key, f"{before.url} is no longer broken")

    def _say_map(self, found: Any) -> None:
        state = found.state
        change = Change(
            ChangeKind.SITEMAP_CHANGED,
            document_id=state.document_id,
            after={"change": found.kind.value, "entries": state.entries, "status": state.status},
            evidence={"words": found.words},
        )
        self.found.counts[ChangeKind.SITEMAP_CHANGED] += 1
        is_trouble = found.severity.rank >= Severity.MEDIUM.rank
        is_readable_again = found.kind is MapChangeKind.READABLE_AGAIN
        if is_readable_again:
            self.found.closed[f"sitemap:{state.url}"] = found.words
        self.found.events.append(
            Event(
                EventKind.SITEMAP_CHANGED,
                found.severity,
                found.words,
                (change,),
                detail={"sitemap": state.url, "change": found.kind.value},
                incident=f"sitemap:{state.url}" if is_trouble else "",
                is_silent=is_readable_again,
            )
        )


def _robots_severity(impact: RobotsImpact) -> Severity:
    if impact.blocked_important:
        return Severity.CRITICAL
    if impact.blocked:
        return Severity.HIGH
    return Severity.LOW if impact.allowed else Severity.INFO


def _robots_title(impact: RobotsImpact) -> str:
    parts = []
    for verb, pages, important in (
        ("blocks", impact.blocked, impact.blocked_important),
        ("allows", impact.allowed, impact.allowed_important),
    ):
        if pages:
            noun = "known URL" if pages == 1 else "known URLs"
            more = f", {important:,} important" if important else ""
            parts.append(f"{verb} {pages:,} {noun}{more}")
    return f"robots.txt {'; '.join(parts)}" if parts else "robots.txt changed, no known URL with it"


def _has_recovered(after: Any) -> bool:
    return after is None or after.health in {MapHealth.READ, MapHealth.CUT, MapHealth.LIMITED}
