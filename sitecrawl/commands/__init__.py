"""Scrapy's own commands, as this project wants them."""

# See `sitecrawl.spiders`; before anything else of the project is imported it takes least.
import scrapy.core.downloader.contextfactory  # noqa: F401
