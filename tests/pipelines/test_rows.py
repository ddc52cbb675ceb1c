from __future__ import annotations

import json

from sitecrawl.items import MentionBatch, Source
from sitecrawl.parse.entries import Alternate, EntryDetails
from sitecrawl.pipelines.rows import page_rows
from sitecrawl.urls.scope import Scope

SITE = "https://example.com/"


def test_entries_that_share_their_details_have_them_all() -> None:
    shared = EntryDetails(
        (Alternate("de", f"{SITE}de"), Alternate("fr", "https://me:pw@b.example/"))
    )
    batch = MentionBatch(
        document=f"{SITE}sitemap.xml",
        base=SITE,
        source=Source.SITEMAP,
        scope=Scope.from_urls([SITE]),
        positions=range(1, 5),
        locs=[f"{SITE}{n}" for n in range(4)],
        details={0: shared, 2: EntryDetails(images=2), 3: shared},
        ids=[1, 2, 3, 4],
        is_new=[True, True, False, True],
    )
    batch.urls = batch.locs
    rows = page_rows(batch, 7, lambda _: None)
    alternates = [["de", f"{SITE}de"], ["fr", "https://b.example/"]]
    assert {row: json.loads(text) for row, text in rows.details.items()} == {
        0: {"alternates": alternates},
        2: {"alternates": alternates},
    }
