"""The report of a site: gathered from the inventory, then shown."""
