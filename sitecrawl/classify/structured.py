"""What a page says it is: schema.org types of its JSON-LD, and its og:type."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.vocabulary import PageType

if TYPE_CHECKING:
    from collections.abc import Iterable

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
# From what says most to what says least: a shop's page may name its breadcrumbs, the shop and a
# video beside the product.
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
)
_BY_NAME: Final = MappingProxyType(
    {
        name: (order, page_type)
        for order, (page_type, names) in enumerate(_TYPES)
        for name in names.split()
    }
)
# So many of a kind on one page are a list of them.
_LISTED: Final = 3


def declared_type(names: Iterable[str]) -> PageType | None:
    """The type of page that these names mean; ``og:`` stands before those of Open Graph.

    >>> declared_type(["BreadcrumbList", "https://schema.org/Product", "Organization"])
    <PageType.PRODUCT: 'product'>
    >>> declared_type(["WebSite", "og:website"]) is None
    True
    """
    known = [
        found
        for name in names
        if (found := _BY_NAME.get(name.rpartition("/")[2].lower())) is not None
    ]
    if not known:
        return None
    first = min(known)
    return first[1] if known.count(first) < _LISTED else PageType.LISTING
