"""Which sections of a site grew between its two newest scans?

python examples/growing_sections.py example.com
"""

from __future__ import annotations

import sys

import sitecrawl


def section_sizes(domain: str, scan: int) -> dict[str, int]:
    """Pages in and below each folder of the first level, as of a scan."""
    with sitecrawl.open_inventory(domain, scan=scan) as inventory:
        return {
            f"{host}/{name}": folder.listed
            for host, root in inventory.tree(depth=1).items()
            for name, folder in root.inner.items()
        }


def main(domain: str) -> None:
    with sitecrawl.open_inventory(domain) as inventory:
        newest, before, *_ = inventory.scans()
    now, then = section_sizes(domain, newest.id), section_sizes(domain, before.id)
    growth = {name: pages - then.get(name, 0) for name, pages in now.items()}
    for name, more in sorted(growth.items(), key=lambda item: -item[1]):
        if more > 0:
            print(f"{name}  +{more} pages, {now[name]} in all")


if __name__ == "__main__":
    main(*sys.argv[1:])
