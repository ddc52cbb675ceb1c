"""What the process of a spider is spared."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TASKS = Path("/proc/self/task")
_PROCESS = f"""
import os
import sitecrawl.spiders
import numpy
print(len(os.listdir({str(_TASKS)!r})))
"""


@pytest.mark.skipif(not _TASKS.is_dir(), reason="only Linux shows its threads there")
def test_numpy_starts_no_threads() -> None:
    environment = {name: value for name, value in os.environ.items() if "_THREADS" not in name}
    ended = subprocess.run(
        [sys.executable, "-c", _PROCESS],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert ended.stdout == "1\n"
