"""Where people may log in besides here: OpenID Connect providers, read from the environment."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import environment as env

NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
SCOPES = "openid email profile"
LOOPBACK_NAMES = frozenset({"localhost"})


@dataclass(frozen=True)
class Provider:
    """A site that tells us who somebody is. ``name`` is in our addresses, ``issuer`` in its tokens."""

    name: str
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    label_en: str
    label_ja: str
    scopes: tuple[str, ...]

    def label(self, language: str) -> str:
        return self.label_ja if language.startswith("ja") else self.label_en

    @property
    def is_local(self) -> bool:
        """Whether it runs on this very machine: then its addresses may be http."""
        return urlsplit(self.issuer).scheme == "http"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name alone.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "127.0.0.1.example.org", "10.0.0.1")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK_NAMES


def providers() -> dict[str, Provider]:
    """The providers that ``KAKURENBO_OIDC_PROVIDERS`` names. Half a provider stops the start."""
    found: dict[str, Provider] = {}
    for name in env.words("OIDC_PROVIDERS"):
        if not NAME.fullmatch(name):
            raise ImproperlyConfigured(
                f"{env.PREFIX}OIDC_PROVIDERS names providers in small letters, digits and hyphens, for "
                f"example orcid,my-university. Got {name!r} instead."
            )
        if name in found:
            raise ImproperlyConfigured(f"{env.PREFIX}OIDC_PROVIDERS names {name!r} twice.")
        provider = _provider(name)
        if any(provider.issuer == other.issuer for other in found.values()):
            raise ImproperlyConfigured(
                f"{_variable(name, 'ISSUER')} is the issuer of another provider already: "
                "people could not be told apart."
            )
        found[name] = provider
    return found


def _provider(name: str) -> Provider:
    given = {part: env.text(_key(name, part)).strip() for part in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET")}
    for part, value in given.items():
        if not value:
            raise ImproperlyConfigured(
                f"{_variable(name, part)} must be set, because {env.PREFIX}OIDC_PROVIDERS names {name!r}."
            )
        if not (value.isascii() and value.isprintable()):
            raise ImproperlyConfigured(f"{_variable(name, part)} must be one line of ASCII characters.")
    _require_issuer(_variable(name, "ISSUER"), given["ISSUER"])
    scopes = tuple(env.text(_key(name, "SCOPES"), SCOPES).replace(",", " ").split())
    if "openid" not in scopes:
        raise ImproperlyConfigured(
            f"{_variable(name, 'SCOPES')} must hold openid, with spaces between scopes. "
            f"Got {' '.join(scopes)!r} instead."
        )
    label = env.text(_key(name, "LABEL")).strip() or name
    return Provider(
        name=name,
        issuer=given["ISSUER"],
        client_id=given["CLIENT_ID"],
        client_secret=given["CLIENT_SECRET"],
        label_en=label,
        label_ja=env.text(_key(name, "LABEL_JA")).strip() or label,
        scopes=scopes,
    )


def _require_issuer(variable: str, issuer: str) -> None:
    """An address as the tokens of the provider spell it: https, or http on this machine."""
    try:
        parts = urlsplit(issuer)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        raise ImproperlyConfigured(f"{variable} must be a web address. Got {issuer!r} instead.") from None
    if parts.query or parts.fragment or parts.username is not None or not host:
        raise ImproperlyConfigured(
            f"{variable} must be a web address without a user, query and fragment. Got {issuer!r} instead."
        )
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise ImproperlyConfigured(
            f"{variable} must begin with https://; http:// is for a provider on this machine alone "
            f"(localhost, 127.0.0.1). Got {issuer!r} instead."
        )


def _key(name: str, part: str) -> str:
    return f"OIDC_{name.upper().replace('-', '_')}_{part}"


def _variable(name: str, part: str) -> str:
    return env.PREFIX + _key(name, part)
