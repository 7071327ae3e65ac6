"""The settings of contests, rounds and phases, each declared once.

Forms, the API, bundles, their schema, the archive, the models' defaults and `docs/settings.md` are generated
from these declarations. What formats have of their own is declared in `games/formats/`: file rules, limits
and ways to make data.
"""
