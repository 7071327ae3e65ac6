"""Membership: whose rows of any table are in the training set of a synthetic one? Several tasks."""
