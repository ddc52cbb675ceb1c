"""Small sites as functions: a target gives its links and its text, without server or state."""

from tests.urls.models.crawl import ModelCrawl, crawl
from tests.urls.models.words import Answer, Model, prose

__all__ = ["Answer", "Model", "ModelCrawl", "crawl", "prose"]
