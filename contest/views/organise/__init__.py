"""The organisers' pages: one file a page, each act one call of a service."""
