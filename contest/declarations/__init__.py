"""The settings of contests, rounds, phases and data sets, each declared once.

Forms, the API, bundles, their schema, the archive, the models' defaults and `docs/settings.md` are generated
from these declarations. File rules and limits belong to the numerics: `datasets/rules.py`,
`scoring/rules.py`.
"""
