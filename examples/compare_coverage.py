"""How do two sites compare: pages, where they are listed, what they are?

python examples/compare_coverage.py example.com example.org
"""

from __future__ import annotations

import sys

import polars as pl

import sitecrawl


def coverage(domain: str) -> pl.DataFrame:
    """One row for the site."""
    with sitecrawl.open_inventory(domain) as inventory:
        pages = inventory.to_polars()
    in_sitemap = pl.col("sources").list.contains("sitemap")
    return pages.select(
        pl.lit(domain).alias("site"),
        pl.len().alias("pages"),
        in_sitemap.sum().alias("in a sitemap"),
        (~in_sitemap).sum().alias("only linked"),
        pl.col("type").n_unique().alias("types"),
        pl.col("language").drop_nulls().n_unique().alias("languages"),
    )


def main(*domains: str) -> None:
    print(pl.concat([coverage(domain) for domain in domains]))


if __name__ == "__main__":
    main(*sys.argv[1:])
