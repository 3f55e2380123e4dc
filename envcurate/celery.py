"""The Celery application: `celery -A envcurate worker --beat`."""

import os
import signal
from typing import Any

from celery import Celery
from celery.signals import beat_embedded_init
from django.conf import settings
from kombu import Connection

from envcurate.children import end_with_parent

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


@beat_embedded_init.connect
def _end_beat_with_its_worker(**_: Any) -> None:
    """A killed worker's pool ends by itself; its beat would tick on for ever."""
    ask = end_with_parent(signal.SIGTERM)
    if ask:
        ask()


app = Application("envcurate")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
