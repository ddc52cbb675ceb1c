"""Runs commands of the project in forks of a process that has imported what they need.

Imports are four fifths of the CPU time of a small scan, and the tests run hundreds of them. A fork
has a reactor, an environment, a working folder and an exit code of its own, as a new process has.
It differs in three ways: modules that a command imports late are there already, what Python reads
from the environment when it starts (``PYTHONHASHSEED``, ...) is that of the server, and objects are
not freed when it ends. Tests of these
start a process with ``Project.start`` or ``subprocess``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("sitecrawl", "scrapy.commands", "scrapy.downloadermiddlewares")
_NOT_PRELOADED = "sitecrawl.store.migrations."  # Alembic runs its environment at import
_LIBRARIES = (
    "numpy",
    "scrapy.core.engine",
    "scrapy.extensions.remote_control",
    "scrapy.extensions.telnet",
    "scrapy.spidermiddlewares.depth",
    "selectolax.lexbor",
    "sqlalchemy.dialects.sqlite.pysqlite",
)


@dataclass(frozen=True, slots=True)
class Job:
    module: str
    arguments: list[str]
    folder: str
    environment: dict[str, str]
    stdout: str
    stderr: str
    timeout_seconds: int


class ForkServer:
    """Runs one command at a time; the server process ends when this one does."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=_ROOT,
            # Threads of OpenBLAS would not be there in the forks.
            env={**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self._process.communicate)

    def run(self, job: Job) -> int:
        """Return the exit code of the fork."""
        server_in, server_out = self._process.stdin, self._process.stdout
        assert server_in is not None
        assert server_out is not None
        print(json.dumps(asdict(job)), file=server_in, flush=True)
        answer = server_out.readline()
        if not answer:
            raise RuntimeError(f"the fork server ended with {self._process.wait()}")
        return int(answer)


_idle_servers: list[ForkServer] = []


def run_in_fork(
    module: str,
    *arguments: str,
    folder: Path,
    environment: Mapping[str, str],
    timeout_seconds: float,
) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of ``python -m module``."""
    # A test may run a second command while the first one is under way: on a server of its own.
    server = _idle_servers.pop() if _idle_servers else ForkServer()
    with NamedTemporaryFile() as stdout, NamedTemporaryFile() as stderr:
        job = Job(
            module=module,
            arguments=list(arguments),
            folder=str(folder),
            environment=dict(environment),
            stdout=stdout.name,
            stderr=stderr.name,
            timeout_seconds=int(timeout_seconds),
        )
        code = server.run(job)
        _idle_servers.append(server)
        said, complained = (
            Path(name).read_text(encoding="utf-8") for name in (stdout.name, stderr.name)
        )
    if code == -signal.SIGALRM:
        raise subprocess.TimeoutExpired(
            [module, *arguments], timeout_seconds, output=said, stderr=complained
        )
    return code, said, complained


# --- in the server -----------------------------------------------------------------------------


def _preload() -> None:
    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.startswith(_NOT_PRELOADED) and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in _LIBRARIES:
        importlib.import_module(name)
    # Forks share the memory of what the garbage collector does not look at.
    gc.collect()
    gc.freeze()


def _serve() -> Job | None:
    """Fork for each job; returns the job in the fork, and nothing when no more jobs come."""
    for line in iter(sys.stdin.readline, ""):
        job = Job(**json.loads(line))
        process_id = os.fork()
        if not process_id:
            return job
        _, status = os.waitpid(process_id, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def _run(job: Job, import_path: list[str]) -> None:
    """Become the process that ``python -m`` would have been."""
    signal.alarm(job.timeout_seconds)  # nobody handles it, so it ends the process
    for descriptor, path, mode in (
        (0, os.devnull, os.O_RDONLY),
        (1, job.stdout, os.O_WRONLY),
        (2, job.stderr, os.O_WRONLY),
    ):
        opened = os.open(path, mode)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.clear()
    os.environ.update(job.environment)
    os.chdir(job.folder)
    named = filter(None, job.environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [job.folder, *named, *import_path]
    sys.argv = [job.module, *job.arguments]
    code: object = 0
    try:
        runpy.run_module(job.module, run_name="__main__", alter_sys=True)
    except SystemExit as error:
        code = error.code
    except BaseException:  # noqa: BLE001  told as Python tells it
        sys.excepthook(*sys.exc_info())
        code = 1
    _exit(code)


def _exit(code: object) -> None:
    """End as Python does, but without freeing all modules: that would copy the server's memory."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    _preload()
    if asked := _serve():
        _run(asked, import_path=sys.path[1:])
