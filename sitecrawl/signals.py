"""Signals of the project's components, beside Scrapy's."""

stage_started = object()
"""``receiver(name)``: the spider has begun a stage."""
stage_ended = object()
"""``receiver(outcome)``: a stage has ended; the outcome is that of the summary."""

request_sending = object()
"""``receiver(request)``: the connection is ready and the request is about to be written to it.

Sent by download handlers that declare ``reports_sending``. A receiver may raise
:class:`~sitecrawl.downloader.PostponedError`: then the request is not written.
"""
