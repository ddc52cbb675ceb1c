"""For ``scrapyd-deploy``, which builds an egg by this file; pyproject.toml says what is in it."""

from setuptools import setup

setup()
