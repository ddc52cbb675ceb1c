"""Signals of the project's components, beside Scrapy's."""

request_sending = object()
"""``receiver(request)``: the connection is ready and the request is about to be written to it.

Sent by download handlers that declare ``reports_sending``. A receiver may raise
:class:`~sitecrawl.downloader.PostponedError`: then the request is not written.
"""
