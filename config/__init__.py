"""Settings, URLs and the Celery application; what differs between installations is in the environment."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
