"""Small helpers that read settings from the environment and say clearly what is wrong with them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

PREFIX = "KAKURENBO_"
FOLDER_IN_A_WHEEL = "_packages"
"""In which folder of `kakurenbo` a wheel has the packages; setup.py puts them there."""


def text(name: str, default: str = "") -> str:
    """A variable, or the content of the file that ``…_FILE`` names, as secrets are handed to containers."""
    given = os.environ.get(PREFIX + name)
    path = os.environ.get(f"{PREFIX}{name}_FILE")
    if path is None:
        return default if given is None else given
    if given is not None:
        raise ImproperlyConfigured(f"Set {PREFIX}{name} or {PREFIX}{name}_FILE, not both.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise ImproperlyConfigured(f"{PREFIX}{name}_FILE cannot be read: {path}: {reason}.") from None


def flag(name: str, default: bool = False) -> bool:
    value = text(name, "1" if default else "0").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off", ""}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name} must be 1 or 0. Got {value!r} instead.")


def number(name: str, default: int, low: int = 0) -> int:
    value = text(name, str(default))
    try:
        parsed = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be a whole number. Got {value!r} instead.") from None
    if parsed < low:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be at least {low}. Got {parsed} instead.")
    return parsed


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def data_folder(program: Path) -> Path:
    """Where everything is kept: as the environment says, in `var` of a checkout, or in a folder of the user.

    The folder of a wheel belongs to pip, which replaces it; it may be another user's, or shared by several.
    """
    given = text("VAR")
    if given:
        return Path(given).resolve()
    if program.name != FOLDER_IN_A_WHEEL:
        return program / "var"
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    try:
        # The specification of these folders says that a relative one is not valid and ignored.
        return (data if data.is_absolute() else Path.home() / ".local/share").resolve() / "kakurenbo"
    except RuntimeError:
        raise ImproperlyConfigured(
            f"This user has no home: set {PREFIX}VAR to a folder for the data."
        ) from None


ROLES = ("all", "attacks")


def role() -> str:
    """What this machine is for. One of ``attacks`` runs attacks only, and holds no secret of the web part."""
    given = text("ROLE", "all")
    if given not in ROLES:
        raise ImproperlyConfigured(f"{PREFIX}ROLE must be one of {', '.join(ROLES)}. Got {given!r} instead.")
    secret = ("SECRET_KEY", "VAULT_LOCATION", "VAULT_BUCKET", "CACHE_URL", "OIDC_PROVIDERS")
    if given == "attacks" and any(map(text, secret)):
        raise ImproperlyConfigured(
            f"A machine of {PREFIX}ROLE=attacks must not hold {PREFIX}SECRET_KEY, {PREFIX}VAULT_…, "
            f"{PREFIX}CACHE_URL or {PREFIX}OIDC_…: take them out of its environment."
        )
    return given


def broker(machine: str, production: bool) -> str:
    """The address of the broker. In production an attack machine has a user of its own there."""
    url = text("BROKER_URL", "files://localhost/")
    user = urlsplit(url).username or "default"
    if production and machine == "attacks" and user in {"default", "guest"} and not url.startswith("files:"):
        raise ImproperlyConfigured(
            f"{PREFIX}BROKER_URL of an attack machine must name the broker's user for attack machines, which "
            f"docker/redis-users.sh or docker/rabbitmq-users.sh makes. Got the user {user!r} instead."
        )
    return url


def store(name: str, var: Path) -> dict[str, Any]:
    """Django's settings for one store of files: a folder, or a bucket of a service that speaks S3.

    A bucket's keys are the store's own (``KAKURENBO_VAULT_S3_KEY``) or those for all (``KAKURENBO_S3_KEY``).
    """
    bucket = text(f"{name.upper()}_BUCKET")
    if not bucket:
        location = text(f"{name.upper()}_LOCATION", str(var / "files" / name))
        return {"BACKEND": "contest.files.storage.AtomicFileStorage", "OPTIONS": {"location": location}}

    def option(key: str) -> str | None:
        return text(f"{name.upper()}_S3_{key}") or text(f"S3_{key}") or None

    return {
        "BACKEND": "contest.files.s3_storage.BucketStorage",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": name,
            "endpoint_url": option("ENDPOINT"),
            "region_name": option("REGION"),
            "access_key": option("KEY"),
            "secret_key": option("SECRET"),
        },
    }


def secret_key(var: Path, production: bool) -> str:
    """The key from the environment; on an embedded installation a random one, generated once and stored."""
    given = text("SECRET_KEY")
    if given:
        if production and len(given) < 32:
            raise ImproperlyConfigured(f"{PREFIX}SECRET_KEY must have at least 32 characters in production.")
        return given
    if production:
        raise ImproperlyConfigured(f"{PREFIX}SECRET_KEY must be set in production.")
    path = var / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(48))
    # A second process may have created the file an instant ago and not have written it yet.
    for _ in range(100):
        key = path.read_text(encoding="ascii").strip()
        if key:
            return key
    raise ImproperlyConfigured(f"{path.name} in the data folder is empty: remove it and start again.")


def database(url: str, var: Path) -> dict[str, Any]:
    """Django's settings for ``sqlite:///path`` (or nothing) and ``postgresql://user:password@host:port/name``."""
    if not url or url.startswith("sqlite:"):
        path = url.removeprefix("sqlite:").removeprefix("//") or str(var / "kakurenbo.sqlite3")
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": path,
            # Write locks are taken at the start of a transaction: two writers queue up instead of failing.
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
        }
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            f"{PREFIX}DATABASE_URL must start with sqlite: or postgresql:. Got {parts.scheme!r} instead."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/"),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def transport_options(url: str, var: Path) -> dict[str, Any]:
    """Kombu's options for a broker."""
    if url.startswith("files:"):
        return {"folder": str(var / "broker")}
    if url.startswith("redis"):
        # A message only wakes a worker, and the sweeper sends it again. So nobody needs kombu's list of
        # unacknowledged messages, one for all queues, which every worker writes; one key per queue is enough.
        return {"ack_emulation": False, "priority_steps": [0]}
    return {}


def cache(url: str) -> dict[str, Any]:
    """Django's settings for the cache: ``redis://…``, shared by the web processes, or each one's memory."""
    if not url:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {"BACKEND": "config.caches.JsonRedisCache", "LOCATION": url}


def mail(url: str, folder: Path) -> dict[str, Any]:
    """Django's settings for ``smtp://user:password@host:port`` (``smtps:`` for TLS from the first byte,
    ``smtp+tls:`` for STARTTLS), or for a folder into which e-mails are written."""
    if not url:
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": str(folder),
        }
    parts = urlsplit(url)
    if parts.scheme not in {"smtp", "smtps", "smtp+tls"} or not parts.hostname:
        raise ImproperlyConfigured(
            f"{PREFIX}SMTP_URL must be smtp://, smtps:// or smtp+tls:// with a host. "
            f"Got {parts.scheme!r} instead."
        )
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or {"smtp": 25, "smtps": 465, "smtp+tls": 587}[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 15,
    }
