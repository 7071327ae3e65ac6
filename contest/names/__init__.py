"""Names that people choose: one policy for accounts, teams and contests, wherever they are written down.

`policy` and `lookalikes` need no Django, like the checker of bundles; `validation` raises what forms expect.
"""
