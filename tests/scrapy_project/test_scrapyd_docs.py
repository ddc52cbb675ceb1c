"""The commands of docs/scrapyd.md, run as they stand there, print what it says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from sitecrawl.demo.server import DemoServer
from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.2
_NODE = "127.0.0.1:6800"
_SITE = "127.0.0.1:39573"
_SERVER = "sitecrawl scrapyd"
_END = "--- end of the command ---"
# What differs from run to run.
_VARYING = {
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(\+0000)?": "TIME",
    r"127\.0\.0\.1:\d{4,}": "HOST",
    r'"node_name": "[^"]*"': "NODE",
    r"process \d+ on \S+": "PROCESS",
    r"\s+": " ",
}


class Step(NamedTuple):
    command: str
    output: str


def steps() -> Iterator[Step]:
    text = (ROOT / "docs" / "scrapyd.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Step(command, output)


def is_as_documented(output: str, documented: str) -> bool:
    for pattern, name in _VARYING.items():
        output, documented = re.sub(pattern, name, output), re.sub(pattern, name, documented)
    pattern = re.escape(documented.strip()).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, output.strip()) is not None


class Shell:
    """A bash that runs one command after another."""

    def __init__(self, folder: Path, environment: Mapping[str, str]):
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\necho; echo '{_END}'\n")
        self._process.stdin.flush()
        lines = iter(self._process.stdout.readline, "")
        return "".join(iter(lambda: next(lines), f"{_END}\n"))

    def close(self) -> None:
        self._process.communicate(timeout=_WAIT_SECONDS)


@contextmanager
def scrapyd(folder: Path, environment: Mapping[str, str], documented: str) -> Iterator[None]:
    """The server, from when it has said what is documented."""
    log = folder / "server.log"
    with log.open("w") as file:
        server = subprocess.Popen(
            _SERVER.split(), cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    *_, last = documented.strip().splitlines()
    try:
        end = time.monotonic() + _WAIT_SECONDS
        while not any(is_as_documented(line, last) for line in log.read_text().splitlines()):
            assert time.monotonic() < end, log.read_text()
            assert server.poll() is None, log.read_text()
            time.sleep(_POLL_SECONDS)
        assert is_as_documented(log.read_text().split(last[-20:])[0] + last[-20:], documented)
        yield
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.wait(_WAIT_SECONDS)


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_commands_of_the_page(
    tmp_path: Path, environment: dict[str, str], copied_project: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        node = f"127.0.0.1:{listener.getsockname()[1]}"
    variables = {
        **environment,
        "PATH": f"{Path(sys.executable).parent}:{environment['PATH']}",
        "SCRAPYD_HTTP_PORT": node.split(":")[1],
    }
    copied_project.rename(tmp_path / "sitecrawl")
    first, server, *others = steps()
    assert server.command == _SERVER
    shell = Shell(tmp_path, variables)
    shell.run(first.command)
    try:
        with DemoServer(0) as demo, scrapyd(tmp_path / "node", variables, server.output):
            for step in others:
                command = step.command.replace(_NODE, node)
                command = command.replace(_SITE, demo.url.removeprefix("http://"))
                # What only asks is asked until it is as documented: jobs take their time.
                end = time.monotonic() + (_WAIT_SECONDS if " -d " not in command else 0)
                while not is_as_documented(output := shell.run(command), step.output):
                    assert time.monotonic() < end, f"{command}\n{output}\nnot as documented"
                    time.sleep(_POLL_SECONDS)
    finally:
        shell.close()
