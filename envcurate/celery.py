"""The Celery application: `celery -A envcurate worker --beat`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")

app = Celery("envcurate")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
