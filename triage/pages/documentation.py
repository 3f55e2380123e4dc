"""What docs/findings.md says of a code, as HTML."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

FILE = Path(__file__).parents[2] / "docs" / "findings.md"
HEADING = re.compile(r"^## +`?(?P<code>[a-z][a-z-]*)`? *$", re.MULTILINE)
ANCHOR = re.compile(r'href="#([a-z][a-z-]*)"')
NEXT = re.compile(r"^## ", re.MULTILINE)


def section(code: str) -> str:
    """The Markdown below the heading `## code`; empty where the file has none."""
    return _sections(FILE.stat().st_mtime_ns).get(code, "") if FILE.exists() else ""


def rendered(code: str) -> SafeString:
    """The section as HTML, empty where there is none; a link to another code's heading leads to its page."""
    html = _markdown().render(section(code))
    # Safe: raw HTML in the text is escaped, and no address can run a script.
    return mark_safe(ANCHOR.sub(lambda to: f'href="{reverse("code", args=[to[1]])}"', html))  # noqa: S308


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=1)
def _sections(_changed: int) -> dict[str, str]:
    text = FILE.read_text()
    found = {}
    for heading in HEADING.finditer(text):
        end = NEXT.search(text, heading.end())
        found[heading["code"]] = text[heading.end() : end.start() if end else None].strip()
    return found
