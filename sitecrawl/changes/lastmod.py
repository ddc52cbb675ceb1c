"""Measures whether the lastmod values of a site can be trusted.

Generators stamp all pages with the time of the build, with times of the future, or forget to stamp
pages that did change. The changes of such a lastmod are stored and not announced.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_MANY_PAGES: Final = 50
_MASS_SHARE: Final = 0.10
_EQUAL_SHARE: Final = 0.5
_FUTURE_SHARE: Final = 0.05
_FEW_CHECKS: Final = 5
_CONTRADICTING_SHARE: Final = 0.5
_CLEAN_SCANS: Final = 3


@dataclass(frozen=True, slots=True)
class LastmodFigures:
    """What one scan shows of lastmod values."""

    known: int = 0
    """Pages with a lastmod."""
    changed: int = 0
    equal: int = 0
    """Of the changed ones, those with the most frequent new stamp."""
    future: int = 0
    checked_same_text: int = 0
    """Pages with a new lastmod whose text is what it was."""
    checked_new_text: int = 0
    text_changed: int = 0
    """Pages whose text has changed, by a check."""
    text_changed_silently: int = 0
    """Of these, the ones with the old lastmod."""


@dataclass(frozen=True, slots=True)
class LastmodTrust:
    is_trusted: bool = True
    reasons: tuple[str, ...] = ()
    clean_scans: int = _CLEAN_SCANS
    """Scans in a row with changed lastmods and nothing wrong with them."""
    figures: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {
            "is_trusted": self.is_trusted,
            "reasons": list(self.reasons),
            "clean_scans": self.clean_scans,
            "figures": dict(self.figures),
        }

    @classmethod
    def of_dict(cls, values: Mapping[str, Any] | None) -> LastmodTrust:
        if not values:
            return cls()
        return cls(bool(values["is_trusted"]), tuple(values["reasons"]), int(values["clean_scans"]))


def judge_lastmod(figures: LastmodFigures, before: LastmodTrust) -> LastmodTrust:
    """Trust after this scan; once lost, it takes three clean scans in a row to come back."""
    shown = {
        name: getattr(figures, name)
        for name in LastmodFigures.__slots__
        if getattr(figures, name) and name != "known"
    }
    if reasons := tuple(_doubts(figures)):
        return LastmodTrust(False, reasons, 0, shown)
    if not figures.changed:
        return LastmodTrust(before.is_trusted, before.reasons, before.clean_scans, shown)
    clean = min(before.clean_scans + 1, _CLEAN_SCANS)
    is_trusted = clean >= _CLEAN_SCANS
    return LastmodTrust(is_trusted, () if is_trusted else before.reasons, clean, shown)


def _doubts(figures: LastmodFigures) -> list[str]:
    found = []
    is_mass = figures.changed >= _MANY_PAGES and figures.changed > _MASS_SHARE * figures.known
    if is_mass and figures.equal > _EQUAL_SHARE * figures.changed:
        found.append(f"{figures.equal:,} of {figures.changed:,} new stamps are equal")
    if figures.future > _FUTURE_SHARE * figures.changed:
        found.append(f"{figures.future:,} of {figures.changed:,} new stamps are in the future")
    checked = figures.checked_same_text + figures.checked_new_text
    if checked >= _FEW_CHECKS and figures.checked_same_text > _CONTRADICTING_SHARE * checked:
        found.append(
            f"the text of {figures.checked_same_text:,} of {checked:,} checked pages with a new"
            " stamp is what it was"
        )
    silent, text_changed = figures.text_changed_silently, figures.text_changed
    if text_changed >= _FEW_CHECKS and silent > _CONTRADICTING_SHARE * text_changed:
        found.append(f"{silent:,} of {text_changed:,} pages with a new text have the old stamp")
    return found
