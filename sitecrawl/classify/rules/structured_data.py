"""Page types by the names of structured data: schema.org types of JSON-LD, ``og:type``, and the
programs that name themselves as the generator of a page.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sitecrawl.classify.pages import PageType

_PRODUCTS = """
    product productgroup individualproduct productmodel vehicle car book offer aggregateoffer hotel
    hotelroom lodgingbusiness apartment house accommodation realestatelisting touristtrip
    og:product og:product.item og:book
"""
_EVENTS = """
    event musicevent sportsevent theaterevent exhibitionevent festival businessevent educationevent
    courseinstance socialevent danceevent comedyevent screeningevent
"""
_ARTICLES = """
    article newsarticle blogposting liveblogposting reportagenewsarticle analysisnewsarticle
    opinionnewsarticle scholarlyarticle medicalwebpage recipe review report
"""
_MEDIA = """
    videoobject podcastepisode podcastseries musicalbum musicrecording movie tvepisode tvseries
    imagegallery og:video.movie og:video.episode og:video.other og:music.song og:music.album
"""
# Programs that make documentation and nothing else.
_DOCUMENTATION_GENERATORS = """
    sphinx docutils javadoc docbook publican docusaurus vitepress vuepress mkdocs mdbook gitbook
    doxygen rustdoc typedoc jsdoc exdoc yard pdoc pydoctor antora asciidoctor asciidoc starlight
    texi2any makeinfo texinfo docfx slate nextra honkit dokka scaladoc haddock odoc
"""
# The most specific first: a page of a shop may declare its breadcrumbs, the shop and a video beside
# the product.
_TYPES: Final = (
    (PageType.PRODUCT, _PRODUCTS),
    (PageType.JOB, "jobposting"),
    (PageType.EVENT, _EVENTS),
    (PageType.DISCUSSION, "discussionforumposting qapage question socialmediaposting"),
    (PageType.ARTICLE, _ARTICLES),
    (PageType.DOCUMENTATION, "techarticle apireference howto"),
    (PageType.HELP, "faqpage"),
    (PageType.PROFILE, "profilepage person og:profile"),
    (PageType.MEDIA, _MEDIA),
    (PageType.CONTACT, "contactpage"),
    (PageType.ABOUT, "aboutpage"),
    (PageType.SEARCH, "searchresultspage"),
    (PageType.CART, "checkoutpage"),
    (PageType.LISTING, "collectionpage itemlist blog offercatalog"),
    (PageType.PAGE, "course dataset softwareapplication softwaresourcecode service"),
    (PageType.ARTICLE, "og:article"),
    (
        PageType.DOCUMENTATION,
        " ".join(f"generator:{name}" for name in _DOCUMENTATION_GENERATORS.split()),
    ),
)
STRUCTURED_TYPES: Final = MappingProxyType(
    {
        name: (order, page_type)
        for order, (page_type, names) in enumerate(_TYPES)
        for name in names.split()
    }
)
"""By lower-case name: rank, the most specific first, and page type."""
