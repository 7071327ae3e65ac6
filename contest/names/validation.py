"""The policy on names for forms, models and services: its refusals as Django's, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.utils.translation import gettext as _

from contest.names import policy

LONGEST_SLUG = 50


def clean_name(name: str, kind: policy.Kind) -> str:
    with _told():
        return policy.clean_name(name, kind)


def require_visible(name: str) -> None:
    with _told():
        policy.require_visible(name)


def clean_slug(slug: str) -> str:
    """The last part of an address: letters, digits, - and _."""
    if len(slug) > LONGEST_SLUG:
        raise ValidationError(
            _(policy.TOO_LONG) % {"most": LONGEST_SLUG, "got": len(slug)}, code="name-too-long"
        )
    validate_slug(slug)
    return slug


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except policy.BadName as bad:
        raise ValidationError(_(bad.text) % bad.values, code=bad.code) from None
