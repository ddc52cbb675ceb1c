"""Reads PDF, office, e-book and text files into articles, as pages are read."""
