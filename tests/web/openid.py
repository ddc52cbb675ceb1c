"""A small OpenID provider on loopback: it signs in whoever it is told to, and checks PKCE."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

if TYPE_CHECKING:
    from typing import Self

CLIENT_ID, CLIENT_SECRET = "sitecrawl", "the secret of the client"


class OpenIdProvider:
    """``claims`` are those of whoever signs in next; ``key`` signs what it says."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.signing_key = self.key
        self.claims: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.get(self)

            def do_POST(self) -> None:
                provider.post(self)

            def log_message(self, *_arguments: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def get(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/.well-known/openid-configuration":
                paths = {"authorization_endpoint": "/authorize", "token_endpoint": "/token"}
                urls = {name: self.url + path for name, path in paths.items()}
                _send(request, {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **urls})
            case "/keys":
                _send(request, {"keys": [self.key.as_dict(private=False)]})
            case "/authorize":
                code = secrets.token_urlsafe()
                self.codes[code] = query
                back = urlencode({"code": code, "state": query["state"]})
                request.send_response(302)
                request.send_header("Location", f"{query['redirect_uri']}?{back}")
                request.end_headers()

    def post(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        asked = self.codes.pop(form["code"])
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        own = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        if (
            asked["code_challenge"] != challenge
            or request.headers["Authorization"] != f"Basic {own}"
        ):
            _send(request, {"error": "invalid_grant"}, 400)
            return
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "exp": int(time.time()) + 300,
            "sub": "somebody",
            "nonce": asked["nonce"],
            **self.claims,
        }
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signing_key)
        _send(request, {"id_token": token, "access_token": "x", "token_type": "Bearer"})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _send(request: BaseHTTPRequestHandler, answer: dict[str, Any], status: int = 200) -> None:
    body = json.dumps(answer).encode()
    request.send_response(status)
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
