"""The exit codes of the commands, and the root of every error that a person can fix.

SitecrawlError
├── ConfigError (config)         a setting, variable or argument cannot be used
├── TargetError (urls/target.py) what was given as the site cannot be scanned
├── SiteUnreachableError         the site does not answer
├── CrawlNeededError             the scans so far cannot answer the question
├── StoppedError                 the user stopped the command before it had a result
├── ExtraMissingError            a package of an extra is not installed
├── NotFoundError                there is no such site, scan, channel, ...
├── InvalidInputError            a given value cannot be used; the error names the field
├── ConflictError                it exists already, or somebody else has changed it
├── ForbiddenError               the caller may not do this
├── SignInRefusedError           email or password is wrong, or the account is disabled
├── ThrottledError               too many attempts; the error says when to try again
├── ScanFailedError              a scan ended without a result
├── ScanCrashedError             the process of a scan ended before the scan did
└── StoreError (store/errors.py) the database cannot do what was asked
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """1: no result; 2: wrong usage; 3: an incomplete result; 4: a tested condition holds."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    CHANGED = 4


class SitecrawlError(Exception):
    """Its message names the cause and what would be right; it is shown without a traceback."""


class SiteUnreachableError(SitecrawlError):
    """The site does not answer."""


class CrawlNeededError(SitecrawlError):
    """The question is about links, and no scan has followed them."""


class StoppedError(SitecrawlError):
    """The user stopped the command before it had a result."""


class ScanFailedError(SitecrawlError):
    """A scan ended without a result; the message has its reason."""


class ScanCrashedError(SitecrawlError):
    """The process of a scan ended before the scan did."""


class ExtraMissingError(SitecrawlError):
    """A package of an extra is not installed; the message says which."""


class NotFoundError(SitecrawlError):
    """There is no such object, or it is not the caller's."""


class InvalidInputError(SitecrawlError):
    """A value that was given cannot be used."""

    def __init__(self, field: str, message: str):
        super().__init__(f"{field}: {message}")
        self.field = field


class ConflictError(SitecrawlError):
    """The object exists already, is in use, or was changed by somebody else in the meantime."""


class ForbiddenError(SitecrawlError):
    """The caller is known, and may not do this."""


class SignInRefusedError(SitecrawlError):
    """The sign-in was refused; the message does not say which part of it was wrong."""


class ThrottledError(SitecrawlError):
    """Too many attempts."""

    def __init__(self, message: str, retry_after_seconds: int):
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
