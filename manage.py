#!/usr/bin/env python
"""Runs one management command: `python manage.py COMMAND`, `python manage.py help` lists them."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"envcurate: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
