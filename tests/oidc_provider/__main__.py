"""``python -m tests.oidc_provider CONFIGURATION``: serves until it is stopped, and says when it begins.

The file of the configuration is JSON: folder, port, key (a PEM), client_id, client_secret, redirect_uris, and
people, by user name: e-mail and password.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command

LOGIN = (
    '<h1>The provider</h1><form method="post">{% csrf_token %}{{ form.as_p }}'
    '<button type="submit">Log in there</button></form>'
)
FRAME = "<!DOCTYPE html><title>The provider</title>{% block content %}{% endblock content %}"


def configure(given: dict[str, Any]) -> None:
    pages = {"registration/login.html": LOGIN, "oauth2_provider/base.html": FRAME}
    settings.configure(
        SECRET_KEY="a key of the tests' provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.oidc_provider.urls",
        USE_TZ=True,
        # Quick to compute; nothing here has to last.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        # Cookies know no ports: the site under test runs on the same host.
        SESSION_COOKIE_NAME="provider_session",
        CSRF_COOKIE_NAME="provider_csrf",
        DATABASES={
            "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{given['folder']}/provider.sqlite3"}
        },
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "OPTIONS": {
                    "loaders": [
                        ("django.template.loaders.locmem.Loader", pages),
                        "django.template.loaders.app_directories.Loader",
                    ],
                    "context_processors": ["django.template.context_processors.request"],
                },
            }
        ],
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_ISS_ENDPOINT": f"http://127.0.0.1:{given['port']}/o",
            "OIDC_RSA_PRIVATE_KEY": given["key"],
            "OAUTH2_VALIDATOR_CLASS": "tests.oidc_provider.claims.Claims",
            "SCOPES": {"openid": "Who you are", "email": "Your address", "profile": "Your name"},
            "PKCE_REQUIRED": True,
        },
    )
    django.setup()


def fill(given: dict[str, Any]) -> None:
    from django.contrib.auth.models import User
    from oauth2_provider.models import Application

    call_command("migrate", verbosity=0)
    for name, (email, password) in given["people"].items():
        if not User.objects.filter(username=name).exists():
            User.objects.create_user(name, email, password)
    Application.objects.update_or_create(
        client_id=given["client_id"],
        defaults={
            "client_secret": given["client_secret"],
            "client_type": Application.CLIENT_CONFIDENTIAL,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
            "redirect_uris": " ".join(given["redirect_uris"]),
            "algorithm": Application.RS256_ALGORITHM,
            "name": "Kakurenbo",
        },
    )


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    configure(given)
    fill(given)
    from django.core.wsgi import get_wsgi_application
    from waitress import create_server

    server = create_server(get_wsgi_application(), host="127.0.0.1", port=given["port"], threads=2)
    print("serving", flush=True)
    server.run()


if __name__ == "__main__":
    main()
