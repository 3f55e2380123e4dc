"""Where gunicorn enters: `gunicorn envcurate.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")

application = get_wsgi_application()
