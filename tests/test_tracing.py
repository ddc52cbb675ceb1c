"""Traces, as a collector of OpenTelemetry gets them by OTLP over HTTP."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from sitecrawl.monitor.runner import JobRunner, RetryRule
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store.engine import open_database
from sitecrawl.tracing import Tracer
from tests.site.build import robots, sitemap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import Project


@dataclass
class Collector:
    url: str
    spans: list[Any] = field(default_factory=list)

    def named(self, name: str) -> Any:
        [span] = [each for each in self.spans if each.name == name]
        return span


def attributes(span: Any) -> dict[str, Any]:
    values = {each.key: each.value for each in span.attributes}
    return {name: getattr(value, value.WhichOneof("value")) for name, value in values.items()}


@pytest.fixture
def collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    found.spans += scope.spans
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Collector(f"http://127.0.0.1:{server.server_port}/v1/traces")
    threading.Thread(target=server.serve_forever).start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture
def small_site(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/robots.txt": robots("/map.xml"),
        "/map.xml": sitemap(*(site.at(f"/{number}") for number in range(12))),
    }
    return site


def test_a_scan_has_spans_of_its_stages_and_requests(
    small_site: SiteServer, project: Project, collector: Collector
) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    project.crawl(
        small_site.url,
        settings={
            "SITECRAWL_TRACES_URL": collector.url,
            "SITECRAWL_TRACES_REQUESTS": 1,
            "SITECRAWL_TRACES_PARENT": parent,
        },
    ).succeeded()
    scan = collector.named("scan")
    assert scan.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c"
    assert scan.parent_span_id.hex() == "b7ad6b7169203331"
    assert attributes(scan)["sitecrawl.asked"] == small_site.url
    assert attributes(scan)["sitecrawl.status"] == "finished"
    assert attributes(scan)["sitecrawl.pages"] == 12
    stages = {each.span_id for each in collector.spans if each.name.startswith("stage ")}
    assert collector.named("stage sitemaps").parent_span_id == scan.span_id
    requests = [each for each in collector.spans if each.name == "request"]
    assert len(requests) == len(small_site.requests())
    assert {each.parent_span_id for each in requests} <= {*stages, scan.span_id}
    asked = Counter(attributes(each)["sitecrawl.url"] for each in requests)
    assert asked[small_site.at("/map.xml")] == 1
    assert {event.name for each in requests for event in each.events} == {"sent"}
    assert {each.trace_id for each in collector.spans} == {scan.trace_id}


def test_a_job_of_the_monitor_is_the_parent_of_its_scan(
    small_site: SiteServer, tmp_path: Path, collector: Collector
) -> None:
    url = f"sqlite:///{tmp_path}/own.db"
    endpoint = small_site.url.removeprefix("http://").rstrip("/")
    tracer = Tracer(collector.url)
    machine = {"SITECRAWL_TRACES_URL": collector.url, "SITECRAWL_ADDRESS_ALLOW": (endpoint,)}
    with open_database(url) as database:
        add_site(database, 1, NewSite(small_site.url, profile="monitor,fast"), [endpoint])
        runner = JobRunner(database, url, "me", RetryRule(0, 1), (), machine, tracer)
        assert runner.scan(1) == "success"
    tracer.close()
    job, scan = collector.named("job"), collector.named("scan")
    assert scan.parent_span_id == job.span_id
    assert scan.trace_id == job.trace_id
    assert attributes(job)["sitecrawl.status"] == "success"


def test_a_failed_scan_is_an_error(project: Project, collector: Collector) -> None:
    project.crawl("http://127.0.0.1:1/", settings={"SITECRAWL_TRACES_URL": collector.url})
    assert collector.named("scan").status.code == 2


def test_a_collector_that_is_away_changes_nothing(small_site: SiteServer, project: Project) -> None:
    away = {"SITECRAWL_TRACES_URL": "http://127.0.0.1:1/v1/traces", "SITECRAWL_TRACES_REQUESTS": 1}
    assert len(project.crawl(small_site.url, settings=away).succeeded().rows) == 12


def test_nothing_is_imported_while_traces_are_off() -> None:
    program = (
        "import sys; from sitecrawl.tracing import Tracer; import sitecrawl.extensions.tracing;"
        "assert Tracer('').start('x').traceparent == '';"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
