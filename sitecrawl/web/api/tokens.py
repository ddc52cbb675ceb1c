"""``/api/tokens``: by which programs use the API."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from sitecrawl.services import tokens
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import Permission
from sitecrawl.services.tokens import MAX_DAYS
from sitecrawl.web.api.models import Body, Model, Moment
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Id

router = APIRouter(prefix="/tokens", tags=["tokens"])


class TokenRequest(Body):
    name: str = Field(min_length=1, max_length=100, examples=["nightly export"])
    scopes: list[Permission] = Field(min_length=1, max_length=10, examples=[["read", "scan"]])
    expires_in_days: int | None = Field(default=None, ge=1, le=MAX_DAYS)


class Token(Model):
    """What is known of a token; its text is shown when it is made."""

    id: int
    user_id: int
    name: str
    scopes: list[Permission]
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None


class NewToken(Token):
    token: str = Field(examples=["sc_1_"])


class TokenList(Model):
    tokens: list[Token]


@router.get("", operation_id="listTokens")
def list_tokens(
    web: CurrentWeb, caller: Annotated[Caller, allowed(tokens.list_tokens)]
) -> TokenList:
    """The user's own in this workspace; an owner sees all."""
    found = tokens.list_tokens(web.database, caller)
    return TokenList(tokens=[Token.model_validate(each) for each in found])


@router.post("", operation_id="createToken", status_code=201)
def create_token(
    given: TokenRequest,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(tokens.create_token, by_session=True)],
) -> NewToken:
    """Make a token for this workspace. Its text is shown this once."""
    made = tokens.create_token(
        web.database, caller, given.name, given.scopes, given.expires_in_days
    )
    shown = Token.model_validate(made.token)
    return NewToken(**shown.model_dump(), token=made.text)


@router.delete("/{token_id}", operation_id="revokeToken", status_code=204)
def revoke_token(
    token_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(tokens.revoke_token, by_session=True)],
) -> None:
    """One's own; an owner can revoke everybody's."""
    tokens.revoke_token(web.database, caller, token_id)
