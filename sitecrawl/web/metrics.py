"""Figures for Prometheus: requests of this server, and what a workspace has."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

from sitecrawl.items import FetchOutcome
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sitecrawl.services.jobs import MonitorStatus
    from sitecrawl.store.queries.workspace_activity import ScanTotals

METRICS_PERIOD: Final = timedelta(hours=1)
_LATELY: Final = "in the last hour"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The figures of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        names = ("method", "route", "status")
        self._requests = Counter(
            "sitecrawl_http_requests",
            "Answered requests.",
            names,
            registry=self._registry,
        )
        self._seconds = Histogram(
            "sitecrawl_http_request_seconds",
            "Time until the answer was sent.",
            ("route",),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self, sites: int, monitor: MonitorStatus, scans: ScanTotals) -> bytes:
        """As Prometheus reads it, with the figures of a workspace."""
        own = CollectorRegistry()
        Gauge("sitecrawl_sites", "Watched sites.", registry=own).set(sites)
        jobs = Gauge("sitecrawl_jobs", "Jobs by status.", ("status",), registry=own)
        for status, number in monitor.jobs.items():
            jobs.labels(status).set(number)
        workers = Gauge("sitecrawl_workers", "Workers that are alive.", registry=own)
        workers.set(len(monitor.workers))
        _add_scans(own, scans)
        return generate_latest(self._registry) + generate_latest(own)


def _add_scans(registry: CollectorRegistry, scans: ScanTotals) -> None:
    """Gauges, as the scans of other processes are read from the database."""

    def gauge(name: str, words: str, value: float) -> None:
        Gauge(f"sitecrawl_{name}", words, registry=registry).set(value)

    ended = Gauge(
        "sitecrawl_ended_scans", f"Scans by status {_LATELY}.", ("status",), registry=registry
    )
    for status in ScanStatus:
        if status is not ScanStatus.RUNNING:
            ended.labels(status).set(scans.scans[status])
    documents = Gauge(
        "sitecrawl_scan_documents",
        f"Documents that scans fetched {_LATELY}, by outcome.",
        ("outcome",),
        registry=registry,
    )
    for outcome in FetchOutcome:
        documents.labels(outcome).set(scans.documents[outcome])
    gauge("running_scans", "Scans that run.", scans.running)
    gauge("scan_requests", f"Requests that scans sent {_LATELY}.", scans.requests)
    gauge("scan_received_bytes", f"Bytes that scans received {_LATELY}.", scans.received_bytes)
    if scans.smallest_gap_seconds is not None:
        words = f"Shortest time between two requests to one host {_LATELY}."
        gauge("scan_smallest_gap_seconds", words, scans.smallest_gap_seconds)
    words = f"Longest time that a host asked to be left alone {_LATELY}."
    gauge("scan_longest_pause_seconds", words, scans.longest_pause_seconds)
    waiting = scans.oldest_queued_at
    seconds = (datetime.now(UTC) - waiting).total_seconds() if waiting else 0
    gauge("queue_oldest_seconds", "Age of the oldest job that could start.", seconds)


class RequestMetrics:
    """Counts every request by the route that answered it, never by its path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.monotonic()
        status = 500

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_noting_status)
        finally:
            route = _name(scope.get("route"))
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._metrics.count(method, route, status, time.monotonic() - started)


def _name(route: object) -> str:
    """The name of the operation, or the path of a page with its parameters as such."""
    named = getattr(route, "operation_id", None) or getattr(route, "path", None)
    return named or "none"


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
