"""Names that people choose: one policy for accounts, teams and contests, wherever they are written down.

`policy` and `lookalikes` do without Django, as the checker of bundles does; `validation` speaks as forms do.
"""
