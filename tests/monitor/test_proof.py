"""Scans are done once, whatever dies: a small version of ``make bench-monitor``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.monitor.proving import Plan, prove

if TYPE_CHECKING:
    from tests.site.project import Project


def test_every_due_scan_is_done_once_although_workers_are_killed(project: Project) -> None:
    plan = Plan(sites=5, kills=2, scans_at_once=3, between_kills=(3.0, 6.0), timeout_seconds=300.0)
    proof = prove(f"sqlite:///{project.database}", project.folder, project.environment, plan)
    proof.check()
