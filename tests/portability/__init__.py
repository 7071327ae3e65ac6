"""The same input gives the same bytes everywhere: digests of all results under many configurations."""
