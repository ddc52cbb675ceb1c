"""The tables of people: who they are, what they may do where, and what they did.

Nothing here can be used to sign in by whoever reads it: passwords are hashed with Argon2id, and of
sessions, tokens and links only SHA-256 hashes are kept, as they are random.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

users = Table(
    "users",
    metadata,
    Column("id", RowNumber, primary_key=True),
    # In lower case.
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    # NULL: signs in by a provider only, or has not chosen one yet.
    Column("password_hash", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_login_at", UtcDateTime),
    # NULL: may sign in.
    Column("disabled_at", UtcDateTime),
    sqlite_autoincrement=True,
)

# Who a user is at an OpenID provider.
identities = Table(
    "identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_identities_user_id", "user_id"),
)

memberships = Table(
    "memberships",
    metadata,
    Column("workspace_id", ForeignKey("workspaces.id"), primary_key=True),
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # owner, member, viewer
    Column("role", String(20), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_memberships_user_id", "user_id"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("secret_hash", String(64), nullable=False, unique=True),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    # The workspace that is being looked at.
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("address", Text, nullable=False),
    Column("user_agent", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("last_used_at", UtcDateTime, nullable=False),
    # However often it is used.
    Column("expires_at", UtcDateTime, nullable=False),
    Index("ix_sessions_user_id", "user_id"),
    Index("ix_sessions_expires_at", "expires_at"),
    sqlite_autoincrement=True,
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("secret_hash", String(64), nullable=False),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    # A list of permissions.
    Column("scopes", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    # NULL: until it is revoked.
    Column("expires_at", UtcDateTime),
    Column("last_used_at", UtcDateTime),
    Index("ix_api_tokens_user_id", "user_id"),
    Index("ix_api_tokens_workspace_id", "workspace_id"),
    sqlite_autoincrement=True,
)

# Links that let somebody choose a password, once: the first set-up, an invitation, a reset.
one_time_links = Table(
    "one_time_links",
    metadata,
    Column("secret_hash", String(64), primary_key=True),
    # setup, password
    Column("purpose", String(20), nullable=False),
    # NULL: the first set-up, which makes the user.
    Column("user_id", ForeignKey("users.id")),
    Column("expires_at", UtcDateTime, nullable=False),
    Index("ix_one_time_links_user_id", "user_id"),
)

# Failed attempts to sign in, whether there is such an account or not.
login_failures = Table(
    "login_failures",
    metadata,
    # pair:<account>:<address>, address:... or account:..., with the hash of the email.
    Column("key", Text, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last_failed_at", UtcDateTime, nullable=False),
    Column("blocked_until", UtcDateTime),
)

# Where a user has signed in from: who guesses its password elsewhere does not keep it out here.
known_addresses = Table(
    "known_addresses",
    metadata,
    Column("user_id", ForeignKey("users.id"), primary_key=True),
    # Of IPv6 the network of a customer.
    Column("address", Text, primary_key=True),
    Column("last_used_at", UtcDateTime, nullable=False),
)

# Answers to requests that can be sent again without being done again.
idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    # Of the user or token that sent it.
    Column("caller", String(40), primary_key=True),
    Column("key", Text, primary_key=True),
    # Of method, path and body: the same key for something else is refused.
    Column("request_hash", String(64), nullable=False),
    # NULL: under way.
    Column("status", Integer),
    Column("headers", Json),
    Column("body", LargeBinary),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_idempotency_keys_created_at", "created_at"),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", RowNumber, primary_key=True),
    # NULL: of no workspace, such as a failed login.
    Column("workspace_id", ForeignKey("workspaces.id")),
    Column("user_id", ForeignKey("users.id")),
    # The email of the user, "token NAME of EMAIL", or "command line", as of then.
    Column("actor", Text, nullable=False),
    # What was done, such as createSite or login.
    Column("action", String(60), nullable=False),
    # To what: ids by name, and what else is worth keeping; never a secret.
    Column("detail", Json, nullable=False),
    Column("address", Text, nullable=False),
    Column("occurred_at", UtcDateTime, nullable=False),
    Index("ix_audit_log_workspace_id_id", "workspace_id", "id"),
    Index("ix_audit_log_user_id", "user_id"),
    sqlite_autoincrement=True,
)

# Filters that somebody wants to see again.
saved_views = Table(
    "saved_views",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("user_id", ForeignKey("users.id"), nullable=False),
    # What it is a view of: pages, sites, changes, ...
    Column("kind", String(20), nullable=False),
    Column("name", Text, nullable=False),
    # Parameters of the list, by name.
    Column("query", Json, nullable=False),
    # Seen by everybody in the workspace.
    Column("is_shared", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("workspace_id", "user_id", "kind", "name"),
    sqlite_autoincrement=True,
)
