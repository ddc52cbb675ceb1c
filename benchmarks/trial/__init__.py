"""Runs sitecrawl and its peers on sites that nobody here wrote, beside an independent truth."""
