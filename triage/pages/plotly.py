"""Plotly's script, served (and collected) from the wheel that is installed anyway."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage

SCRIPT = "plotly.min.js"
PREFIX = "plotly"


class PlotlyFinder(BaseFinder):
    """Finds `plotly/plotly.min.js` and nothing else of the wheel."""

    def __init__(self, *_: Any, **__: Any) -> None:
        spec = find_spec("plotly")  # without importing it, which takes a second
        if spec is None or spec.origin is None:
            raise ImproperlyConfigured("plotly is not installed: install the requirements again")
        self.storage = FileSystemStorage(Path(spec.origin).parent / "package_data")
        # As Django's own finders mark where collected files go.
        self.storage.prefix = PREFIX  # type: ignore[attr-defined]

    def check(self, **_: Any) -> list[CheckMessage]:
        return []

    def find(self, path: str, *_: Any, **options: Any) -> Any:
        """The file's place for `plotly/plotly.min.js`, nothing for other paths."""
        if path != f"{PREFIX}/{SCRIPT}":
            return []
        found = self.storage.path(SCRIPT)
        return [found] if True in (options.get("find_all"), options.get("all")) else found

    def list(self, _: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        yield SCRIPT, self.storage
