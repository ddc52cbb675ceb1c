"""Rewrites markup whose parsing would take time with the square of its size.

What browsers do with some markup has a price that hostile pages can drive up:

- An unclosed `<b>` or `<font>` is opened again in every paragraph that follows, so a page of 40 KB
  can stand for millions of elements.
- Many rules look through all elements that are open, so nesting costs its depth squared.
- Each attribute of an element is compared with all the others.
- Each option of a `<select>` makes the parser go through all elements of that select.

Ordinary pages are only checked. A suspicious one is rewritten: elements beyond a depth, attributes
beyond a number and, if there is much unclosed formatting, most of the formatting are left out, and
a select becomes an element that parsers do not know; the content and all links stay.

15,834 pages of five documentation sites (Python, PostgreSQL, Django, OpenJDK, Debian) are nested at
most 27 deep, have at most 4 formatting elements open at once and at most 206,694 tags: none of them
is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sitecrawl.parsing.findings import FindingKind

if TYPE_CHECKING:
    from sitecrawl.html.links import PageLimits
    from sitecrawl.parsing.findings import Findings


# Below these limits the worst page costs some tenths of a second.
_HARMLESS_TAGS = 1_000
_HARMLESS_NESTED_TAGS = 10_000
_HARMLESS_ATTRIBUTE_BYTES = 128 * 1024
# Formatting elements that the parser opens again: 360 bytes of memory each.
_HARMLESS_COPIES = 500_000
# Options times tags: how many elements the parser goes through for its options.
_HARMLESS_OPTION_STEPS = 5_000_000
_MAX_ATTRIBUTES = 500
_MAX_CLOSING_STEPS = 8

# Spelled out because ignoring case would cost three times as much on every page.
_FORMATTING_START = re.compile(
    rb"<[bBiIuUsSeEtTcCfFnN](?:[mMtT]|[iI][gG]|[oO][dD][eE]|[oO][nN][tT]|[oO][bB][rR]"
    rb"|[mM][aA][lL][lL]|[tT][rR][iI][kK][eE]|[tT][rR][oO][nN][gG])?[\s/>]"
)
# A formatting element that is surely closed: it has only text and neutral inline elements in it. A
# quoted value with a `<` does not match, so an end tag in an attribute does not count. Groups are
# atomic, because Python before 3.11.5 fails to match some that have a possessive quantifier.
_SIMPLE_ATTRIBUTES = rb"""(?:[\s/](?>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*))?"""
_CLOSED_FORMATTING = re.compile(
    rb"<(b|i|u|s|em|tt|big|code|font|nobr|small|strike|strong)%b>"
    rb"[^<]*+(?>(?:</?(?:a|abbr|br|cite|img|kbd|mark|q|samp|span|sub|sup|time|var|wbr)%b>[^<]*+)*)"
    rb"</\1\s*+>" % (_SIMPLE_ATTRIBUTES, _SIMPLE_ATTRIBUTES),
    re.IGNORECASE,
)
# Formatting in formatting is taken out from the inside.
_MAX_CLOSED_LEVELS = 3
_ATTRIBUTE = (
    rb"""[\s/]*+(?:=[^\s/>=]*+|[^\s/>=]++)"""
    rb"""(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?)?"""
)
_MANY_ATTRIBUTES = re.compile(
    rb"<[a-zA-Z][^\s/>]*+(?:%b){0,%d}(%b)?" % (_ATTRIBUTE, _MAX_ATTRIBUTES, _ATTRIBUTE)
)
_OPTION = re.compile(rb"<[oO][pP][tT](?:[iI][oO][nN]|[gG][rR][oO][uU][pP])")
_COMMENT = rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
_TAG = rb"<(/?)([a-zA-Z][^\s/>]*+)((?:%b){0,%d})[\s/]*+>?" % (_ATTRIBUTE, _MAX_ATTRIBUTES)
_TOKEN = re.compile(_COMMENT + rb"|" + _TAG, re.DOTALL)
_SCRIPT_END = re.compile(rb"</script[\s/>]", re.IGNORECASE)

_FORMATTING = frozenset(b"b i u s em tt big code font nobr small strike strong".split())
# They have no content, or end by themselves where the next one starts, or hold only text.
_UNCOUNTED = frozenset(
    b"area base br col embed frame hr img input link meta param source track wbr "
    b"p li dt dd option optgroup tr td th thead tbody tfoot colgroup "
    b"script style title textarea iframe html head body".split()
)
_FOREIGN = frozenset({b"svg", b"math"})
# Their start ends no formatting. The start of a block may end a paragraph with all that is in it.
_INLINE = _FORMATTING | frozenset(
    b"abbr area br cite embed img input kbd label link mark meta q samp script span style sub sup "
    b"time title var wbr".split()
)
# An end tag closes nothing beyond these.
_BARRIERS = frozenset(
    b"table caption template applet marquee object button select "
    b"svg math foreignobject desc title annotation-xml mi mo mn ms mtext".split()
)


def defuse(markup: bytes, limits: PageLimits, findings: Findings) -> bytes:
    """Return the markup, rewritten if parsing it would cost too much."""
    if not _is_suspicious(markup):
        return markup
    if markup.count(b"<") > limits.max_tags:
        findings.note(FindingKind.OVER_LIMIT, f"more than {limits.max_tags:,} tags")
        markup = markup[: -len(markup.split(b"<", limits.max_tags)[-1]) - 1]
    tags = markup.count(b"<")
    renames_selects = _has_many_options(markup, tags)
    rewriter = Rewriter(limits.max_depth, renames_selects=renames_selects)
    rewritten = rewriter.rewrite(markup)
    if rewriter.reopened > _HARMLESS_COPIES:
        most = _HARMLESS_COPIES // tags
        rewriter = Rewriter(limits.max_depth, most, renames_selects=renames_selects)
        rewritten = rewriter.rewrite(markup)
    if rewriter.left_out:
        detail = f"{rewriter.left_out:,} tags were left out or cut"
        findings.note(FindingKind.HOSTILE_NESTING, detail)
    return rewritten


def _is_suspicious(markup: bytes) -> bool:
    tags = markup.count(b"<")
    return (
        tags > _HARMLESS_NESTED_TAGS
        or (tags > _HARMLESS_TAGS and _has_unclosed_formatting(markup, tags))
        or _has_many_options(markup, tags)
        or (len(markup) > _HARMLESS_ATTRIBUTE_BYTES and any(_MANY_ATTRIBUTES.findall(markup)))
    )


def _has_unclosed_formatting(markup: bytes, tags: int) -> bool:
    """Whether formatting that is not surely closed would make too many copies, one for each tag."""
    number = len(_FORMATTING_START.findall(markup))
    for _ in range(_MAX_CLOSED_LEVELS):
        if number * tags <= _HARMLESS_COPIES:
            return False
        markup, closed = _CLOSED_FORMATTING.subn(b"", markup)
        number -= closed
    return number * tags > _HARMLESS_COPIES


def _has_many_options(markup: bytes, tags: int) -> bool:
    return (
        tags * tags > _HARMLESS_OPTION_STEPS
        and tags * len(_OPTION.findall(markup)) > _HARMLESS_OPTION_STEPS
    )


class Rewriter:
    """Decides tag by tag, with an estimate of which elements are open.

    The estimate is never too low: an end tag only counts if every parser would obey it.
    """

    def __init__(
        self, max_depth: int, max_formatting: int | None = None, *, renames_selects: bool = False
    ):
        self.left_out = 0
        self.reopened = 0
        """At most so many formatting elements the parser has to open again."""
        self._max_depth = max_depth
        self._max_formatting = max_depth if max_formatting is None else max_formatting
        self._renames_selects = renames_selects
        self._open: list[bytes] = []
        self._open_formatting = 0
        self._open_foreign = 0
        self._dropped: Counter[bytes] = Counter()
        self._has_link = False

    def rewrite(self, markup: bytes) -> bytes:
        pieces = []
        position = 0
        while match := _TOKEN.search(markup, position):
            end = match.end()
            pieces.append(markup[position : match.start()])
            name = (match[2] or b"").lower()
            if name == b"script" and not match[1] and not self._open_foreign:
                # Its text is no markup, whatever it looks like.
                script_end = _SCRIPT_END.search(markup, end)
                end = script_end.start() if script_end else len(markup)
                pieces.append(markup[match.start() : end])
            elif name:
                pieces.append(self._rewritten(match, name))
            else:
                pieces.append(match[0])  # a comment
            position = end
        pieces.append(markup[position:])
        return b"".join(pieces)

    def _rewritten(self, match: re.Match[bytes], name: bytes) -> bytes:
        slash, written_name, attributes = match.groups()
        tag = match[0]
        if not tag.endswith(b">") and match.end() < len(match.string):
            self.left_out += 1
            tag = b"<%b%b%b>" % (slash, written_name, attributes)
        if self._renames_selects and name == b"select":
            name = b"x-select"
            tag = tag.replace(written_name, name, 1)
        elif self._renames_selects and name == b"optgroup":
            return b" "  # outside of a select each would be nested in the one before
        if name == b"a":
            return self._link(tag, is_end=bool(slash))
        is_kept = self._close(name) if slash else self._open_up(name)
        self.left_out += not is_kept
        return tag if is_kept else b" "

    def _link(self, tag: bytes, *, is_end: bool) -> bytes:
        """End a link before the next one, as parsers do, but inside of SVG as well."""
        has_link, self._has_link = self._has_link, not is_end
        if not has_link or is_end:
            return tag
        self.reopened += self._open_formatting
        return b"</a>" + tag

    def _open_up(self, name: bytes) -> bool:
        is_formatting = name in _FORMATTING
        if name not in _INLINE:
            self.reopened += self._open_formatting
        if name in _UNCOUNTED and not self._open_foreign:
            return True
        if len(self._open) >= self._max_depth or (
            is_formatting and self._open_formatting >= self._max_formatting
        ):
            self._dropped[name] += 1
            return False
        self._open.append(name)
        self._open_formatting += is_formatting
        self._open_foreign += name in _FOREIGN
        return True

    def _close(self, name: bytes) -> bool:
        """Whether an end tag stays: all do but those of elements that were left out."""
        if self._dropped[name]:
            self._dropped[name] -= 1
            return False
        for steps in range(1, min(len(self._open), _MAX_CLOSING_STEPS) + 1):
            opened = self._open[-steps]
            if opened == name:
                inner = self._open[len(self._open) - steps + 1 :]
                self.reopened += sum(each in _FORMATTING for each in inner)
                self._forget(name, steps)
                return True
            if opened in _BARRIERS:
                break
        self.reopened += self._open_formatting
        return True

    def _forget(self, name: bytes, steps: int) -> None:
        if name in _FORMATTING:
            # What it holds stays open.
            del self._open[-steps]
            self._open_formatting -= 1
        else:
            # Formatting that ends with it does not: it is opened again after it.
            self._open_foreign -= sum(opened in _FOREIGN for opened in self._open[-steps:])
            del self._open[-steps:]
