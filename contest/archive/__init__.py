"""A whole contest as one zip, which can be verified with nothing but Python."""
