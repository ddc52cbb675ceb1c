"""A report as it would be of a shop with some thousand pages: the same for the same number."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.report.data import (
        ClusterFacts,
        CoverageFacts,
        FindingFacts,
        FindingItem,
        LinkFacts,
        PageFacts,
        ReportData,
        SpeedFacts,
        TreeNode,
    )

ROOT = "https://www.lindenhof-garden.example"
_ADJECTIVES = ("early", "late", "red", "blue", "tall", "dwarf", "hardy", "sweet", "wild", "golden")
_NOUNS = ("tomato", "bean", "lettuce", "carrot", "pumpkin", "basil", "mint", "kale", "leek")
_PLACES = ("balcony", "kitchen", "orchard", "meadow", "greenhouse", "terrace")
# section, share of the pages, category
_SECTIONS = (
    ("products", 0.52, "product"),
    ("guides", 0.16, "documentation"),
    ("blog", 0.12, "article"),
    ("de/produkte", 0.09, "product"),
    ("forum", 0.06, "forum"),
    ("help", 0.03, "support"),
    ("events", 0.015, "article"),
    ("legal", 0.005, "legal"),
)
_SPEED: SpeedFacts = {
    "pages": 200,
    "elapsed_ms": {"p50": 180, "p75": 240, "p90": 420, "p95": 800, "p99": 1_900, "max": 4_100},
    "bytes": {
        "p50": 42_000,
        "p75": 61_000,
        "p90": 90_000,
        "p95": 120_000,
        "p99": 480_000,
        "max": 900_000,
    },
}


def sample_report(pages: int = 1_000) -> ReportData:
    """A whole report with so many listed pages, and a tenth of that refused."""
    columns = _pages(pages)
    listed = [
        url for url, reason in zip(columns["url"], columns["reason"], strict=True) if not reason
    ]
    clusters = _clusters(listed)
    return {
        "site": {
            "root_url": f"{ROOT}/",
            "asked": "lindenhof-garden.example",
            "scan_id": 12,
            "scans": 4,
            "started_at": "2026-03-14T08:00:00Z",
            "finished_at": "2026-03-14T08:41:12Z",
            "status": "finished",
            "reason": "a limit was hit",
            "profile": "default",
            "version": "0.1.0",
        },
        "headline": {
            "pages": len(listed),
            "refused": len(columns["url"]) - len(listed),
            "visited": min(200, len(listed)),
            "rendered": 12,
            "documents": 218,
            "requests": 236,
            "bytes": 18_400_000,
            "seconds": 2472.0,
            "by_source": {
                "sitemap": int(pages * 0.8),
                "link": int(pages * 0.15),
                "feed": int(pages * 0.05),
            },
            "by_reason": {
                "blocked_by_robots": pages // 20,
                "offsite": pages // 40,
                "trap_facets": pages // 40,
            },
            "truncations": [
                {
                    "what": "1,204 pages more clicks away",
                    "setting": "SITECRAWL_MAX_CRAWL_DEPTH",
                    "limit": 2,
                }
            ],
        },
        "coverage": _coverage(pages, clusters),
        "tree": _tree(listed),
        "depths": [
            {"depth": depth, "pages": int(pages * part)}
            for depth, part in enumerate((0.001, 0.02, 0.15, 0.6, 0.2, 0.029))
        ],
        "clicks": [
            {"clicks": 0, "pages": 1},
            {"clicks": 1, "pages": 42},
            {"clicks": 2, "pages": pages // 3},
            {"clicks": 3, "pages": pages // 5},
        ],
        "clusters": clusters,
        "topics": [
            {
                "name": f"term{number}, other{number}",
                "pages": 20 - number,
                "points": [
                    (number / 9, place / 20, url) for place, url in enumerate(listed[number:20])
                ],
            }
            for number in range(10)
        ],
        "categories": [
            {"name": "primary content", "pages": int(pages * 0.8)},
            {"name": "support document", "pages": int(pages * 0.15)},
            {"name": "utility page", "pages": int(pages * 0.05)},
        ],
        "types": [
            {"name": name, "pages": int(pages * part)}
            for name, part in (("product", 0.6), ("documentation", 0.16), ("article", 0.14))
        ],
        "languages": [
            {"code": "en", "pages": int(pages * 0.9), "by": {"html_lang": 150, "path": pages // 2}},
            {"code": "de", "pages": int(pages * 0.09), "by": {"hreflang": 80}},
            {"code": "", "pages": int(pages * 0.01), "by": {}},
        ],
        "regions": [
            {"region": "navigation", "links": 4_120, "pages": 24},
            {"region": "content-link", "links": 2_904, "pages": 611},
            {"region": "footer", "links": 1_900, "pages": 11},
            {"region": "breadcrumb", "links": 702, "pages": 40},
        ],
        "findings": _findings(listed),
        "before": {
            "scan_id": 11,
            "started_at": "2026-03-07T08:00:00Z",
            "visited": 180,
            "speed": _SPEED,
            "fixed": [],
        },
        "speed": _SPEED,
        "politeness": {
            "hosts": 2,
            "requests": 236,
            "received_bytes": 18_400_000,
            "by_host": [_host("lindenhof-garden.example", 230), _host("cdn.lindenhof.example", 6)],
            "left_alone": [
                {
                    "server": "https://old.lindenhof-garden.example",
                    "reason": "5 errors in a row",
                    "refused": 3,
                }
            ],
        },
        "robots": [
            {
                "url": f"{ROOT}/robots.txt",
                "outcome": "ok",
                "status": 200,
                "fetched_at": "2026-03-14T08:00:01Z",
                "rules": 14,
                "crawl_delay": 1.0,
                "sitemaps": [f"{ROOT}/sitemap.xml"],
            }
        ],
        "sitemaps": [
            {
                "url": f"{ROOT}/sitemaps/{name.replace('/', '-')}.xml",
                "format": "urlset",
                "outcome": "ok" if number else "http_error",
                "status": 200 if number else 500,
                "entries": int(pages * part),
                "listed": int(pages * part * 0.9),
                "bytes": int(pages * part * 130),
                "findings": [{"kind": "lastmod_invalid", "detail": "soon", "count": 3}]
                * (number == 1),
            }
            for number, (name, part, _) in enumerate(_SECTIONS)
        ],
        "probes": {"asked": 15, "found": 0},
        "evidence": [
            {
                "type": "robots_txt",
                "content": "User-agent: *\nDisallow: /cart\n",
                "metadata": {"success": True, "rules": 14},
                "confidence": 1.0,
                "created_at": "2026-03-14T08:00:01Z",
            }
        ],
        "links": _links(clusters, columns),
        "pages": columns,
    }


def _pages(number: int) -> PageFacts:
    chance = random.Random(7)
    columns: PageFacts = {
        "url": [f"{ROOT}/"],
        "title": ["Lindenhof Garden: seeds and tools"],
        "reason": [""],
        "status": [200],
        "cluster": [0],
        "depth": [0],
        "clicks": [0],
        "priority": [1.0],
        "category": ["home"],
        "language": ["en"],
        "lastmod": ["2026-03-12"],
        "left_out": 0,
    }
    for section, (name, part, category) in enumerate(_SECTIONS, 1):
        for row in range(max(1, round((number - 1) * part))):
            words = [chance.choice(_ADJECTIVES), chance.choice(_NOUNS), chance.choice(_PLACES)]
            folder = f"{chance.choice(_NOUNS)}/" if category == "product" else ""
            folder = f"20{chance.randrange(15, 27)}/" if name == "blog" else folder
            _add(
                columns, f"{ROOT}/{name}/{folder}{'-'.join(words)}-{row}", " ".join(words), section
            )
            columns["category"].append(category)
            columns["language"].append("de" if name.startswith("de") else "en")
            columns["reason"].append("")
            columns["priority"].append(round(chance.random(), 2))
            columns["clicks"].append(chance.choice((1, 2, 3, None)))
            columns["status"].append(chance.choice((200, None, None)))
            columns["lastmod"].append(
                f"2025-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
            )
    for row in range(number // 10):
        _add(columns, f"{ROOT}/cart?item={row}", "", None)
        columns["category"].append("")
        columns["language"].append("")
        columns["reason"].append(chance.choice(("blocked_by_robots", "trap_facets", "offsite")))
        columns["priority"].append(None)
        columns["clicks"].append(None)
        columns["status"].append(None)
        columns["lastmod"].append("")
    return columns


def _add(columns: PageFacts, url: str, title: str, cluster: int | None) -> None:
    columns["url"].append(url)
    columns["title"].append(title and f"{title.capitalize()} | Lindenhof Garden")
    columns["cluster"].append(cluster)
    columns["depth"].append(url.count("/") - 2)


def _clusters(urls: list[str]) -> list[ClusterFacts]:
    clusters: list[ClusterFacts] = [_cluster(0, "/", "section", urls[:1])]
    for number, (name, _, _) in enumerate(_SECTIONS, 1):
        below = [url for url in urls if url.startswith(f"{ROOT}/{name}/")]
        clusters.append(_cluster(number, f"/{name}", "section", below))
    products = [url for url in urls if url.startswith(f"{ROOT}/products/")]
    for noun in _NOUNS:
        below = [url for url in products if f"/{noun}/" in url]
        pattern = _cluster(len(clusters), f"/products/{noun}/{{slug}}", "pattern", below)
        clusters.append({**pattern, "parent": 1})
    return clusters


def _cluster(number: int, name: str, kind: str, urls: list[str]) -> ClusterFacts:
    return {
        "id": number,
        "kind": kind,
        "name": name,
        "parent": None,
        "pages": len(urls),
        "sample": urls[:3],
        "why": f"the path starts with {name}",
    }


def _coverage(pages: int, clusters: list[ClusterFacts]) -> CoverageFacts:
    names = ("sitemaps", "links", "feeds", "rendered pages")
    return {
        "is_exhaustive": False,
        "known": pages,
        "estimate": int(pages * 1.08),
        "low": int(pages * 1.03),
        "high": int(pages * 1.17),
        "method": "Chao, three sources, summed over clusters",
        "is_trusted": True,
        "doubts": ["A limit was hit: pages more clicks away were not visited."],
        "sources": [
            {"name": name, "pages": int(pages * part)}
            for name, part in zip(names, (0.8, 0.7, 0.1, 0.04), strict=True)
        ],
        "overlap": [
            {"sources": list(sources), "pages": int(pages * part)}
            for sources, part in (
                (names[:2], 0.48),
                (names[:1], 0.22),
                (names[1:2], 0.16),
                (names[:3], 0.08),
                ((names[0], names[3]), 0.04),
                (names[2:3], 0.02),
            )
        ],
        "clusters": [
            {
                "name": cluster["name"],
                "known": cluster["pages"],
                "estimate": int(cluster["pages"] * 1.1),
                "low": cluster["pages"],
                "high": int(cluster["pages"] * 1.3),
                "is_trusted": number % 3 != 0,
            }
            for number, cluster in enumerate(clusters[:12])
        ],
        "recent_yield": {
            "requests": 50,
            "new": 4,
            "series": [int(pages / 40 * 0.9**step) for step in range(50)],
        },
    }


def _tree(urls: list[str]) -> TreeNode:
    root: TreeNode = {"name": ROOT, "url": f"{ROOT}/", "pages": 0, "children": []}
    folders: dict[str, TreeNode] = {"": root}
    for url in urls:
        root["pages"] += 1
        path, parent = "", root
        for name in url.removeprefix(f"{ROOT}/").split("/")[:-1]:
            path = f"{path}/{name}"
            if path not in folders:
                folders[path] = {"name": name, "url": f"{ROOT}{path}/", "pages": 0, "children": []}
                parent["children"].append(folders[path])
            parent = folders[path]
            parent["pages"] += 1
    return root


def _links(clusters: list[ClusterFacts], pages: PageFacts) -> LinkFacts:
    chance = random.Random(11)
    sections = [cluster for cluster in clusters if cluster["pages"]]
    titles = dict(zip(pages["url"], pages["title"], strict=True))
    return {
        "sections": [
            {
                "id": cluster["id"],
                "name": cluster["name"],
                "parent": cluster["parent"],
                "pages": cluster["pages"],
                "most_linked": [
                    {"url": url, "title": titles[url], "links": chance.randrange(1, 90)}
                    for url in cluster["sample"]
                ],
            }
            for cluster in sections
        ],
        "links": [
            {"source": one["id"], "target": other["id"], "links": chance.randrange(1, 900)}
            for one in sections
            for other in sections
            if chance.random() < 0.4
        ],
    }


def _findings(urls: list[str]) -> list[FindingFacts]:
    def finding(kind: str, severity: str, title: str, count: int, advice: str) -> FindingFacts:
        items: list[FindingItem] = [
            {"url": url, "detail": "HTTP 404"} for url in urls[-min(count, len(urls)) :]
        ]
        if kind == "broken_link":
            for item in items:
                item |= {"links": 30, "linked_from": urls[:25]}
        return {
            "kind": kind,
            "severity": severity,
            "topic": "links and redirects" if kind == "broken_link" else "sitemaps",
            "title": title,
            "count": len(items),
            "unit": "addresses" if kind == "broken_link" else "pages",
            "items": items,
            "advice": advice,
            "before": {"count": 20, "new": 3, "fixed": 5, "not_visited": 1}
            if kind == "broken_link"
            else None,
        }

    return [
        finding(
            "orphan",
            "medium",
            "Pages that no visited page links to",
            48,
            "Link to them from a page of their section, or take them out of the sitemap.",
        ),
        finding(
            "broken_link",
            "high",
            "Links to pages that do not exist",
            18,
            "Correct the link on the page that is named, or redirect the address.",
        ),
        finding(
            "sitemap_not_found",
            "high",
            "Sitemap entries that answer 404",
            17,
            "Take them out of the sitemap: search engines trust one less that names dead pages.",
        ),
        finding(
            "lastmod_all_equal",
            "low",
            "Every entry has the same lastmod",
            3,
            "Write when the page itself was changed, or leave lastmod out.",
        ),
    ]


def _host(name: str, requests: int) -> dict[str, object]:
    return {
        "host": name,
        "requests": requests,
        "smallest_gap_seconds": 0.2041,
        "median_gap_seconds": 0.35,
        "most_in_flight": 2,
        "longest_pause_seconds": None,
        "received_bytes": requests * 78_000,
        "robots_asked_seconds": 1.0,
        "robots_kept_seconds": 1.0,
    }
