"""Settings in production: what is missing or a default stops the start, and is named."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from config import environment
from contest.files.storage import ClosedStorage
from tests.conftest import ROOT

KEY = "0123456789abcdefghijklmnopqrstuvwxyz-0123456789-abcdefgh"
GOOD = {
    "KAKURENBO_PRODUCTION": "1",
    "KAKURENBO_SECRET_KEY": KEY,
    "KAKURENBO_ALLOWED_HOSTS": "contest.example.org",
    "KAKURENBO_DATABASE_URL": "postgresql://someone@127.0.0.1/nowhere",
}
CAMPUS = {
    "KAKURENBO_OIDC_PROVIDERS": "my-campus",
    "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": "https://id.example.org",
    "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_ID": "site",
    "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_SECRET": KEY,
}
WRONG: dict[str, tuple[dict[str, str | None], str]] = {
    "no key": ({"KAKURENBO_SECRET_KEY": None}, "KAKURENBO_SECRET_KEY must be set"),
    "short key": ({"KAKURENBO_SECRET_KEY": "secret"}, "at least 32 characters"),
    "no hosts": ({"KAKURENBO_ALLOWED_HOSTS": None}, "KAKURENBO_ALLOWED_HOSTS"),
    "every host": ({"KAKURENBO_ALLOWED_HOSTS": "*"}, "KAKURENBO_ALLOWED_HOSTS"),
    "debugging": ({"KAKURENBO_DEBUG": "1"}, "KAKURENBO_DEBUG must not be set"),
    "no database": ({"KAKURENBO_DATABASE_URL": None}, "KAKURENBO_DATABASE_URL must be set"),
    "other database": ({"KAKURENBO_DATABASE_URL": "mysql://x/y"}, "must start with sqlite: or postgresql:"),
    "bad flag": ({"KAKURENBO_PRODUCTION": "perhaps"}, "must be 1 or 0"),
    "bad number": ({"KAKURENBO_JOB_LEASE_SECONDS": "0"}, "must be at least 1"),
    "bad log format": ({"KAKURENBO_LOG_FORMAT": "xml"}, "must be json or line"),
    "unknown role": ({"KAKURENBO_ROLE": "king"}, "must be one of all, attacks"),
    "attacker with the web's key": ({"KAKURENBO_ROLE": "attacks"}, "must not hold KAKURENBO_SECRET_KEY"),
    "attacker with the cache": (
        {"KAKURENBO_ROLE": "attacks", "KAKURENBO_SECRET_KEY": None, "KAKURENBO_CACHE_URL": "redis://x/1"},
        "must not hold KAKURENBO_SECRET_KEY, KAKURENBO_VAULT_…, KAKURENBO_CACHE_URL or KAKURENBO_OIDC_…",
    ),
    "attacker with everybody's broker": (
        {
            "KAKURENBO_ROLE": "attacks",
            "KAKURENBO_SECRET_KEY": None,
            "KAKURENBO_BROKER_URL": f"redis://:{KEY}@x/0",
        },
        "must name the broker's user for attack machines",
    ),
    "attacker as RabbitMQ's guest": (
        {
            "KAKURENBO_ROLE": "attacks",
            "KAKURENBO_SECRET_KEY": None,
            "KAKURENBO_BROKER_URL": "amqp://guest:x@y/z",
        },
        "Got the user 'guest' instead",
    ),
    "attacker with a way to log in": (
        {**CAMPUS, "KAKURENBO_ROLE": "attacks", "KAKURENBO_SECRET_KEY": None},
        "or KAKURENBO_OIDC_…: take them out",
    ),
    "provider without issuer": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": None},
        "KAKURENBO_OIDC_MY_CAMPUS_ISSUER must be set, because KAKURENBO_OIDC_PROVIDERS names 'my-campus'",
    ),
    "provider without client": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_ID": " "},
        "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_ID must be set",
    ),
    "provider without secret": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_SECRET": None},
        "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_SECRET must be set",
    ),
    "provider with a secret that no header holds": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_SECRET": "秘密"},
        "KAKURENBO_OIDC_MY_CAMPUS_CLIENT_SECRET must be one line of ASCII characters",
    ),
    "provider without TLS": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": "http://id.example.org"},
        "must begin with https://",
    ),
    "provider that looks like this machine": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": "http://localhost.example.org"},
        "must begin with https://",
    ),
    "provider with a query": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": "https://id.example.org/?x=1"},
        "without a user, query and fragment",
    ),
    "provider that is no address": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_ISSUER": "https://[id"},
        "must be a web address",
    ),
    "provider by another protocol": (
        {**CAMPUS, "KAKURENBO_OIDC_MY_CAMPUS_SCOPES": "read:user"},
        "must hold openid",
    ),
    "provider with an odd name": (
        {"KAKURENBO_OIDC_PROVIDERS": "My Campus"},
        "small letters, digits and hyphens",
    ),
    "provider named twice": ({**CAMPUS, "KAKURENBO_OIDC_PROVIDERS": "my-campus,my-campus"}, "twice"),
    "two providers with one issuer": (
        {
            **CAMPUS,
            **{key.replace("MY_CAMPUS", "SECOND"): value for key, value in CAMPUS.items()},
            "KAKURENBO_OIDC_PROVIDERS": "my-campus,second",
        },
        "KAKURENBO_OIDC_SECOND_ISSUER is the issuer of another provider already",
    ),
    "file that is not there": (
        {"KAKURENBO_SECRET_KEY": None, "KAKURENBO_SECRET_KEY_FILE": "/nowhere/key"},
        "KAKURENBO_SECRET_KEY_FILE cannot be read: /nowhere/key",
    ),
    "both": ({"KAKURENBO_SECRET_KEY_FILE": "/nowhere/key"}, "not both"),
}


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Runs the settings file afresh in an environment that is good but for the changes."""

    def load(**changes: str | None) -> dict[str, Any]:
        for key in [key for key in os.environ if key.startswith("KAKURENBO_")]:
            monkeypatch.delenv(key)
        for key, value in {**GOOD, "KAKURENBO_VAR": str(tmp_path), **changes}.items():
            if value is not None:
                monkeypatch.setenv(key, value)
        return runpy.run_path(str(ROOT / "config/settings.py"))

    return load


@pytest.mark.parametrize("name", WRONG)
def test_production_refuses_to_start_with(name: str, loaded: Callable[..., dict[str, Any]]) -> None:
    changes, sentence = WRONG[name]
    with pytest.raises(ImproperlyConfigured) as refusal:
        loaded(**changes)
    assert sentence in str(refusal.value)
    assert KEY not in str(refusal.value)


def test_production_starts_with_what_it_needs_and_everything_is_closed(
    tmp_path: Path, loaded: Callable[..., dict[str, Any]]
) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    found = loaded(KAKURENBO_SECRET_KEY=None, KAKURENBO_SECRET_KEY_FILE=str(tmp_path / "key"))
    assert found["SECRET_KEY"] == KEY
    assert not found["DEBUG"]
    assert found["X_FRAME_OPTIONS"] == "DENY"
    assert found["SECURE_HSTS_SECONDS"] >= 31536000
    for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY"):
        assert found[name], name
    assert found["SECURE_SSL_REDIRECT"] and found["SECURE_CONTENT_TYPE_NOSNIFF"]


def test_any_number_of_providers_is_read_from_the_environment(
    tmp_path: Path, loaded: Callable[..., dict[str, Any]]
) -> None:
    assert loaded()["OIDC_PROVIDERS"] == {}
    (tmp_path / "secret").write_text(KEY + "\n")
    found = loaded(
        **CAMPUS
        | {
            "KAKURENBO_OIDC_PROVIDERS": "my-campus, local",
            "KAKURENBO_OIDC_MY_CAMPUS_LABEL": "The Campus",
            "KAKURENBO_OIDC_MY_CAMPUS_LABEL_JA": "キャンパス",
            "KAKURENBO_OIDC_MY_CAMPUS_SCOPES": "openid",
            "KAKURENBO_OIDC_LOCAL_ISSUER": "http://127.0.0.1:8080/realms/x",
            "KAKURENBO_OIDC_LOCAL_CLIENT_ID": "site",
            "KAKURENBO_OIDC_LOCAL_CLIENT_SECRET_FILE": str(tmp_path / "secret"),
        }
    )["OIDC_PROVIDERS"]
    assert list(found) == ["my-campus", "local"], "in the order in which the buttons are shown"
    campus, local = found.values()
    assert (campus.label("en"), campus.label("ja"), campus.scopes) == (
        "The Campus",
        "キャンパス",
        ("openid",),
    )
    assert (local.label("en"), local.label("ja"), local.client_secret) == ("local", "local", KEY)
    assert local.scopes == ("openid", "email", "profile") and local.is_local and not campus.is_local
    assert KEY not in repr(found)


def test_an_attack_machine_starts_without_any_secret_of_the_web_part(
    loaded: Callable[..., dict[str, Any]],
) -> None:
    found = loaded(KAKURENBO_ROLE="attacks", KAKURENBO_SECRET_KEY=None, KAKURENBO_ALLOWED_HOSTS=None)
    assert found["STORAGES"]["vault"] == {"BACKEND": "contest.files.storage.ClosedStorage"}
    for act in (lambda: ClosedStorage().open("x"), lambda: ClosedStorage().save("x", ContentFile(b"x"))):
        with pytest.raises(PermissionError, match="closed on this machine"):
            act()


@pytest.mark.parametrize(
    ("changes", "accepted"),
    [
        ({}, False),
        ({"KAKURENBO_ACCEPT_UNCOUNTED_PROGRAMS": "1"}, True),
        ({"KAKURENBO_PRODUCTION": None}, True),
        ({"KAKURENBO_PRODUCTION": None, "KAKURENBO_ACCEPT_UNCOUNTED_PROGRAMS": "0"}, False),
        ({"KAKURENBO_PRODUCTION": None, "KAKURENBO_ROLE": "attacks", "KAKURENBO_SECRET_KEY": None}, False),
    ],
    ids=["production", "accepted", "trial", "careful trial", "attack machine"],
)
def test_programs_that_nothing_counts_run_in_production_only_where_accepted(
    changes: dict[str, str | None], accepted: bool, loaded: Callable[..., dict[str, Any]]
) -> None:
    assert loaded(**changes)["ACCEPT_UNCOUNTED_PROGRAMS"] is accepted


def test_the_data_of_a_checkout_and_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = tmp_path / "site-packages/kakurenbo/_packages"
    monkeypatch.delenv("KAKURENBO_VAR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert environment.data_folder(ROOT) == ROOT / "var"
    of_the_user = tmp_path / "home/.local/share/kakurenbo"
    assert environment.data_folder(wheel) == of_the_user
    monkeypatch.setenv("XDG_DATA_HOME", "share")
    assert environment.data_folder(wheel) == of_the_user
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert environment.data_folder(wheel) == tmp_path / "share/kakurenbo"
    assert environment.data_folder(ROOT) == ROOT / "var"
    monkeypatch.setenv("KAKURENBO_VAR", str(tmp_path / "named"))
    assert {environment.data_folder(program) for program in (ROOT, wheel)} == {tmp_path / "named"}


def test_stores_may_be_buckets_with_keys_of_their_own(loaded: Callable[..., dict[str, Any]]) -> None:
    shared = {"KAKURENBO_S3_ENDPOINT": "https://s3.example.org", "KAKURENBO_S3_KEY": "all"}
    own = {"KAKURENBO_VAULT_BUCKET": "safe", "KAKURENBO_VAULT_S3_KEY": "vault"}
    found = loaded(KAKURENBO_ENTRIES_BUCKET="open", **shared, **own)["STORAGES"]
    assert found["entries"]["OPTIONS"]["access_key"] == "all"
    assert found["vault"]["OPTIONS"]["access_key"] == "vault"
    assert found["vault"]["OPTIONS"]["bucket_name"] == "safe"
    assert found["attacks"]["BACKEND"] == "contest.files.storage.AtomicFileStorage"


def test_django_finds_nothing_to_say_about_the_deployment(tmp_path: Path) -> None:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("KAKURENBO_", "DJANGO_"))}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    environment = {**clean, **GOOD, "KAKURENBO_VAR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
