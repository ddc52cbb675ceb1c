"""Words that the search knows, as data."""
