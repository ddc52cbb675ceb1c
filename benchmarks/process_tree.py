"""CPU time and memory of a running process and its descendants, from /proc."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess

_POLL_SECONDS: Final = 0.2
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_MB: Final = 1e6


@dataclass(slots=True)
class TreeUsage:
    """What a process and its descendants used; memory is resident, as it was polled."""

    seconds: float = 0.0
    exit_code: int = 0
    own_cpu_seconds: float = 0.0
    """Of the process itself, without its children."""
    largest_mb: float = 0.0
    """The most of any one process, as the kernel has noted it."""
    sum_mb: float = 0.0
    """The most of all of them at one moment."""


def watch(process: subprocess.Popen[bytes]) -> TreeUsage:
    """Wait for the end of the process."""
    usage, started = TreeUsage(), time.monotonic()
    while process.poll() is None:
        tree = _descendants(process.pid)
        memory = [_memory_mb(pid) for pid in tree]
        usage.own_cpu_seconds = _cpu_seconds(process.pid) or usage.own_cpu_seconds
        usage.largest_mb = max(usage.largest_mb, *(most for _, most in memory))
        usage.sum_mb = max(usage.sum_mb, sum(now for now, _ in memory))
        time.sleep(_POLL_SECONDS)
    usage.seconds, usage.exit_code = time.monotonic() - started, process.returncode
    return usage


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        children = []
    return [pid, *(each for child in children for each in _descendants(int(child)))]


def _memory_mb(pid: int) -> tuple[float, float]:
    """Resident now, and at most so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0, 0.0
    fields = dict(line.split(":", 1) for line in lines)
    return tuple(  # type: ignore[return-value]
        int(fields.get(name, "0 kB").split()[0]) * 1024 / _MB for name in ("VmRSS", "VmHWM")
    )


def _cpu_seconds(pid: int) -> float | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / _TICKS
