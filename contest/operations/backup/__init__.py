"""Everything that an installation must not lose, in one file, taken while it runs."""
