"""What the user of a world tells an agent, or would: whoever plays them has the brief."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worlds.known import Known
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text
from worlds.world import World


def told(world: World) -> Iterator[str]:
    """The opening, and all that the user knows, is to say or is told about themselves."""
    yield world.opening
    user = world.bundle.intent.user
    if user is None:
        return
    said = [
        user.brief or "",
        *user.knows,
        *user.knows.values(),
        *(line.says for line in user.script),
    ]
    for template in said:
        try:
            yield as_text(world.rendered(template))
        except (TemplateUnfilled, TemplateInvalid):
            continue  # a finding of its own


def tells(world: World, value: Any) -> bool:
    """Whether the user tells every part of a JSON value."""
    known = Known(world.base.clock.now)
    for text in told(world):
        known.hear(text)
    return not any(known.strange(value))
