"""Measure what it costs to learn a site and to classify its pages.

    python -m benchmarks.classes 1m --rounds 5

A sample of the addresses of the synthetic site, with their lastmod, goes through `learn_site`, as
at the end of a scan, and all of them through `PageClassifier.classify`, as when a feed is written.
Reading them from the database is not on the clock. The lowest of the rounds counts: on a busy
machine the others measure the neighbours.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import time
from typing import TYPE_CHECKING

from benchmarks.building import PROJECT_DIR, parse_size
from benchmarks.contestants import SITECRAWL
from benchmarks.report import Bar
from benchmarks.site import lastmod_of, url_of
from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.site_model import SAMPLE_ROWS, learn_site

if TYPE_CHECKING:
    from benchmarks.sections import Options, Results

ROOT = "https://www.shop.example"
_BATCH = 500  # as the store reads them
_LEAST_ROUNDS = 5


def batches(entries: int) -> list[PageColumns]:
    return [
        PageColumns(
            urls=[url_of(slot, ROOT) for slot in slots],
            lastmods=[lastmod_of(slot) for slot in slots],
        )
        for first in range(0, entries, _BATCH)
        for slots in [range(first, min(first + _BATCH, entries))]
    ]


def measure(entries: int, rounds: int) -> dict[str, float]:
    columns = batches(entries)
    one_of = max(1, entries // (2 * SAMPLE_ROWS))  # about as the store chooses
    gc.freeze()  # what was made for the measurement is not to be walked through again and again
    learning, classifying = [], []
    for _ in range(rounds):
        started = time.process_time()
        site = learn_site(columns[::one_of], one_of=one_of)
        learned = time.process_time()
        classifier = PageClassifier(site.model)
        for part in columns:
            classifier.classify(part)
        learning.append(learned - started)
        classifying.append(time.process_time() - learned)
    return {
        "learn_microseconds_per_url": min(learning) / entries * 1e6,
        "learn_microseconds_per_url_highest": max(learning) / entries * 1e6,
        "classify_microseconds_per_url": min(classifying) / entries * 1e6,
        "classify_microseconds_per_url_highest": max(classifying) / entries * 1e6,
        "clusters": len(site.clusters),
    }


def run_classify(options: Options, results: Results) -> None:
    """Run the measurement in a process of its own."""
    print("\nlearning the site and classifying its pages")
    rounds = max(options.rounds, _LEAST_ROUNDS)
    command = [SITECRAWL.script("python"), "-m", "benchmarks.classes", str(options.entries)]
    done = subprocess.run(
        [*command, "--rounds", str(rounds)],
        cwd=PROJECT_DIR,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures = results.sections["classify"] = json.loads(done.stdout)
    print(f"  lowest of {rounds} rounds; {figures['clusters']} clusters")
    learned, again = (figures[f"{name}_microseconds_per_url"] for name in ("learn", "classify"))
    results.add_bars(
        (Bar("CPU per URL to learn a site and classify it", learned + again, 3, " microseconds"),)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("entries", type=parse_size, help="number of URLs: 1m, 100k, 2500")
    parser.add_argument("--rounds", type=int, default=5, help="how often (default: 5)")
    options = parser.parse_args()
    print(json.dumps(measure(options.entries, options.rounds)))


if __name__ == "__main__":
    main()
