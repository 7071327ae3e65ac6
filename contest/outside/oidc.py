"""OpenID Connect: where to send somebody who logs in elsewhere, and who they are when they come back.

Authlib and joserfc know the protocol and the signatures; every request goes through `safe_http`. The code
flow alone is used, with PKCE, state and nonce. Of what a provider gives, only the ID token is read; its
access token is thrown away.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from dataclasses import dataclass
from typing import Any

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.client import OAuth2Client
from authlib.oauth2.rfc6749.parameters import prepare_token_request
from authlib.oidc.core import CodeIDToken
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from joserfc import jwt
from joserfc.errors import BadSignatureError, ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from config.oidc import Provider, is_loopback
from contest.errors import Refused
from contest.outside import safe_http

logger = logging.getLogger(__name__)

SECONDS = 5.0
MOST_READ = 256 * 1024
KEPT_SECONDS = 3600.0
LEEWAY = 120
"""By how many seconds the clocks of a provider and of this site may differ."""
LONGEST_SUBJECT = 255
LONGEST_HINT = 200
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that need a private key. Those made with a shared secret, or with none, prove nothing here."""
HINTS = ("preferred_username", "nickname", "name", "given_name")
CLAIM_TROUBLES = {
    "aud": "oidc-audience", "azp": "oidc-audience", "iss": "oidc-issuer", "nonce": "oidc-nonce",
    "exp": "oidc-clock", "iat": "oidc-clock", "nbf": "oidc-clock",
}  # fmt: skip

_kept: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
"""Documents of providers, in the memory of this process: who could write them could log in as anybody."""


@dataclass(frozen=True)
class Attempt:
    """What a browser must bring back, and what only this site knows of it."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str


@dataclass(frozen=True)
class Person:
    """Somebody, as a provider vouches for them. E-mail and names are hints for a form, and prove nothing."""

    issuer: str
    subject: str
    email: str
    names: tuple[str, ...]


def trouble(code: str, provider: Provider) -> Refused:
    """Why a log-in did not come about, in plain words."""
    texts = {
        "oidc-away": _(
            "%(provider)s does not answer now. Try again in a few minutes, or log in another way."
        ),
        "oidc-denied": _("%(provider)s says that you did not agree. Nothing was changed."),
        "oidc-refused": _("%(provider)s refused the log-in. Try again, or log in another way."),
        "oidc-state": _(
            "This log-in was not begun in this browser, was used before, or took too long. Begin again."
        ),
        "oidc-code": _("%(provider)s did not confirm the log-in: it may have taken too long. Begin again."),
        "oidc-clock": _(
            "The answer of %(provider)s is out of date, or its clock and ours differ. Begin again; if it "
            "happens again, tell the people who run this site."
        ),
        "oidc-audience": _("The answer of %(provider)s was made for another site."),
        "oidc-issuer": _("The answer did not come from %(provider)s."),
        "oidc-nonce": _("The answer of %(provider)s belongs to another log-in. Begin again."),
        "oidc-signature": _("The answer is not signed by %(provider)s."),
        "oidc-odd": _(
            "The answer of %(provider)s cannot be used. If it happens again, tell the people who run this "
            "site."
        ),
    }
    return Refused(code, texts[code] % {"provider": provider.label(get_language() or "en")})


def begin(provider: Provider, redirect_uri: str) -> tuple[str, Attempt]:
    """The address at the provider to send a browser to, and what to remember meanwhile."""
    endpoint = _endpoint(provider, _metadata(provider), "authorization_endpoint")
    state, nonce, verifier = (secrets.token_urlsafe(size) for size in (32, 32, 48))
    attempt = Attempt(state, nonce, verifier, redirect_uri)
    client = OAuth2Client(
        session=None,
        client_id=provider.client_id,
        scope=" ".join(provider.scopes),
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
    )
    url, _state = client.create_authorization_url(
        endpoint, state=attempt.state, code_verifier=attempt.verifier, nonce=attempt.nonce
    )
    return url, attempt


def finish(provider: Provider, attempt: Attempt, code: str) -> Person:
    """Who came back: exchange the code, and check every claim of the ID token."""
    metadata = _metadata(provider)
    answer = _exchange(provider, metadata, attempt, code)
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise trouble("oidc-odd", provider)
    claims = _checked(provider, metadata, attempt, token)
    subject = claims["sub"]
    if not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isprintable():
        raise trouble("oidc-odd", provider)
    return Person(
        provider.issuer, subject, _hint(claims, "email"), tuple(_hint(claims, name) for name in HINTS)
    )


def _hint(claims: dict[str, Any], name: str) -> str:
    value = claims.get(name)
    return value[:LONGEST_HINT] if isinstance(value, str) else ""


def _exchange(provider: Provider, metadata: dict[str, Any], attempt: Attempt, code: str) -> dict[str, Any]:
    """Give the code back for tokens, with the secret of the site and that of the attempt."""
    methods = metadata.get("token_endpoint_auth_methods_supported")
    by_form = isinstance(methods, list) and "client_secret_basic" not in methods
    body = prepare_token_request(
        "authorization_code", code=code, redirect_uri=attempt.redirect_uri, code_verifier=attempt.verifier
    )
    proof = ClientAuth(
        provider.client_id,
        provider.client_secret,
        "client_secret_post" if by_form else "client_secret_basic",
    )
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    url, headers, body = proof.prepare("POST", _endpoint(provider, metadata, "token_endpoint"), kind, body)
    reply = _request(provider, "POST", url, body.encode(), headers)
    if reply.status != 200:
        # The provider's own word for it is one of a short list and holds no secret; its sentence might.
        word = str(_read_json(provider, reply.body).get("error", ""))[:40]
        logger.warning("%s refuses a code: %s %r", provider.name, reply.status, word)
        raise trouble("oidc-code", provider)
    return _read_json(provider, reply.body)


def _checked(provider: Provider, metadata: dict[str, Any], attempt: Attempt, token: str) -> dict[str, Any]:
    """The claims of an ID token that this provider signed, for this site, for this attempt, just now."""
    expected = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": provider.client_id},
        "sub": {"essential": True},
    }
    params = {"nonce": attempt.nonce, "client_id": provider.client_id}
    try:
        decoded = _decoded(provider, metadata, token)
        claims = CodeIDToken(decoded.claims, decoded.header, expected, params)
        claims.validate(leeway=LEEWAY)
    except ClaimError as error:
        raise trouble(CLAIM_TROUBLES.get(error.claim, "oidc-odd"), provider) from None
    except (JoseError, ValueError, TypeError, KeyError):
        raise trouble("oidc-signature", provider) from None
    return dict(claims)


def _decoded(provider: Provider, metadata: dict[str, Any], token: str) -> jwt.Token:
    """The token, if one of the provider's keys signed it. Where none did, the keys may be new ones."""
    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    try:
        return jwt.decode(token, _keys(provider, metadata), registry=registry)
    except (InvalidKeyIdError, BadSignatureError):
        return jwt.decode(token, _keys(provider, metadata, again=True), registry=registry)


def _keys(provider: Provider, metadata: dict[str, Any], *, again: bool = False) -> KeySet:
    found = _document(provider, _endpoint(provider, metadata, "jwks_uri"), again=again).get("keys")
    if not isinstance(found, list):
        raise trouble("oidc-odd", provider)
    usable = [key for key in found if isinstance(key, dict) and key.get("kty") in {"RSA", "EC", "OKP"}]
    return KeySet.import_key_set({"keys": usable})


def _metadata(provider: Provider) -> dict[str, Any]:
    """What the provider says of itself; it must name itself as the site's settings do."""
    url = provider.issuer.rstrip("/") + "/.well-known/openid-configuration"
    found = _document(provider, url)
    if found.get("issuer") != provider.issuer:
        logger.warning("%s calls itself %.200r, not as its setting says", provider.name, found.get("issuer"))
        raise trouble("oidc-issuer", provider)
    return found


def _endpoint(provider: Provider, metadata: dict[str, Any], name: str) -> str:
    url = metadata.get(name)
    if not isinstance(url, str):
        raise trouble("oidc-odd", provider)
    _place(provider, url)
    return url


def _place(provider: Provider, url: str) -> safe_http.WebAddress:
    """An address of the provider: https, or http where the provider runs on this machine."""
    try:
        place = safe_http.read_address(url, with_http=provider.is_local)
    except safe_http.Unreachable:
        raise trouble("oidc-odd", provider) from None
    if place.scheme == "http" and not is_loopback(place.host):
        raise trouble("oidc-odd", provider)
    return place


def _document(provider: Provider, url: str, *, again: bool = False) -> dict[str, Any]:
    """A document of the provider, asked for once per hour."""
    kept = _kept.get((provider.name, url))
    if kept is not None and time.monotonic() < kept[0] and not again:
        return kept[1]
    reply = _request(provider, "GET", url)
    if reply.status != 200:
        raise trouble("oidc-away", provider)
    found = _read_json(provider, reply.body)
    _kept[provider.name, url] = (time.monotonic() + KEPT_SECONDS, found)
    return found


def forget_everything() -> None:
    _kept.clear()


def _request(
    provider: Provider,
    method: str,
    url: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> safe_http.Reply:
    """A request to the provider. The host that the settings name may be in the site's own network; others
    that the provider names may not."""
    place = _place(provider, url)
    own = _place(provider, provider.issuer).host
    is_own = place.host == own or (provider.is_local and is_loopback(place.host))
    try:
        reply = safe_http.send(
            method, place, body, {"Accept": "application/json", **(headers or {})},
            may_be_inner=is_own, most_read=MOST_READ + 1, seconds=SECONDS,
        )  # fmt: skip
    except safe_http.Unreachable:
        raise trouble("oidc-away", provider) from None
    if reply.status >= 500:
        raise trouble("oidc-away", provider)
    if len(reply.body) > MOST_READ:
        raise trouble("oidc-odd", provider)
    return reply


def _read_json(provider: Provider, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise trouble("oidc-odd", provider)
    return found
