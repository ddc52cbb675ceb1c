"""Compares the pages of a scan with those of the one before: what came, went, moved and changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sitecrawl.changes.baseline import baseline_words, changed_settings
from sitecrawl.changes.events import Event, group_pages
from sitecrawl.changes.kinds import Change, ChangeKind, EventKind, PageRef, Severity
from sitecrawl.changes.lastmod import LastmodTrust, judge_lastmod
from sitecrawl.changes.moves import pair_moves, site_move
from sitecrawl.changes.presence import (
    FLAPPING,
    Check,
    CollapseRule,
    Listing,
    Presence,
    PresenceState,
    Sighting,
    is_alive_share_doubtful,
    step,
)
from sitecrawl.services.document_comparison import DocumentComparison
from sitecrawl.store.queries import page_changes, page_presence
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.moves import Move, SiteMove
    from sitecrawl.store.queries.page_changes import AddedPage
    from sitecrawl.store.queries.page_presence import UncertainPage
    from sitecrawl.store.queries.scan_pairs import Pair

_EXAMPLES: Final = 10
# Settings that change how a page is read.
_OF_CONTENT: Final = ("render", "soft_404", "max_page", "version", "canonical")
COLLAPSE: Final = "collapse"


@dataclass(slots=True)
class Found:
    """What a comparison found, before it is written."""

    events: list[Event] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    """Of pages, still to be grouped."""
    presences: dict[int, Presence | None] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    """Keys of incidents that ended, each with what is to be said."""
    is_holding: bool = False
    baseline: str = ""
    trust: LastmodTrust = field(default_factory=LastmodTrust)
    counts: Counter[str] = field(default_factory=Counter)


class PageComparison:
    """One comparison on the connection of its transaction."""

    def __init__(self, connection: Connection, pair: Pair, known: int, trust: LastmodTrust) -> None:
        self._connection = connection
        self._pair = pair
        self._known = known
        self._trust = trust
        self._scan_id = pair.scan.id
        self._settings = pair.scan.settings
        self.found = Found()

    def run(self) -> Found:
        names = changed_settings(self._pair.before.settings, self._settings)
        is_comparable = not names
        if names:
            self._say_baseline(names)
        added = page_changes.added_pages(self._connection, self._pair)
        watched = page_presence.uncertain_pages(self._connection, self._pair)
        moment = self._pair.scan.finished_at or datetime.now(UTC)
        updates = page_changes.sitemap_updates(self._connection, self._pair, self._known, moment)
        moved = _Moves([], None, set())
        if is_comparable:
            moved = self._moves(added, watched, updates.new_urls)
        self._judge_pages(watched, moved, is_comparable=is_comparable)
        if is_comparable:
            self._add_pages(added, moved)
        if not any(name.startswith(_OF_CONTENT) for name in names):
            self._compare_visits(self._gone(watched))
        self.found.trust = judge_lastmod(updates.figures, self._trust)
        DocumentComparison(self._connection, self._pair, self.found).run(added)
        self.found.events += group_pages(self.found.changes)
        for change in self.found.changes:
            self.found.counts[change.kind] += 1
        self._add_sitemap_updates(updates, moved)
        return self.found

    # --- pages ------------------------------------------------------------------------------------

    def _say_baseline(self, names: list[str]) -> None:
        words = baseline_words(names)
        self.found.baseline = words
        title = f"pages that came or went are not told: {words}"
        self.found.events.append(Event(EventKind.REBASELINED, Severity.INFO, title, is_silent=True))

    def _moves(
        self,
        added: Sequence[AddedPage],
        watched: Sequence[UncertainPage],
        new_urls: Sequence[tuple[str, str]],
    ) -> _Moves:
        leaving = [each for each in watched if _may_have_moved(each)]
        arriving = [each for each in added if each.page.reason != Reason.OFFSITE]
        by_path = {
            _path(each.page.url): each.page for each in added if each.page.reason == Reason.OFFSITE
        }
        elsewhere = [
            (each.page, by_path[_path(each.page.url)])
            for each in leaving
            if _path(each.page.url) in by_path
        ]
        addresses = [*new_urls, *((old.url, new.url) for old, new in elsewhere)]
        if moved := site_move(addresses, self._known):
            return _Moves([], moved, {old.id for old, _ in elsewhere})
        if not leaving:
            return _Moves([], None, set())
        targets = page_changes.pages_of_urls(
            self._connection,
            self._pair.scan.site_id,
            [url for each in leaving for url in (each.redirect_target, each.canonical) if url],
        )
        ids = {each.page.id for each in leaving} | {each.page.id for each in arriving}
        ids |= set(targets.values())
        texts = page_changes.visited_texts(self._connection, self._pair, ids)
        old = [
            page_changes.moving_page(
                each.page,
                each.title,
                texts,
                targets.get(each.redirect_target or ""),
                targets.get(each.canonical or ""),
            )
            for each in leaving
        ]
        new = [page_changes.moving_page(each.page, each.title, texts) for each in arriving]
        known = {
            number: page_changes.moving_page(PageRef(number, url), "", texts)
            for url, number in targets.items()
        }
        return _Moves(pair_moves(old, new, known), None, set())

    def _judge_pages(
        self, watched: Sequence[UncertainPage], moved: _Moves, *, is_comparable: bool
    ) -> None:
        new_places = {move.old.id: move for move in moved.pairs}
        # What a broken document listed is not lost: the document itself is told.
        explained = new_places.keys() | moved.gone
        lost = [
            each
            for each in watched
            if each.is_lost and each.listing is Listing.DROPPED and each.page.id not in explained
        ]
        rule = CollapseRule(
            int(self._settings.get("collapse_percent", 10)) / 100,
            int(self._settings.get("collapse_pages", 50)),
        )
        if is_comparable and rule.is_collapse(len(lost), self._known):
            self._collapse(lost)
        doubted = _doubted_documents(watched)
        for each in watched:
            if each.is_lost and not is_comparable:
                continue  # it may have gone because we look elsewhere
            self._judge(each, new_places.get(each.page.id), moved, doubted)
        if moved.site is not None:
            self._site_moved(moved.site)
        self._end_collapse(watched)

    def _judge(
        self, each: UncertainPage, move: Move | None, moved: _Moves, doubted: set[int]
    ) -> None:
        before = each.presence
        was_doubted = before is not None and bool(before.evidence.get("doubted"))
        seen = Sighting(
            self._scan_id,
            each.listing,
            each.check,
            is_held=self.found.is_holding,
            is_doubted=was_doubted or not each.documents.isdisjoint(doubted),
        )
        after, kind = step(before, seen)
        if each.page.id in moved.gone and after is not None:
            evidence = {**after.evidence, "site_moved": True}
            after, kind = replace(after, state=PresenceState.REMOVED, evidence=evidence), None
        if after != before:
            self.found.presences[each.page.id] = after
        if move is not None and after is not None:
            evidence = {**after.evidence, "moved_to": move.new.id}
            self.found.presences[each.page.id] = replace(after, evidence=evidence)
            self._add_move(each.page, move)
            return
        was_told = before is not None and "moved_to" in before.evidence
        if kind is None or (was_told and kind is ChangeKind.REMOVED):
            return
        flaps = after.flaps if after is not None else 0
        self.found.changes.append(
            Change(
                kind,
                each.page,
                evidence=_evidence(each, after),
                confidence=_confidence(kind, each),
                is_silent=flaps >= FLAPPING,
            )
        )

    def _add_move(self, page: PageRef, move: Move) -> None:
        other = PageRef(move.new.id, move.new.url, move.new.template, move.new.type)
        self.found.changes.append(
            Change(
                ChangeKind.MOVED,
                page,
                other=other,
                before={"url": page.url},
                after={"url": move.new.url},
                evidence={"by": move.by.value, "words": move.words},
                confidence=move.confidence,
            )
        )

    def _collapse(self, lost: Sequence[UncertainPage]) -> None:
        self.found.is_holding = True
        title = (
            f"inventory collapsed: {len(lost):,} of {self._known:,} pages are no longer listed;"
            " removals wait for the next scan"
        )
        important = sum(each.page.is_important for each in lost)
        detail = {
            "examples": [each.page.url for each in lost[:_EXAMPLES]],
            "lost": len(lost),
            "known": self._known,
        }
        self.found.events.append(
            Event(
                EventKind.INVENTORY_COLLAPSED,
                Severity.CRITICAL,
                title,
                (),
                len(lost),
                important,
                detail,
                incident=COLLAPSE,
            )
        )

    def _end_collapse(self, watched: Sequence[UncertainPage]) -> None:
        """Removals are held no more when no held page is left open."""
        if self.found.is_holding:
            return
        held = [each for each in watched if each.presence and each.presence.evidence.get("held")]
        open_states = {PresenceState.MISSING, PresenceState.UNKNOWN}
        after = [self.found.presences.get(each.page.id, each.presence) for each in held]
        if any(each is not None and each.state in open_states for each in after):
            return
        back = sum(each is not None and each.state is PresenceState.PRESENT for each in after)
        words = f"{back:,} pages are listed again, {len(held) - back:,} are not"
        self.found.closed[COLLAPSE] = f"the inventory is settled: {words}"

    def _site_moved(self, move: SiteMove) -> None:
        title = f"the site moved from {move.old} to {move.new} ({move.pages:,} pages)"
        change = Change(
            ChangeKind.SITE_MOVED,
            before={"origin": move.old},
            after={"origin": move.new},
            evidence={"pages": move.pages, "of": self._known},
        )
        self.found.counts[ChangeKind.SITE_MOVED] += 1
        self.found.events.append(
            Event(EventKind.SITE_MOVED, Severity.HIGH, title, (change,), move.pages)
        )

    def _add_pages(self, added: Iterable[AddedPage], moved: _Moves) -> None:
        places = {move.new.id for move in moved.pairs}
        for each in added:
            if each.is_new and each.page.reason != Reason.OFFSITE and each.page.id not in places:
                self.found.changes.append(Change(ChangeKind.ADDED, each.page))

    def _gone(self, watched: Iterable[UncertainPage]) -> set[int]:
        """Pages of which is told that they are gone, or have moved."""
        after = {each.page.id: each.presence for each in watched} | self.found.presences
        return {
            page_id
            for page_id, presence in after.items()
            if presence is not None
            and (presence.state is PresenceState.REMOVED or "moved_to" in presence.evidence)
        }

    def _compare_visits(self, gone: set[int]) -> None:
        for page, reason, before, after in page_changes.changed_visits(
            self._connection, self._pair
        ):
            if page.id in gone:
                continue
            evidence = {"soft_404": True} if reason == Reason.SOFT_404 else {}
            self.found.changes.append(
                Change(ChangeKind.UPDATED, page, before=before, after=after, evidence=evidence)
            )

    def _add_sitemap_updates(self, updates: page_changes.SitemapUpdates, moved: _Moves) -> None:
        """Changes that only documents tell are stored by the database itself, by one event."""
        trust = self.found.trust
        if updates.updated:
            examples = page_changes.examples(self._connection, page_changes.IS_UPDATED, _EXAMPLES)
            noun = "page" if updates.updated == 1 else "pages"
            detail: dict[str, Any] = {"examples": examples, "restated": "updated"}
            if not trust.is_trusted:
                detail["untrusted"] = list(trust.reasons)
            self.found.counts[ChangeKind.UPDATED] += updates.updated
            self.found.events.append(
                Event(
                    EventKind.LASTMOD,
                    Severity.INFO,
                    f"sitemaps: {updates.updated:,} {noun} with another lastmod, changefreq or"
                    " priority",
                    pages=updates.updated,
                    detail=detail,
                    is_silent=not trust.is_trusted,
                )
            )
        if updates.relisted:
            is_relisted = "r.old_document_id <> r.document_id"
            examples = page_changes.examples(self._connection, is_relisted, _EXAMPLES)
            self.found.counts[ChangeKind.SOURCE_CHANGED] += updates.relisted
            noun = "page is" if updates.relisted == 1 else "pages are"
            self.found.events.append(
                Event(
                    EventKind.SOURCE_CHANGED,
                    Severity.INFO,
                    f"{updates.relisted:,} {noun} listed by another document",
                    pages=updates.relisted,
                    detail={"examples": examples, "restated": "source_changed"},
                    is_silent=True,
                )
            )


@dataclass(frozen=True, slots=True)
class _Moves:
    pairs: Sequence[Move]
    site: SiteMove | None
    gone: set[int]
    """Pages that are now on another host."""


def _is_listed(each: UncertainPage) -> bool:
    return each.listing is Listing.LISTED


def _may_have_moved(each: UncertainPage) -> bool:
    if _is_listed(each) or (each.presence is not None and "moved_to" in each.presence.evidence):
        return False
    if each.presence is not None and each.presence.state is PresenceState.REMOVED:
        return False
    if each.check is Check.FOUND:
        return each.canonical is not None
    is_proven = each.check in {Check.GONE, Check.REDIRECTED}
    return is_proven or each.listing is Listing.DROPPED


def _doubted_documents(watched: Iterable[UncertainPage]) -> set[int]:
    """Documents that dropped pages of which checks found many alive."""
    checks: defaultdict[int, Counter[Check]] = defaultdict(Counter)
    for each in watched:
        if not _is_listed(each):
            for document in each.documents:
                checks[document][each.check] += 1
    return {
        document
        for document, counts in checks.items()
        if is_alive_share_doubtful(counts[Check.FOUND], counts[Check.GONE])
    }


def _evidence(each: UncertainPage, after: Presence | None) -> dict[str, Any]:
    evidence: dict[str, Any] = {"listing": each.listing.value}
    if each.check is not Check.NONE:
        evidence["check"] = each.check.value
    if each.redirect_target:
        evidence["redirect_target"] = each.redirect_target
    if after is not None and "check" not in evidence and after.state is PresenceState.REMOVED:
        evidence["scans"] = 2
    return evidence


def _confidence(kind: ChangeKind, each: UncertainPage) -> float:
    is_checked = each.check is not Check.NONE
    return 0.9 if kind is ChangeKind.REMOVED and not is_checked else 1.0


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path.rstrip('/')}?{parts.query}"
