"""What a worker does: one handler per kind of job, and the one Celery task that calls them."""
