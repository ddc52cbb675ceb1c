"""Scrapy's downloader, with turns that a host's pace decides."""
