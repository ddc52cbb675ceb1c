"""Signing in by an OpenID provider: the authorization code flow with PKCE.

What the provider says is believed only if its ID token is signed with one of its keys, is meant for
us, is fresh, and answers the request that this browser has begun.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from sitecrawl.errors import ExtraMissingError, SignInRefusedError

if TYPE_CHECKING:
    import httpx

    from sitecrawl.config import Config

CALLBACK_PATH: Final = "/login/provider/callback"
_DISCOVERY_PATH: Final = "/.well-known/openid-configuration"
_TIMEOUT_SECONDS: Final = 10
_LEEWAY_SECONDS: Final = 60
# None of them is "none", and none takes a public key for a secret.
_ALGORITHMS: Final = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]
_FAILED: Final = "the provider did not confirm who you are"


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A sign-in that a browser has begun; a cookie keeps it until the provider redirects back."""

    state: str
    nonce: str
    verifier: str
    target: str

    @classmethod
    def begin(cls, target: str) -> PendingSignIn:
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        return cls(state, nonce, verifier, target)

    def to_text(self) -> str:
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()

    @classmethod
    def from_text(cls, text: str) -> PendingSignIn | None:
        try:
            given = json.loads(base64.urlsafe_b64decode(text))
            if not all(isinstance(value, str) for value in given.values()):
                return None
            return cls(**given)
        except (ValueError, TypeError, AttributeError):  # the browser can send anything
            return None


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom the provider vouches for."""

    issuer: str
    subject: str
    email: str


class Provider:
    """An OpenID provider; every call asks it, and so belongs into a thread."""

    def __init__(self, config: Config) -> None:
        self._issuer = config.web_oidc_issuer.rstrip("/")
        self._client_id = config.web_oidc_client_id
        self._secret = config.web_oidc_client_secret
        self._redirect_uri = f"{config.web_public_url.rstrip('/')}{CALLBACK_PATH}"

    def sign_in_url(self, pending: PendingSignIn) -> str:
        """The URL at the provider that the browser is redirected to."""
        with _http() as http:
            endpoint = self._metadata(http)["authorization_endpoint"]
        digest = hashlib.sha256(pending.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "scope": "openid email profile",
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def identity(self, pending: PendingSignIn, state: str, code: str) -> Identity:
        """The identity behind the code of the callback; ``SignInRefusedError`` if there is none."""
        if not hmac.compare_digest(state.encode(), pending.state.encode()):
            raise SignInRefusedError("this sign-in was not begun here; begin again")
        with _http() as http:
            metadata = self._metadata(http)
            claims = self._claims(http, metadata, self._id_token(http, metadata, pending, code))
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), pending.nonce.encode()):
            raise SignInRefusedError(_FAILED)
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise SignInRefusedError("the provider gives no email that it has verified")
        return Identity(metadata["issuer"], str(claims["sub"]), email)

    def _metadata(self, http: httpx.Client) -> dict[str, Any]:
        metadata = _answer(http, "GET", self._issuer + _DISCOVERY_PATH)
        if str(metadata.get("issuer", "")).rstrip("/") != self._issuer:
            raise SignInRefusedError("the provider is not the one of the settings")
        return metadata

    def _id_token(
        self, http: httpx.Client, metadata: dict[str, Any], pending: PendingSignIn, code: str
    ) -> str:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": pending.verifier,
        }
        own = (self._client_id, self._secret)
        answer = _answer(http, "POST", metadata["token_endpoint"], data=form, auth=own)
        return str(answer.get("id_token", ""))

    def _claims(
        self, http: httpx.Client, metadata: dict[str, Any], id_token: str
    ) -> dict[str, Any]:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        keys: Any = _answer(http, "GET", metadata["jwks_uri"])
        try:
            token = jwt.decode(id_token, KeySet.import_key_set(keys), algorithms=_ALGORITHMS)
            jwt.JWTClaimsRegistry(
                leeway=_LEEWAY_SECONDS,
                iss={"essential": True, "value": metadata["issuer"]},
                aud={"essential": True, "value": self._client_id},
                exp={"essential": True},
                sub={"essential": True},
            ).validate(token.claims)
        except (JoseError, ValueError) as error:
            raise SignInRefusedError(_FAILED) from error
        return token.claims


def _http() -> httpx.Client:
    try:
        import httpx
        import joserfc  # noqa: F401  needed a little later
    except ImportError as error:
        raise ExtraMissingError(
            f"signing in by a provider needs the package {error.name}; install it with:"
            " pip install 'sitecrawl[oidc]'"
        ) from error
    return httpx.Client(timeout=_TIMEOUT_SECONDS)


def _answer(http: httpx.Client, method: str, url: str, **options: Any) -> dict[str, Any]:
    import httpx

    try:
        answer = http.request(method, url, **options).raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise SignInRefusedError("the provider does not answer as it should") from error
    if not isinstance(answer, dict):
        raise SignInRefusedError("the provider does not answer as it should")
    return answer
