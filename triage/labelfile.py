"""Labels made by hand, outside of the tool: files of one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypedDict

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import BaseModel, ValidationError

from components.models import Domain
from triage.labelling import LabelInvalid, label
from triage.models import Finding
from triage.results import storable


class Line(BaseModel):
    """One label; other keys are for people."""

    environment: str
    """`domain/slug`."""
    code: str
    fingerprint: str
    place: str
    label: Literal["right", "wrong"]
    why: str = ""


class Imported(TypedDict):
    """How many lines were given as labels, and how many fit no finding that is stored."""

    labelled: int
    unmatched: int


def import_labels(path: Path, author: User) -> Imported:
    """Label the findings that the lines of a file are about: of an environment's findings with that code, fingerprint
    and place the newest. All of them or, where a line is wrong, none. Raises LabelInvalid and PermissionDenied."""
    lines = list(_lines(path))
    found = _newest([line for _, line in lines], author)
    done = Imported(labelled=0, unmatched=0)
    with transaction.atomic():
        for number, line in lines:
            finding = found.get(_key(line))
            if finding is None:
                done["unmatched"] += 1
                continue
            try:
                label(author, finding, is_right=line.label == "right", reason=line.why)
            except LabelInvalid as error:
                raise LabelInvalid(f"{path}:{number}: {error}") from error
            done["labelled"] += 1
    return done


Key = tuple[str, str, str, str]


def _key(line: Line) -> Key:
    return line.environment, line.code, line.fingerprint, line.place


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    for number, text in enumerate(_text(path).split("\n"), start=1):  # JSON may hold U+2028
        if not text.strip():
            continue
        try:
            yield number, Line.model_validate(json.loads(text))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise LabelInvalid(f"{path}:{number}: {where}: {first['msg']}") from error
        except (ValueError, RecursionError) as error:
            raise LabelInvalid(f"{path}:{number}: no JSON: {error}") from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabelInvalid(f"{path} is no UTF-8 text: {error}") from error


def _newest(lines: Iterable[Line], author: User) -> dict[Key, Finding]:
    """The newest finding that each line may be about; two queries."""
    prints = {str(storable(line.fingerprint)) for line in lines}
    shown = Finding.objects.filter(
        fingerprint__in=prints,
        result__checks__environment__domain__in=Domain.objects.visible_to(author),
    ).order_by("pk")
    names = shown.values_list(
        "pk",
        "result__checks__environment__domain__slug",
        "result__checks__environment__slug",
    )
    rows = Finding.objects.select_related("component__domain", "version").in_bulk(
        [pk for pk, _, _ in names]
    )
    return {
        (f"{domain}/{slug}", rows[pk].code, rows[pk].fingerprint, rows[pk].place): rows[pk]
        for pk, domain, slug in names
    }
