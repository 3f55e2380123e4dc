"""A tool server's file: Python source, perhaps with an about block of comments before it.

# about:
#   title: The desk's tools

def find_room(…):
"""

from __future__ import annotations

import re

from worlds.source import Source, read_yaml

HEAD = re.compile(r"# about:( .*)?(\n|$)")
WITHIN = re.compile(r"#(  .*)?")


def split_source(text: str, path: str) -> tuple[Source, str, int]:
    """The about block (value None without one), the source after it, and the line where that begins."""
    if not HEAD.match(text):
        return Source(None), text, 1
    lines = text.split("\n")
    size = 1
    while size < len(lines) and WITHIN.fullmatch(lines[size]):
        size += 1
    about = read_yaml("".join(f"{line[2:]}\n" for line in lines[:size]), path)
    begin = size + 1 if lines[size : size + 1] == [""] else size
    return Source(about.value["about"] or {}, about.lines), "\n".join(lines[begin:]), begin + 1


def joined_source(about: str, source: str) -> str:
    """The file's text: `about` is the YAML of `{about: …}`, or empty."""
    if not about and not HEAD.match(source):
        return source
    block = about or "about: {}\n"
    lines = [f"# {line}" if line else "#" for line in block.removesuffix("\n").split("\n")]
    return "\n".join([*lines, "", source])
