"""The Django project: settings, addresses, Celery, and the services that come with it."""

from envcurate.celery import app as celery_app

__all__ = ["celery_app"]
