"""Tests of the services on whatever database and broker the environment names.

`make test` runs them on SQLite and files; tests/test_backends.py runs them again on the real services.
"""
