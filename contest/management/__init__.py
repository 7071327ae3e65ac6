"""The commands of `manage.py`, and the catalogue of translations."""
