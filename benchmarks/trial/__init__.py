"""Compares sitecrawl and its peers on real sites with an independent ground truth."""
