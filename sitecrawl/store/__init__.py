"""The inventory's database: the only place that holds connections."""
