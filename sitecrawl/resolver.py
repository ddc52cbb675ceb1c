"""Looks host names up, for both kinds of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingHostnameResolver, HostResolution

if TYPE_CHECKING:
    from twisted.internet.interfaces import IHostResolution


class BothKindsResolver(CachingHostnameResolver):
    """Scrapy's resolver for IPv4 and IPv6, which has an answer for impossible names as well.

    * Scrapy's default resolver knows IPv4 alone: it finds no site that has only an IPv6 address.
    * A name that no packet can ask for (``a..b``) is answered with no address at once. Twisted
      never answers, and the request would wait for its time-out.
    * A look-up has no time-out of its own: that of the request ends it, which is shorter than
      Scrapy's ``DNS_TIMEOUT``.
    """

    def resolveHostName(  # noqa: N802  Twisted's name
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        *args: Any,
        **kwargs: Any,
    ) -> IHostResolution:
        try:
            hostName.encode("idna")
        except UnicodeError:
            nothing: Any = HostResolution(hostName)
            resolutionReceiver.resolutionBegan(nothing)
            resolutionReceiver.resolutionComplete()
            return nothing  # type: ignore[no-any-return]
        return super().resolveHostName(resolutionReceiver, hostName, *args, **kwargs)
