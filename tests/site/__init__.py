"""A site for the tests: a real server on loopback, and builders for what it serves."""

from tests.site.reply import Reply, Request, redirect, redirect_chain, too_many
from tests.site.server import SiteServer

__all__ = ["Reply", "Request", "SiteServer", "redirect", "redirect_chain", "too_many"]
