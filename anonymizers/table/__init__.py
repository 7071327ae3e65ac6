"""Methods for any table."""
