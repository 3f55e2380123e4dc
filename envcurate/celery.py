"""The Celery application: `celery -A envcurate worker --beat`."""

import os
from typing import Any

from celery import Celery
from django.conf import settings
from kombu import Connection

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")


class Application(Celery):
    """Without `REDIS_URL`, the broker that comes with Envcurate: it starts when needed."""

    def connection_for_read(self, url: str | None = None, **options: Any) -> Connection:
        return super().connection_for_read(url or _broker(), **options)

    def connection_for_write(self, url: str | None = None, **options: Any) -> Connection:
        return super().connection_for_write(url or _broker(), **options)


def _broker() -> str:
    if settings.CELERY_BROKER_URL:
        return str(settings.CELERY_BROKER_URL)
    from envcurate.embedded import services

    return services().broker_url


app = Application("envcurate")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
