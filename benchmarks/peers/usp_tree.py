"""List a site's sitemap URLs with ultimate-sitemap-parser: `usp_tree.py ROOT_URL`."""

import sys

from usp.tree import sitemap_tree_for_homepage

# Without the guessed paths: they would only add 404 answers to its bill.
tree = sitemap_tree_for_homepage(sys.argv[1], use_known_paths=False)
print(sum(1 for _ in tree.all_pages()))
