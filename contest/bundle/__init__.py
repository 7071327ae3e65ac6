"""A contest as one file: reading, checking and writing it. Nothing here knows of Django."""
