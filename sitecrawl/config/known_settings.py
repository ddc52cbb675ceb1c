"""The settings of Scrapy and of the packages that sitecrawl uses, to find misspelled names."""

from __future__ import annotations

import difflib
from functools import cache

from sitecrawl.config import PREFIX, setting_specs

# Scrapy reads these, and gives them no default.
_SCRAPY_WORDS = """
    CONCURRENT_REQUESTS_PER_IP META_COPY_WARN_SKIP_KEYS FILES_STORE FILES_EXPIRES FILES_URLS_FIELD
    FILES_RESULT_FIELD IMAGES_STORE IMAGES_EXPIRES IMAGES_URLS_FIELD IMAGES_RESULT_FIELD
    IMAGES_THUMBS IMAGES_MIN_WIDTH IMAGES_MIN_HEIGHT MEDIA_ALLOW_REDIRECTS
"""
# What the documentation of scrapy-playwright and scrapy-fake-useragent names.
_PACKAGE_WORDS = """
    PLAYWRIGHT_ABORT_REQUEST PLAYWRIGHT_BROWSER_PROVIDER PLAYWRIGHT_BROWSER_TYPE
    PLAYWRIGHT_CDP_KWARGS PLAYWRIGHT_CDP_URL PLAYWRIGHT_CONNECT_KWARGS PLAYWRIGHT_CONNECT_URL
    PLAYWRIGHT_CONTEXTS PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT PLAYWRIGHT_DOWNLOAD_TIMEOUT
    PLAYWRIGHT_LAUNCH_OPTIONS PLAYWRIGHT_MAX_CONTEXTS PLAYWRIGHT_MAX_PAGES_PER_CONTEXT
    PLAYWRIGHT_PROCESS_REQUEST_HEADERS PLAYWRIGHT_RESTART_DISCONNECTED_BROWSER
    FAKEUSERAGENT_PROVIDERS FAKEUSERAGENT_FALLBACK FAKER_RANDOM_UA_TYPE
    FAKE_USERAGENT_RANDOM_UA_TYPE RANDOM_UA_PER_PROXY
"""
# Nearer names are misspelled; others may be those of a user's own component.
_NEAR = 0.8


@cache
def known_settings() -> frozenset[str]:
    from scrapy.settings import default_settings

    own = (spec.name for spec in setting_specs())
    scrapy = (name for name in dir(default_settings) if name.isupper())
    return frozenset({*own, *scrapy, *_SCRAPY_WORDS.split(), *_PACKAGE_WORDS.split()})


def misspelling(name: str) -> str:
    """What to say of a name that is nearly that of a setting; ``""``: nothing.

    Names with the prefix ``SITECRAWL_`` are refused elsewhere (``Config.from_settings``). Any other
    name may be one of a user's own component.

    >>> misspelling("DOWNLOAD_DELY")
    'there is no such setting; did you mean DOWNLOAD_DELAY?'
    >>> misspelling("MAX_CRAWL_PAGES")
    'there is no such setting; did you mean SITECRAWL_MAX_CRAWL_PAGES?'
    >>> misspelling("DOWNLOAD_DELAY"), misspelling("MY_SHOP_TOKEN")
    ('', '')
    """
    known = known_settings()
    if name in known or name.startswith(PREFIX):
        return ""
    own = PREFIX + name.upper()
    near = [own] if own in known else difflib.get_close_matches(name.upper(), known, 1, _NEAR)
    return f"there is no such setting; did you mean {near[0]}?" if near else ""
