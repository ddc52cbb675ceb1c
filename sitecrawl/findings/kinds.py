"""The kinds of findings, each with its severity, title and advice: one long table."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Severity(StrEnum):
    """How much a finding matters to the owner of the site."""

    HIGH = "high"
    """Visitors or search engines miss something, or are sent the wrong way."""
    MEDIUM = "medium"
    LOW = "low"


class Topic(StrEnum):
    """What a finding is about; reports group findings by it."""

    LINKS = "links and redirects"
    INDEXING = "indexing"
    HEADS = "titles, descriptions, headings"
    CONTENTS = "contents"
    LANGUAGES = "languages"
    SPEED = "speed"
    SITEMAPS = "sitemaps"


# Longer ones are cut in the results of search engines.
MAX_TITLE_CHARACTERS: Final = 60
MAX_DESCRIPTION_CHARACTERS: Final = 155
MAX_H1_CHARACTERS: Final = 70
SLOW_MILLISECONDS: Final = 1_000
"""Until the first byte of the answer."""
HEAVY_BYTES: Final = 500_000
"""Of HTML alone."""
MAX_CLICKS: Final = 4
"""Pages that are further from the start of the crawl are deep."""


class SiteFinding(StrEnum):
    """Kinds of findings. The values are stable: reports are compared by them."""

    SITEMAP_NOT_FOUND = "sitemap_not_found"
    SITEMAP_SOFT_404 = "sitemap_soft_404"
    SITEMAP_BLOCKED = "sitemap_blocked"
    SITEMAP_NOINDEX = "sitemap_noindex"
    SITEMAP_ERROR = "sitemap_error"
    SITEMAP_REDIRECT = "sitemap_redirect"
    SITEMAP_NON_CANONICAL = "sitemap_non_canonical"
    SITEMAP_OTHER_HOST = "sitemap_other_host"
    SITEMAP_HTTP = "sitemap_http"
    SITEMAP_DUPLICATE = "sitemap_duplicate"
    SITEMAP_UNREADABLE = "sitemap_unreadable"
    SITEMAP_MISSING = "sitemap_missing"
    SITEMAP_MALFORMED = "sitemap_malformed"
    LASTMOD_INVALID = "lastmod_invalid"
    LASTMOD_IMPLAUSIBLE = "lastmod_implausible"
    LASTMOD_ALL_EQUAL = "lastmod_all_equal"
    LASTMOD_STALE = "lastmod_stale"
    ORPHAN = "orphan"
    UNLISTED = "unlisted"
    BROKEN_LINK = "broken_link"
    BROKEN_EXTERNAL_LINK = "broken_external_link"
    REDIRECT_CHAIN = "redirect_chain"
    REDIRECT_LOOP = "redirect_loop"
    TRAP = "trap"
    DUPLICATE_TEXT = "duplicate_text"
    NEAR_DUPLICATE = "near_duplicate"
    COMPETING_PAGES = "competing_pages"
    PAGE_ERROR = "page_error"
    REDIRECTED_LINK = "redirected_link"
    TITLE_MISSING = "title_missing"
    TITLE_DUPLICATE = "title_duplicate"
    TITLE_TOO_LONG = "title_too_long"
    DESCRIPTION_MISSING = "description_missing"
    DESCRIPTION_DUPLICATE = "description_duplicate"
    DESCRIPTION_TOO_LONG = "description_too_long"
    H1_MISSING = "h1_missing"
    H1_MULTIPLE = "h1_multiple"
    H1_DUPLICATE = "h1_duplicate"
    H1_TOO_LONG = "h1_too_long"
    CANONICAL_MISSING = "canonical_missing"
    CANONICALIZED = "canonicalized"
    CANONICAL_BROKEN = "canonical_broken"
    CANONICAL_REDIRECT = "canonical_redirect"
    CANONICAL_NOINDEX = "canonical_noindex"
    CANONICAL_CHAIN = "canonical_chain"
    CANONICAL_OFFSITE = "canonical_offsite"
    NOINDEX = "noindex"
    NOINDEX_CANONICAL = "noindex_canonical"
    NOFOLLOW = "nofollow"
    MIXED_CONTENT = "mixed_content"
    IMAGE_ALT_MISSING = "image_alt_missing"
    HREFLANG_INVALID = "hreflang_invalid"
    HREFLANG_NO_RETURN = "hreflang_no_return"
    HREFLANG_BROKEN = "hreflang_broken"
    SLOW_PAGE = "slow_page"
    HEAVY_PAGE = "heavy_page"
    DEEP_PAGE = "deep_page"


class Unit(StrEnum):
    """What is counted. Only pages on the list are called pages."""

    PAGES = "pages"
    ADDRESSES = "addresses"
    ENTRIES = "entries"
    SITEMAPS = "sitemaps"


_UNITS: Final = {
    Unit.ADDRESSES: {
        *(SiteFinding.BROKEN_LINK, SiteFinding.PAGE_ERROR, SiteFinding.REDIRECTED_LINK),
        *(SiteFinding.REDIRECT_CHAIN, SiteFinding.REDIRECT_LOOP, SiteFinding.TRAP),
        SiteFinding.BROKEN_EXTERNAL_LINK,
    },
    Unit.ENTRIES: {
        *(SiteFinding.SITEMAP_NOT_FOUND, SiteFinding.SITEMAP_SOFT_404, SiteFinding.SITEMAP_BLOCKED),
        *(SiteFinding.SITEMAP_NOINDEX, SiteFinding.SITEMAP_ERROR, SiteFinding.SITEMAP_REDIRECT),
        *(SiteFinding.SITEMAP_NON_CANONICAL, SiteFinding.SITEMAP_OTHER_HOST),
        *(SiteFinding.SITEMAP_HTTP, SiteFinding.LASTMOD_INVALID, SiteFinding.LASTMOD_IMPLAUSIBLE),
    },
    Unit.SITEMAPS: {
        *(SiteFinding.SITEMAP_UNREADABLE, SiteFinding.SITEMAP_MISSING),
        *(SiteFinding.SITEMAP_MALFORMED, SiteFinding.LASTMOD_ALL_EQUAL, SiteFinding.LASTMOD_STALE),
    },
}


def unit_of(kind: SiteFinding) -> Unit:
    return next((unit for unit, members in _UNITS.items() if kind in members), Unit.PAGES)


class Description(NamedTuple):
    severity: Severity
    topic: Topic
    title: str
    advice: str


DESCRIPTIONS: Final = {
    SiteFinding.SITEMAP_NOT_FOUND: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemap entries that do not exist (404 or 410)",
        "Take them out of the sitemap, or restore the pages. Search engines trust a sitemap less"
        " that lists pages which are gone.",
    ),
    SiteFinding.SITEMAP_SOFT_404: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemap entries that show an error page with status 200",
        "Answer with 404 or 410 where there is nothing, and take the entries out of the sitemap.",
    ),
    SiteFinding.SITEMAP_BLOCKED: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemap entries that robots.txt does not allow",
        "Decide what is meant: allow them in robots.txt, or take them out of the sitemap.",
    ),
    SiteFinding.SITEMAP_NOINDEX: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemap entries that say noindex",
        "A sitemap is for pages that are to be found. Take them out, or remove the noindex.",
    ),
    SiteFinding.SITEMAP_ERROR: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemap entries that could not be read",
        "Look at the server's log for these addresses: they gave errors or no answer in time.",
    ),
    SiteFinding.SITEMAP_REDIRECT: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Sitemap entries that redirect",
        "List the address that the redirect leads to instead.",
    ),
    SiteFinding.SITEMAP_NON_CANONICAL: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Sitemap entries that name another page as canonical",
        "List the canonical address only, or correct the canonical link.",
    ),
    SiteFinding.SITEMAP_OTHER_HOST: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Sitemap entries on other hosts",
        "Search engines ignore them, unless the other host's robots.txt names the sitemap. Give"
        " each host a sitemap of its own.",
    ),
    SiteFinding.SITEMAP_HTTP: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Entries with http in sitemaps that are served by https",
        "List the https addresses: each http one costs visitors and crawlers a redirect.",
    ),
    SiteFinding.SITEMAP_DUPLICATE: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Pages that the sitemaps list more than once",
        "List each page once. Spellings that lead to the same page (a last slash, www) count as"
        " one.",
    ),
    SiteFinding.SITEMAP_UNREADABLE: Description(
        Severity.HIGH,
        Topic.SITEMAPS,
        "Sitemaps that could not be read",
        "What they list is unknown to everybody. Repair them, or do not name them any more.",
    ),
    SiteFinding.SITEMAP_MISSING: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Sitemaps that are named but do not exist",
        "Take them out of robots.txt or the sitemap index, or put them back.",
    ),
    SiteFinding.SITEMAP_MALFORMED: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Sitemaps with mistakes",
        "Readers that are stricter drop the entry or the whole file. docs/sitemaps.md explains"
        " each mistake.",
    ),
    SiteFinding.LASTMOD_INVALID: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Entries whose lastmod is no date",
        "Write dates as 2026-05-06 or 2026-05-06T07:08:09+02:00.",
    ),
    SiteFinding.LASTMOD_IMPLAUSIBLE: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Entries whose lastmod is in the future or before the web",
        "Search engines stop believing the lastmod of a site that invents it.",
    ),
    SiteFinding.LASTMOD_ALL_EQUAL: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Sitemaps in which every entry has the same lastmod",
        "That is the day of the export, not of the pages. Write when each page last changed.",
    ),
    SiteFinding.LASTMOD_STALE: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Sitemaps without a change for two years",
        "Either nothing has changed, or the sitemap is no longer written. Check its generator.",
    ),
    SiteFinding.ORPHAN: Description(
        Severity.MEDIUM,
        Topic.SITEMAPS,
        "Pages in a sitemap that no page links to",
        "Visitors cannot find them. Link them where they belong, or retire them.",
    ),
    SiteFinding.UNLISTED: Description(
        Severity.LOW,
        Topic.SITEMAPS,
        "Linked pages that no sitemap lists",
        "Add those that are to be found by search engines; lists, filters and the like may stay"
        " out.",
    ),
    SiteFinding.BROKEN_LINK: Description(
        Severity.HIGH,
        Topic.LINKS,
        "Links to pages that do not exist",
        "Correct the link on the page that is named, or redirect the address.",
    ),
    SiteFinding.REDIRECT_CHAIN: Description(
        Severity.MEDIUM,
        Topic.LINKS,
        "Redirects that lead to redirects",
        "Redirect to the last address at once, and link to it.",
    ),
    SiteFinding.REDIRECT_LOOP: Description(
        Severity.HIGH,
        Topic.LINKS,
        "Redirects that never arrive",
        "They go in a circle or on and on: nobody can see these pages. Correct the rules.",
    ),
    SiteFinding.TRAP: Description(
        Severity.MEDIUM,
        Topic.LINKS,
        "Addresses without an end",
        "Calendars, filters or faulty links give crawlers ever more addresses. Mark the links"
        " nofollow, disallow them in robots.txt, or repair relative links.",
    ),
    SiteFinding.DUPLICATE_TEXT: Description(
        Severity.MEDIUM,
        Topic.CONTENTS,
        "Pages with the same main text as another page",
        "Keep one, and redirect the others or name it as their canonical page.",
    ),
    SiteFinding.NEAR_DUPLICATE: Description(
        Severity.LOW,
        Topic.CONTENTS,
        "Pages that share at least 90 % of their main text with another page",
        "Look whether they are worth a page each.",
    ),
    SiteFinding.COMPETING_PAGES: Description(
        Severity.LOW,
        Topic.CONTENTS,
        "Pages that compete: about the same as another page, under nearly the same title",
        "Search engines have to choose between them. Merge them, or let titles and texts say what"
        " each of them is for.",
    ),
    SiteFinding.BROKEN_EXTERNAL_LINK: Description(
        Severity.MEDIUM,
        Topic.LINKS,
        "Links to other sites that lead nowhere",
        "Link to where the page has moved to, or take the link out. Look once more when the answer"
        " was an error: the other site may have been busy.",
    ),
    SiteFinding.PAGE_ERROR: Description(
        Severity.HIGH,
        Topic.LINKS,
        "Pages that give an error, or no answer",
        "Look at the server's log for these addresses. Visitors who follow the links to them"
        " see the error.",
    ),
    SiteFinding.REDIRECTED_LINK: Description(
        Severity.LOW,
        Topic.LINKS,
        "Links to addresses that redirect",
        "Link to the address that the redirect leads to: each detour costs visitors and"
        " crawlers a request.",
    ),
    SiteFinding.TITLE_MISSING: Description(
        Severity.HIGH,
        Topic.HEADS,
        "Pages without a title",
        "Give each page a title of its own: it is the heading of the page in search results"
        " and in tabs.",
    ),
    SiteFinding.TITLE_DUPLICATE: Description(
        Severity.MEDIUM,
        Topic.HEADS,
        "Pages with the same title as another page",
        "Name what is special about each page, or join pages that say the same.",
    ),
    SiteFinding.TITLE_TOO_LONG: Description(
        Severity.LOW,
        Topic.HEADS,
        f"Titles of more than {MAX_TITLE_CHARACTERS} characters",
        "Search results cut them. Put what matters first, and the name of the site last.",
    ),
    SiteFinding.DESCRIPTION_MISSING: Description(
        Severity.LOW,
        Topic.HEADS,
        "Pages without a description",
        "Write a meta description for pages that are to be found; search engines show it, or"
        " choose a piece of the text on their own.",
    ),
    SiteFinding.DESCRIPTION_DUPLICATE: Description(
        Severity.LOW,
        Topic.HEADS,
        "Pages with the same description as another page",
        "Describe each page by itself, or leave the description out.",
    ),
    SiteFinding.DESCRIPTION_TOO_LONG: Description(
        Severity.LOW,
        Topic.HEADS,
        f"Descriptions of more than {MAX_DESCRIPTION_CHARACTERS} characters",
        "Search results cut them. Put what matters first.",
    ),
    SiteFinding.H1_MISSING: Description(
        Severity.MEDIUM,
        Topic.HEADS,
        "Pages without a main heading (h1)",
        "Give each page one h1 that says what it is about.",
    ),
    SiteFinding.H1_MULTIPLE: Description(
        Severity.LOW,
        Topic.HEADS,
        "Pages with several main headings (h1)",
        "Keep the one that names the page, and make the others h2.",
    ),
    SiteFinding.H1_DUPLICATE: Description(
        Severity.LOW,
        Topic.HEADS,
        "Pages with the same main heading as another page",
        "Name what is special about each page.",
    ),
    SiteFinding.H1_TOO_LONG: Description(
        Severity.LOW,
        Topic.HEADS,
        f"Main headings of more than {MAX_H1_CHARACTERS} characters",
        "Shorten them: a heading is read at a glance.",
    ),
    SiteFinding.CANONICAL_MISSING: Description(
        Severity.LOW,
        Topic.INDEXING,
        "Pages that name no canonical address",
        "Let each page name its own address as canonical, so that copies under other"
        " addresses do not compete with it.",
    ),
    SiteFinding.CANONICALIZED: Description(
        Severity.LOW,
        Topic.INDEXING,
        "Pages that name another page as canonical",
        "Search engines leave them out in favour of the other page. Check that this is meant.",
    ),
    SiteFinding.CANONICAL_BROKEN: Description(
        Severity.HIGH,
        Topic.INDEXING,
        "Canonical addresses that do not work",
        "The page asks to be replaced by one that nobody can see. Name an address that"
        " answers with 200.",
    ),
    SiteFinding.CANONICAL_REDIRECT: Description(
        Severity.MEDIUM,
        Topic.INDEXING,
        "Canonical addresses that redirect",
        "Name the address that the redirect leads to.",
    ),
    SiteFinding.CANONICAL_NOINDEX: Description(
        Severity.HIGH,
        Topic.INDEXING,
        "Canonical pages that say noindex",
        "Neither of the two pages can be found. Remove the noindex, or the canonical link.",
    ),
    SiteFinding.CANONICAL_CHAIN: Description(
        Severity.MEDIUM,
        Topic.INDEXING,
        "Canonical pages that name yet another page as canonical",
        "Name the last one of the chain at once.",
    ),
    SiteFinding.CANONICAL_OFFSITE: Description(
        Severity.MEDIUM,
        Topic.INDEXING,
        "Canonical addresses outside of the site",
        "Right for syndicated texts; otherwise the other site gets what belongs to this one.",
    ),
    SiteFinding.NOINDEX: Description(
        Severity.MEDIUM,
        Topic.INDEXING,
        "Pages that say noindex",
        "Search engines leave them out. Check that none of them is meant to be found.",
    ),
    SiteFinding.NOINDEX_CANONICAL: Description(
        Severity.LOW,
        Topic.INDEXING,
        "Pages that say noindex and name another page as canonical",
        "These contradict each other: keep the canonical link for copies, noindex for pages"
        " that nobody is to find.",
    ),
    SiteFinding.NOFOLLOW: Description(
        Severity.LOW,
        Topic.INDEXING,
        "Pages that say nofollow",
        "Search engines follow none of their links. Mark single links instead, unless this is"
        " meant.",
    ),
    SiteFinding.MIXED_CONTENT: Description(
        Severity.HIGH,
        Topic.CONTENTS,
        "Pages with https that load resources by http",
        "Browsers block or warn of them. Load everything by https.",
    ),
    SiteFinding.IMAGE_ALT_MISSING: Description(
        Severity.MEDIUM,
        Topic.CONTENTS,
        "Pages with images without an alt attribute",
        'Describe what the image shows; write alt="" where it is decoration.',
    ),
    SiteFinding.HREFLANG_INVALID: Description(
        Severity.MEDIUM,
        Topic.LANGUAGES,
        "Pages whose hreflang is no language",
        "Write codes such as de, en-GB or x-default; search engines ignore others.",
    ),
    SiteFinding.HREFLANG_NO_RETURN: Description(
        Severity.MEDIUM,
        Topic.LANGUAGES,
        "Language versions that do not link back",
        "Both versions have to name each other (hreflang), or search engines ignore the pair.",
    ),
    SiteFinding.HREFLANG_BROKEN: Description(
        Severity.MEDIUM,
        Topic.LANGUAGES,
        "Language versions that do not work",
        "hreflang has to name pages that answer with 200 and can be indexed.",
    ),
    SiteFinding.SLOW_PAGE: Description(
        Severity.MEDIUM,
        Topic.SPEED,
        f"Pages that took more than {SLOW_MILLISECONDS / 1_000:g} s to answer",
        "Look what the server does before the first byte. One slow answer can be chance:"
        " compare with the scan before.",
    ),
    SiteFinding.HEAVY_PAGE: Description(
        Severity.LOW,
        Topic.SPEED,
        f"Pages with more than {HEAVY_BYTES // 1_000} KB of HTML",
        "Look for embedded data, styles and images; split long pages.",
    ),
    SiteFinding.DEEP_PAGE: Description(
        Severity.LOW,
        Topic.LINKS,
        f"Pages more than {MAX_CLICKS} clicks away from the start",
        "Few visitors arrive there, and crawlers come rarely. Link to them from lists or"
        " related pages.",
    ),
}
