"""The spiders: they sequence stages and parse nothing."""

# Scrapy reads the whole stack of imports for every class that it has deprecated there: from deep
# within the modules of the spiders, that takes a fifth of the time to the first request.
import scrapy.core.downloader.contextfactory  # noqa: F401
