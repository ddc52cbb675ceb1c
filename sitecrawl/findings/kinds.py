"""The kinds of findings, each with its severity, title and advice."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Severity(StrEnum):
    """How much a finding matters to the owner of the site."""

    HIGH = "high"
    """Visitors or search engines miss something, or are sent the wrong way."""
    MEDIUM = "medium"
    LOW = "low"


class SiteFinding(StrEnum):
    """Kinds of findings; users see the values."""

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
    REDIRECT_CHAIN = "redirect_chain"
    REDIRECT_LOOP = "redirect_loop"
    TRAP = "trap"
    DUPLICATE_TEXT = "duplicate_text"
    NEAR_DUPLICATE = "near_duplicate"


class Description(NamedTuple):
    severity: Severity
    title: str
    advice: str


DESCRIPTIONS: Final = {
    SiteFinding.SITEMAP_NOT_FOUND: Description(
        Severity.HIGH,
        "Sitemap entries that do not exist (404 or 410)",
        "Take them out of the sitemap, or restore the pages. Search engines trust a sitemap less"
        " that lists pages which are gone.",
    ),
    SiteFinding.SITEMAP_SOFT_404: Description(
        Severity.HIGH,
        "Sitemap entries that show an error page with status 200",
        "Answer with 404 or 410 where there is nothing, and take the entries out of the sitemap.",
    ),
    SiteFinding.SITEMAP_BLOCKED: Description(
        Severity.HIGH,
        "Sitemap entries that robots.txt does not allow",
        "Decide what is meant: allow them in robots.txt, or take them out of the sitemap.",
    ),
    SiteFinding.SITEMAP_NOINDEX: Description(
        Severity.HIGH,
        "Sitemap entries that say noindex",
        "A sitemap is for pages that are to be found. Take them out, or remove the noindex.",
    ),
    SiteFinding.SITEMAP_ERROR: Description(
        Severity.HIGH,
        "Sitemap entries that could not be read",
        "Look at the server's log for these addresses: they gave errors or no answer in time.",
    ),
    SiteFinding.SITEMAP_REDIRECT: Description(
        Severity.MEDIUM,
        "Sitemap entries that redirect",
        "List the address that the redirect leads to instead.",
    ),
    SiteFinding.SITEMAP_NON_CANONICAL: Description(
        Severity.MEDIUM,
        "Sitemap entries that name another page as canonical",
        "List the canonical address only, or correct the canonical link.",
    ),
    SiteFinding.SITEMAP_OTHER_HOST: Description(
        Severity.MEDIUM,
        "Sitemap entries on other hosts",
        "Search engines ignore them, unless the other host's robots.txt names the sitemap. Give"
        " each host a sitemap of its own.",
    ),
    SiteFinding.SITEMAP_HTTP: Description(
        Severity.MEDIUM,
        "Entries with http in sitemaps that are served by https",
        "List the https addresses: each http one costs visitors and crawlers a redirect.",
    ),
    SiteFinding.SITEMAP_DUPLICATE: Description(
        Severity.LOW,
        "Pages that the sitemaps list more than once",
        "List each page once. Spellings that lead to the same page (a last slash, www) count as"
        " one.",
    ),
    SiteFinding.SITEMAP_UNREADABLE: Description(
        Severity.HIGH,
        "Sitemaps that could not be read",
        "What they list is unknown to everybody. Repair them, or do not name them any more.",
    ),
    SiteFinding.SITEMAP_MISSING: Description(
        Severity.MEDIUM,
        "Sitemaps that are named but do not exist",
        "Take them out of robots.txt or the sitemap index, or put them back.",
    ),
    SiteFinding.SITEMAP_MALFORMED: Description(
        Severity.MEDIUM,
        "Sitemaps with mistakes",
        "Readers that are stricter drop the entry or the whole file. docs/sitemaps.md explains"
        " each mistake.",
    ),
    SiteFinding.LASTMOD_INVALID: Description(
        Severity.LOW,
        "Entries whose lastmod is no date",
        "Write dates as 2026-05-06 or 2026-05-06T07:08:09+02:00.",
    ),
    SiteFinding.LASTMOD_IMPLAUSIBLE: Description(
        Severity.LOW,
        "Entries whose lastmod is in the future or before the web",
        "Search engines stop believing the lastmod of a site that invents it.",
    ),
    SiteFinding.LASTMOD_ALL_EQUAL: Description(
        Severity.LOW,
        "Sitemaps in which every entry has the same lastmod",
        "That is the day of the export, not of the pages. Write when each page last changed.",
    ),
    SiteFinding.LASTMOD_STALE: Description(
        Severity.LOW,
        "Sitemaps without a change for two years",
        "Either nothing has changed, or the sitemap is no longer written. Check its generator.",
    ),
    SiteFinding.ORPHAN: Description(
        Severity.MEDIUM,
        "Pages in a sitemap that no page links to",
        "Visitors cannot find them. Link them where they belong, or retire them.",
    ),
    SiteFinding.UNLISTED: Description(
        Severity.LOW,
        "Linked pages that no sitemap lists",
        "Add those that are to be found by search engines; lists, filters and the like may stay"
        " out.",
    ),
    SiteFinding.BROKEN_LINK: Description(
        Severity.HIGH,
        "Links to pages that do not exist",
        "Correct the link on the page that is named, or redirect the address.",
    ),
    SiteFinding.REDIRECT_CHAIN: Description(
        Severity.MEDIUM,
        "Redirects that lead to redirects",
        "Redirect to the last address at once, and link to it.",
    ),
    SiteFinding.REDIRECT_LOOP: Description(
        Severity.HIGH,
        "Redirects that never arrive",
        "They go in a circle or on and on: nobody can see these pages. Correct the rules.",
    ),
    SiteFinding.TRAP: Description(
        Severity.MEDIUM,
        "Addresses without an end",
        "Calendars, filters or faulty links give crawlers ever more addresses. Mark the links"
        " nofollow, disallow them in robots.txt, or repair relative links.",
    ),
    SiteFinding.DUPLICATE_TEXT: Description(
        Severity.MEDIUM,
        "Pages with the same main text as another page",
        "Keep one, and redirect the others or name it as their canonical page.",
    ),
    SiteFinding.NEAR_DUPLICATE: Description(
        Severity.LOW,
        "Pages that share at least 90 % of their main text with another page",
        "Look whether they are worth a page each.",
    ),
}
