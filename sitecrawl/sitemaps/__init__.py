"""Sitemaps and feeds: bytes in, columns of entries out."""
