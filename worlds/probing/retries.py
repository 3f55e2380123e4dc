"""A call that was stopped or refused, once more: after the looks that were missing, with the number that was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worlds.probing.paths import leaves, put
from worlds.probing.stands import Stand
from worlds.relations.subject import replaced
from worlds.step import Call

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def looked_up(stand: Stand, calls: Sequence[Stand]) -> Stand | None:
    """The same after the reads of its plan, whose calls of the tool are given, made of what is named now."""
    plain = next(
        (each for each in calls if each.environment == stand.environment),
        None,
    )
    if plain is None:
        return None
    swaps = dict(_swaps(plain.call, stand.call))
    play = stand.play.fork()
    for past in list(play.history):
        tool = play.world.tools.get(past["tool"])
        args = replaced(past["args"], swaps)
        if tool is not None and not tool[2].writes and args != past["args"]:
            play.act(Call(tool=past["tool"], args=args))
    return replace(stand, play=play) if len(play.steps) > len(stand.play.steps) else None


def _swaps(one: Call, other: Call) -> Iterator[tuple[str, str]]:
    theirs = dict(leaves(other.args))
    for path, text in leaves(one.args):
        now = theirs.get(path)
        if isinstance(text, str) and isinstance(now, str) and now != text:
            yield text, now


def corrected(stand: Stand, refusal: str) -> Stand | None:
    """The call with one number made larger or smaller by what two numbers of the refusal differ in: the price that
    it names, and what was offered."""
    numbers = [float(each) for each in NUMBER.findall(refusal)]
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        return None
    for path, value in leaves(stand.call.args):
        inside = isinstance(value, (int, float)) and not isinstance(value, bool) and len(path) > 1
        if inside:
            fits = round(value + numbers[0] - numbers[1], 2)
            return replace(
                stand, call=stand.call.model_copy(update={"args": put(stand.call.args, path, fits)})
            )
    return None
