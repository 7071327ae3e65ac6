"""Reading, checking and writing the tables of a contest. Knows nothing of Django."""
