"""``python -m sitecrawl.demo``: serves the demo site until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading

from sitecrawl.demo.server import DemoServer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sitecrawl.demo", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="default: any free port")
    port = parser.parse_args().port
    with DemoServer(port) as demo, contextlib.suppress(KeyboardInterrupt):
        sys.stdout.write(f"{demo.url}/ serves the demo site until Ctrl-C\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
