"""List a site's sitemap URLs with advertools: `advertools_df.py ROOT_URL`."""

import sys

from advertools import sitemap_to_df

frame = sitemap_to_df(sys.argv[1] + "robots.txt")
print(frame["loc"].count())
