"""The API: what the pages offer, for programs. It reuses access, queries and services and decides nothing."""
