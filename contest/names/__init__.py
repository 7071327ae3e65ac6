"""Names that people choose: one policy for accounts, teams, contests and rounds in all places.

`policy` and `lookalikes` do without Django, as the checker of bundles does; `validation` speaks as forms do.
"""
