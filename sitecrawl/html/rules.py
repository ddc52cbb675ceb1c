"""Tables of words, names and types by which pages are read."""

from __future__ import annotations

import re

from sitecrawl.html.links import LinkSource, Region

# --- regions of a page -------------------------------------------------------------------------

REGION_ROLES = {
    "navigation": Region.NAVIGATION,
    "menubar": Region.NAVIGATION,
    "banner": Region.HEADER,
    "contentinfo": Region.FOOTER,
    "complementary": Region.ASIDE,
}
REGION_TAGS = {
    "nav": Region.NAVIGATION,
    "header": Region.HEADER,
    "footer": Region.FOOTER,
    "aside": Region.ASIDE,
}
# A `header` or `footer` inside of these belongs to them, not to the page.
SECTION_TAGS = frozenset({"article", "section", "main", "aside", "nav"})
SECTION_ROLES = frozenset({"main", "article", "region"})
LIST_TAGS = frozenset({"ul", "ol", "menu"})
LANDMARK_TAGS = frozenset({"body", "main", "nav", "header", "footer", "aside"})

REGION_WORDS = {
    Region.NAVIGATION: """
        nav navbar navigation menu menubar topnav top-nav topmenu top-menu mainnav main-nav
        mainmenu main-menu main-navigation sitenav site-nav site-navigation site-menu
        primary-nav primary-menu primary-navigation global-nav globalnav nav-menu navmenu
        nav-links navlinks nav-list subnav sub-nav submenu sub-menu mega-menu megamenu
        mobile-menu mobile-nav sidenav side-nav side-menu sidemenu drawer-menu offcanvas-menu
        dropdown-menu header-nav header-menu
        navheader navfooter docnav sphinxsidebar related""",
    Region.HEADER: """
        header site-header masthead topbar top-bar global-header globalheader main-header
        mainheader header-wrapper""",
    Region.FOOTER: """
        footer site-footer page-footer main-footer mainfooter global-footer globalfooter
        footer-nav footer-menu footer-links footer-wrapper footer-widgets colophon""",
    Region.ASIDE: """
        aside sidebar side-bar sidebar-left sidebar-right left-sidebar right-sidebar
        left-column right-column widget-area side-column""",
    Region.PAGINATION: """
        pagination pager page-numbers pagenumbers paging paginator pagenavi wp-pagenavi
        page-navigation page-nav nav-previous nav-next nextprev next-prev prev-next
        post-navigation posts-navigation""",
    Region.BREADCRUMB: "breadcrumb breadcrumbs crumbs crumb-trail breadcrumb-trail bread-crumb",
}
REGION_LABELS = (
    (re.compile(r"bread.?crumb", re.IGNORECASE), Region.BREADCRUMB),
    (re.compile(r"paginat|\bpag(?:es|er|ing)\b", re.IGNORECASE), Region.PAGINATION),
)

# --- relations of links ----------------------------------------------------------------------

FEED_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
        "application/rdf+xml",
        "text/rss+xml",
        "text/atom+xml",
    }
)
PAGE_TYPES = frozenset({"", "text/html", "application/xhtml+xml"})
# Alternates of these types are answers of an API, of which WordPress names three for each page.
INTERFACE_TYPES = frozenset({"application/json", "application/json+oembed", "text/xml+oembed"})
_PAGE_RELATION_WORDS = """
    first last start up top contents index toc chapter section appendix glossary help author
    license copyright home archives prerender privacy-policy terms-of-service
"""
LINK_RELATIONS = {
    "canonical": LinkSource.CANONICAL,
    "next": LinkSource.LINK_NEXT,
    "prev": LinkSource.LINK_PREV,
    "previous": LinkSource.LINK_PREV,
    "amphtml": LinkSource.AMP,
    # A sitemap is read like a feed.
    "sitemap": LinkSource.FEED_LINK,
    "feed": LinkSource.FEED_LINK,
    **dict.fromkeys(_PAGE_RELATION_WORDS.split(), LinkSource.LINK),
}
ADDRESS_PROPERTIES = frozenset({"og:url", "og:see_also", "twitter:url", "al:web:url"})
# Relations whose targets are not pages.
_RESOURCE_RELATION_WORDS = """
    stylesheet preload modulepreload prefetch preconnect dns-prefetch icon manifest
    describedby service service-desc https://api.w.org/ shortlink self edit pingback
    webmention hub micropub authorization_endpoint token_endpoint
"""
RESOURCE_RELATIONS = frozenset(_RESOURCE_RELATION_WORDS.split())

# --- embedded data -----------------------------------------------------------------------------

# Keys in the data of frameworks whose values are links.
_LINK_KEY_WORDS = """
    href url uri link permalink path pathname fullpath aspath to route canonical canonicalurl
    canonicalpath pageurl pagepath weburl web_url websiteurl page_url producturl product_url
    relativeurl relative_url urlpath url_path
"""
LINK_KEYS = frozenset(_LINK_KEY_WORDS.split())
JSONLD_ADDRESS_KEYS = frozenset({"url", "@id", "mainEntityOfPage", "item"})
# Values of these keys are not pages.
JSONLD_SKIPPED_KEYS = frozenset({"@context", "image", "logo", "thumbnail", "photo", "thumbnailUrl"})
JSONLD_SKIPPED_TYPES = frozenset({"ImageObject", "AudioObject", "MediaObject"})
