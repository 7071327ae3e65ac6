"""The organisers' pages: one file per page, each action one call of a service."""
