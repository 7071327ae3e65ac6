"""A real OpenID Connect provider for the tests: django-oauth-toolkit in a process of its own."""
