"""Many teams and viewers at once, on PostgreSQL and Redis of the run's own; `make load` prints figures."""
