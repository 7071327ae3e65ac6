"""Settings, URLs and the Celery application; what differs between installations is in the environment."""

import gc

# What a process imports stays until its end: the collector need not look through it hundreds of times.
gc.set_threshold(50_000, 20, 20)

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
