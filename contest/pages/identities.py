"""Where people may log in besides here, and where somebody does."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import get_language

from config.oidc import Provider
from contest.models import Identity, User


@dataclass(frozen=True)
class Offer:
    """A provider as a button: its name in addresses, and what people call it."""

    name: str
    label: str


@dataclass(frozen=True)
class Linked:
    """An identity of somebody; ``is_offered`` says whether the site still asks its provider."""

    identity: Identity
    label: str
    is_offered: bool


def offers() -> list[Offer]:
    """The providers of this site, in the order of its settings."""
    return [Offer(provider.name, label_of(provider)) for provider in settings.OIDC_PROVIDERS.values()]


def offers_for(user: User) -> list[Offer]:
    """The providers with which somebody can log in already."""
    issuers = {identity.issuer for identity in user.identities.all()}
    known = [provider for provider in settings.OIDC_PROVIDERS.values() if provider.issuer in issuers]
    return [Offer(provider.name, label_of(provider)) for provider in known]


def linked(user: User) -> list[Linked]:
    by_issuer = {provider.issuer: provider for provider in settings.OIDC_PROVIDERS.values()}
    return [
        Linked(identity, label_of(by_issuer[identity.issuer]), is_offered=True)
        if identity.issuer in by_issuer
        else Linked(identity, identity.issuer, is_offered=False)
        for identity in user.identities.all()
    ]


def label_of(provider: Provider) -> str:
    return provider.label(get_language() or "en")
