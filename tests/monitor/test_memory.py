"""Concurrency by memory."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from sitecrawl.monitor.memory import MemoryGate, available_bytes, limit_bytes, machine_bytes

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20


@pytest.mark.parametrize(
    ("meminfo", "found"),
    [
        ("MemTotal:  900 kB\nMemAvailable:     500 kB\nBuffers: 1 kB\n", 500 * 1024),
        ("MemTotal: 900 kB\nMemFree: 500 kB\n", None),
        ("", None),
    ],
)
def test_what_the_machine_has_left(meminfo: str, found: int | None) -> None:
    assert machine_bytes(meminfo) == found


@pytest.mark.parametrize(
    ("limit", "usage", "stat", "found"),
    [
        ("1000\n", "400\n", "", 600),
        ("1000", "900", "anon 5\ninactive_file 200\n", 300),
        ("1000", "900", "inactive_file 1\ntotal_inactive_file 200\n", 300),
        ("1000", "1200", "", 0),
        ("max\n", "400\n", "", None),
        ("", "", "", None),
    ],
)
def test_what_a_limit_leaves(limit: str, usage: str, stat: str, found: int | None) -> None:
    assert limit_bytes(limit, usage, stat) == found


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, None),
        ({"proc/meminfo": "MemAvailable: 9 kB\n"}, 9 * 1024),
        (
            {
                "proc/meminfo": "MemAvailable: 9 kB\n",
                "proc/self/cgroup": "0::/unit/own\n",
                "sys/fs/cgroup/unit/own/memory.max": "max\n",
                "sys/fs/cgroup/unit/own/memory.current": "5\n",
                "sys/fs/cgroup/unit/memory.max": "1000\n",
                "sys/fs/cgroup/unit/memory.current": "300\n",
            },
            700,
        ),
        (
            {
                "proc/meminfo": "MemAvailable: 9 kB\n",
                "proc/self/cgroup": "5:cpu:/x\n4:memory:/own\n",
                "sys/fs/cgroup/memory/own/memory.limit_in_bytes": "800\n",
                "sys/fs/cgroup/memory/own/memory.usage_in_bytes": "300\n",
                # Whoever may read the limit and not the use knows nothing.
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "1\n",
            },
            500,
        ),
    ],
)
def test_the_least_counts(tmp_path: Path, files: dict[str, str], found: int | None) -> None:
    for name, words in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(words)
    assert available_bytes(tmp_path) == found


class Clock(threading.Event):
    """An event that nobody sets, on which waiting moves the time."""

    now = 0.0

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0.0
        return self.is_set()


def test_jobs_begin_one_after_the_other_while_there_is_memory(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    gate = MemoryGate(
        100, lambda: (100 if clock.now < 7 or clock.now >= 80 else 99) * MIB, lambda: clock.now
    )
    begun = []
    for _ in range(3):
        assert gate.wait(clock)
        begun.append(clock.now)
    assert begun == [0, 5, 80]
    assert [record.message for record in caplog.records] == [
        "no job is begun: 99 MB are free, SITECRAWL_MONITOR_MIN_FREE_MB is 100"
    ] * 2


def test_a_worker_that_stops_begins_nothing() -> None:
    stopping = threading.Event()
    stopping.set()
    assert not MemoryGate(1, lambda: 0).wait(stopping)


@pytest.mark.parametrize("gate", [MemoryGate(0, lambda: 0), MemoryGate(9, lambda: None)])
def test_no_limit_or_no_figure_keeps_nobody(gate: MemoryGate) -> None:
    assert gate.wait(threading.Event())
