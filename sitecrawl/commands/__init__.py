"""Scrapy's own commands, as this project wants them."""
