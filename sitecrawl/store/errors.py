"""What can go wrong with the store, in words for a person.

StoreError
├── DatabaseUrlError            the URL makes no sense or names another kind of database
├── DriverMissingError          the package that speaks to the database is not installed
├── DatabaseUnavailableError    it cannot be opened or reached
│   ├── DatabaseMissingError    there is none yet, and the caller only wanted to read
│   └── NotADatabaseError       something else lies at that place, or it is damaged
├── DatabaseReadOnlyError       it can be read but not written
├── DatabaseLockedError         another process holds it
├── DiskFullError               there is no room for what was to be written
├── SchemaError                 its tables are not the ones this version works with
│   └── SchemaTooNewError       a newer sitecrawl has been here
├── BackupError                 a copy cannot be written, or put back
├── PartitionError              its tables cannot be split now
├── ScanRunningError            another scan of the same site is under way
├── ScanNotResumableError       there is nothing to go on with
├── ScanLostError               this scan has been declared dead by another process
└── KeyRulesChangedError        the site's pages are identified by other rules
"""

from __future__ import annotations

from sitecrawl.errors import SitecrawlError


class StoreError(SitecrawlError):
    """The store could not do what it was asked to; the message says what would be right."""


class DatabaseUrlError(StoreError):
    pass


class DriverMissingError(StoreError):
    pass


class DatabaseUnavailableError(StoreError):
    pass


class DatabaseMissingError(DatabaseUnavailableError):
    pass


class NotADatabaseError(DatabaseUnavailableError):
    pass


class DatabaseReadOnlyError(StoreError):
    pass


class DatabaseLockedError(StoreError):
    pass


class DiskFullError(StoreError):
    pass


class SchemaError(StoreError):
    pass


class SchemaTooNewError(SchemaError):
    pass


class PartitionError(StoreError):
    pass


class BackupError(StoreError):
    pass


class ScanRunningError(StoreError):
    pass


class ScanNotResumableError(StoreError):
    pass


class ScanLostError(StoreError):
    pass


class KeyRulesChangedError(StoreError):
    pass
