"""Five sites whose every URL is known: what they serve, and what a crawl of them has to find."""

from tests.site.sites.docs import docs_site
from tests.site.sites.messy import messy_site
from tests.site.sites.model import ExpectedMention, ModelSite
from tests.site.sites.news import news_site
from tests.site.sites.shop import shop_site
from tests.site.sites.trap import trap_site

__all__ = [
    "ExpectedMention",
    "ModelSite",
    "docs_site",
    "messy_site",
    "news_site",
    "shop_site",
    "trap_site",
]
