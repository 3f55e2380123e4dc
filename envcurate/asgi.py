"""Where an ASGI server enters."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")

application = get_asgi_application()
