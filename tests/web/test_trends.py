"""How a site developed over its scans, and two sites beside each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from sitecrawl.services import inventory, inventory_comparison, overviews, sites
from sitecrawl.services.sites import NewSite
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scan_figures import ANSWERS
from sitecrawl.urls.path_tree import listed_by_section

if TYPE_CHECKING:
    from tests.web.world import World


def test_every_request_of_a_scan_is_counted_once(shared_world: World) -> None:
    database = shared_world.server.database
    found = overviews.site_trends(database, 1, shared_world.site_id)
    with database.reading() as connection:
        counts = select(t.fetches.c.scan_id, func.count()).group_by(t.fetches.c.scan_id)
        requests = {row[0]: row[1] for row in connection.execute(counts)}
    assert [each.scan.id for each in found] == [2, 1]
    for each in found:
        assert sum(each.figures.answers.values()) == requests[each.scan.id]
    newest, oldest = found[0].figures, found[-1].figures
    assert {*newest.answers, *oldest.answers} <= {*ANSWERS}
    assert newest.answers["ok"] > 1
    assert newest.answers["client error"] > 1, "/gone"
    median, most = newest.percentile_ms(0.5), newest.percentile_ms(0.95)
    assert median
    assert most
    assert median <= most


def test_sections_are_exact_as_of_each_scan(shared_world: World) -> None:
    database = shared_world.server.database
    asked = sites.asked_scan(database, 1, shared_world.site_id, None)
    scans = sites.site_scans(database, 1, shared_world.site_id)
    sections = _sections(shared_world, asked.scan.id)
    trend = overviews.section_trend(asked, sections, scans)
    assert [scan.id for scan, _ in trend.rows] == [1, 2]
    for scan, counts in trend.rows:
        assert counts == {name: _sections(shared_world, scan.id)[name] for name in trend.names}


def _sections(world: World, scan_id: int) -> dict[str, int]:
    asked = sites.asked_scan(world.server.database, 1, world.site_id, scan_id)
    hosts = inventory.path_tree(world.server.database, asked.scan, 4).hosts
    return listed_by_section(hosts)


def test_the_charts_of_a_site_have_tables(shared_world: World) -> None:
    page = shared_world.viewer.get(f"/sites/{shared_world.site_id}/scans").text
    for title in ("Changes by scan and kind", "Answers by scan", "Response times by scan"):
        assert f'aria-label="{title}. The same figures follow as a table."' in page
        assert f"<caption>{title}" in page
    tree = shared_world.viewer.get(f"/sites/{shared_world.site_id}/tree").text
    assert "<caption>Pages by scan and section" in tree


def test_two_sites_are_compared_by_their_paths(shared_world: World) -> None:
    world = shared_world
    empty = sites.add_site(world.server.database, 1, NewSite("https://unscanned.example"))
    try:
        not_yet = world.viewer.get("/compare", params={"left": world.site_id, "right": empty.id})
        assert not_yet.status_code == 200
        assert 'class="notice doubt"' in not_yet.text
        same = world.viewer.get("/compare", params={"left": world.site_id, "right": world.site_id})
        assert "two different sites" in same.text
        foreign = world.stranger.get("/compare", params={"left": world.site_id, "right": empty.id})
        assert not re.search(r"/blog/a\b", foreign.text)
    finally:
        sites.remove_site(world.server.database, 1, empty.id)
    found = inventory_comparison.compare_sites(
        world.server.database, 1, world.site_id, world.site_id
    )
    assert found.in_both == len(found.left.paths) > 0
    assert found.only_left == found.only_right == []
    assert ("/blog", 2, 2) in found.sections()


def test_sitemaps_and_robots_are_compared_with_an_earlier_scan(shared_world: World) -> None:
    path = f"/sites/{shared_world.site_id}"
    sitemaps = shared_world.viewer.get(f"{path}/sitemaps?before=1").text
    [row] = re.findall(r'<tr><th scope="row".*?</tr>', sitemaps)
    then, now, more = re.findall(r'class="number"[^>]*>(.*?)</td>', row)
    assert (then, now, more) == ("5 entries", "5 entries", "0")
    robots = shared_world.viewer.get(f"{path}/robots?before=1").text
    assert "It is as it was in scan 1" in robots
    assert shared_world.viewer.get(f"{path}/sitemaps?before=999").status_code == 404
    assert shared_world.viewer.get(f"{path}/sitemaps?before=").status_code == 200
