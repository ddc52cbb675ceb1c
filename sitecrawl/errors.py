"""The root of every error that a person can do something about.

SitecrawlError
├── ConfigError (config.py)      a setting, variable or argument cannot be used
├── TargetError (urls/target.py) what was given as the site cannot be scanned
├── SiteUnreachableError         there is nothing to look at
├── StoppedError                 it was ended before there was anything to show
└── StoreError (store/errors.py) the database cannot do what it was asked to
"""

from __future__ import annotations


class SitecrawlError(Exception):
    """Its message names the cause and what would be right; nobody needs its traceback."""


class SiteUnreachableError(SitecrawlError):
    """There is nothing to look at."""


class StoppedError(SitecrawlError):
    """It was ended before there was anything to show."""
