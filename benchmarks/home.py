"""Services and a database for one run of a benchmark."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_home(kept: Path | None = None) -> Iterator[None]:
    """Services and a database of this run alone, whatever the environment says; in `kept` they stay for the next."""
    home = str(kept) if kept else tempfile.mkdtemp(prefix="envcurate-bench-", dir="/tmp")
    # A short path, for sockets.
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    os.environ |= {"ENVCURATE_HOME": home, "DJANGO_SETTINGS_MODULE": "envcurate.settings"}
    import django

    django.setup()
    from django.db import connections

    from envcurate import embedded

    try:
        yield
    finally:
        connections.close_all()
        embedded.leave()
        if kept is None:
            shutil.rmtree(home, ignore_errors=True)
