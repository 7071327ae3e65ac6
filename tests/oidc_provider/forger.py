"""A provider that answers whatever a test wants: true answers, and forged ones. It listens on a real port."""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client
from django.urls import reverse
from joserfc import jwt
from joserfc.jwk import RSAKey

from config.oidc import Provider

CLIENT, SECRET = "site", "the-secret-of-the-site"
CODE, ACCESS = "the-code-of-the-forger", "the-access-token-of-the-forger"


@cache
def signing_key(kid: str, owner: str = "the provider") -> RSAKey:
    """A key of somebody: making one takes long, so that each is made once."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"}, private=True)


def part(value: Any) -> str:
    text = json.dumps(value).encode() if isinstance(value, dict) else value
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


def unsigned(claims: dict[str, Any]) -> str:
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."


def signed_with_bytes(claims: dict[str, Any], secret: bytes, kid: str) -> str:
    """HS256 with any bytes as the secret, as no library would do it."""
    head = f"{part({'alg': 'HS256', 'typ': 'JWT', 'kid': kid})}.{part(claims)}"
    return f"{head}.{part(hmac.new(secret, head.encode(), hashlib.sha256).digest())}"


@dataclass
class Forger:
    """``published`` are the keys that it shows, ``key`` the one it signs with. ``answers`` are given instead
    of what its paths would answer."""

    url: str = ""
    key: RSAKey = field(default_factory=lambda: signing_key("first"))
    published: list[RSAKey] = field(default_factory=list)
    token: str = ""
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    forms: list[dict[str, list[str]]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    @property
    def provider(self) -> Provider:
        return Provider("forge", self.url, CLIENT, SECRET, "The Forge", "鍛冶屋", ("openid", "email"))

    def claims(self, nonce: str, /, **changes: Any) -> dict[str, Any]:
        """What a true ID token says, but for the changes; None takes a claim away."""
        now = int(time.time())
        usual = {
            "iss": self.url, "sub": "person-1", "aud": CLIENT, "exp": now + 600, "iat": now, "nonce": nonce,
            "email": "hana@example.org", "preferred_username": "hana",
        }  # fmt: skip
        return {name: value for name, value in (usual | changes).items() if value is not None}

    def sign(self, claims: dict[str, Any], key: RSAKey | None = None) -> str:
        used = key or self.key
        return jwt.encode({"alg": "RS256", "kid": used.kid}, claims, used)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]
        if path == "/.well-known/openid-configuration":
            return 200, json.dumps(
                {
                    "issuer": self.url,
                    "authorization_endpoint": f"{self.url}/authorize",
                    "token_endpoint": f"{self.url}/token",
                    "jwks_uri": f"{self.url}/keys",
                    **self.metadata,
                }
            ).encode()
        if path == "/keys":
            shown = [key.as_dict(private=False) for key in self.published or [self.key]]
            return 200, json.dumps({"keys": shown}).encode()
        if path == "/token":
            answer = {"access_token": ACCESS, "token_type": "Bearer", "id_token": self.token}
            return 200, json.dumps(answer).encode()
        return 404, b"{}"


@contextmanager
def forging() -> Iterator[Forger]:
    forger = Forger()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = forger.answer(urlsplit(self.path).path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            forger.forms.append(parse_qs(self.rfile.read(length).decode()))
            self.do_GET()

        def log_message(self, *_arguments: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forger.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield forger
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def begin(client: Client, provider: str = "forge", path: str = "", **form: str) -> dict[str, str]:
    """Press the button; what the site sends along to the provider, and the address as ``url``."""
    answer = client.post(path or reverse("oidc_begin", args=[provider]), form)
    assert answer.status_code == 200, answer.content.decode()
    found = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', answer.content.decode())
    assert found, answer.content.decode()
    url = html.unescape(found[1])
    return {"url": url, **{name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}}


def come_back(client: Client, provider: str = "forge", **query: str) -> Any:
    return client.get(reverse("oidc_back", args=[provider]), query)


def log_in(client: Client, forger: Forger, *, following: str = "", path: str = "", **changes: Any) -> Any:
    """From the button to the answer of the site, with a true token but for the changes."""
    sent = begin(client, path=path, **({"next": following} if following else {}))
    forger.token = forger.sign(forger.claims(sent["nonce"], **changes))
    return come_back(client, code=CODE, state=sent["state"])
