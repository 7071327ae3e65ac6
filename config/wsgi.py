"""The WSGI application that a server runs."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.private import keep_private

keep_private()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# All pages are loaded now: otherwise the first visitor to a new process waits for it, and all who follow.
get_resolver().url_patterns  # noqa: B018 - reading it loads it
