"""What docs/findings.md says of a code, as HTML."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

FILE = Path(__file__).parents[2] / "docs" / "findings.md"
CODE = re.compile(r"`?(?P<code>[a-z][a-z-]*)`?")
ANCHOR = re.compile(r'href="#([a-z][a-z-]*)"')
ENDS = {"h1", "h2"}
"""Headings that end the section before them."""


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
    lines, tokens = text.split("\n"), _markdown().parse(text)
    # By the parser, which knows a heading from a comment in an example.
    starts = [
        (token.map[0], token.map[1], tokens[number + 1].content if token.tag == "h2" else "")
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in ENDS and token.level == 0 and token.map
    ]
    ends = [start for start, _, _ in starts[1:]] + [len(lines)]
    return {
        named["code"]: "\n".join(lines[after:end]).strip()
        for (_, after, title), end in zip(starts, ends, strict=True)
        if (named := CODE.fullmatch(title))
    }
