"""A contest for ever: one zip that holds everything and can be verified with nothing but Python."""
