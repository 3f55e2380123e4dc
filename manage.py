#!/usr/bin/env python
"""Runs one management command: `python manage.py COMMAND`, `python manage.py help` lists them."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError

from envcurate.programs import ServiceError


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "envcurate.settings")
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except ImproperlyConfigured as error:
        _give_up(f"{error}", 2)
    except ServiceError as error:
        _give_up(f"{error}", 1)
    except OperationalError as error:
        _give_up(f"the database does not work: {' '.join(str(error).split())}", 1)


def _give_up(message: str, status: int) -> None:
    sys.stderr.write(f"envcurate: {message}\n")
    sys.exit(status)


if __name__ == "__main__":
    main()
