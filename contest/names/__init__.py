"""Names that people choose: one policy for accounts, teams, contests and rounds in all places.

`policy` and `lookalikes` need no Django, like the checker of bundles; `validation` raises what forms expect.
"""
