"""`manage.py label`: say of a finding whether it is right, or bring in labels that were made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError, person
from triage.labelfile import Imported, import_labels
from triage.labelling import LabelInvalid, label
from triage.models import Finding


class Given(TypedDict):
    """A label, as printed."""

    finding: int
    code: str
    place: str
    label: str
    reason: str
    author: str


class Command(BaseCommand):
    help = "Label a finding right or wrong (which dismisses it), or many from a file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("finding", type=int, nargs="?", help="a finding's id")
        parser.add_argument("label", choices=["right", "wrong"], nargs="?")
        parser.add_argument("--reason", default="", help="why; needed for wrong")
        parser.add_argument(
            "--import",
            dest="file",
            type=Path,
            metavar="FILE",
            help="one JSON object a line: environment, code, fingerprint, place, label, why",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> Given | Imported:
        author = person(actor, "a label")
        one, file = (options["finding"], options["label"]), options["file"]
        if (None in one) is (file is None) or (file and any(one)):
            raise UsageError("give FINDING and right or wrong, or --import FILE")
        try:
            return import_labels(file, author) if file else self._one(author, options)
        except LabelInvalid as error:
            raise CommandError(str(error)) from error

    def show(self, document: Any) -> None:
        if "labelled" in document:
            self.stdout.write(f"{document['labelled']} labelled, {document['unmatched']} unmatched")
            return
        reason = f": {document['reason']}" if document["reason"] else ""
        self.stdout.write(
            f"{document['code']} at {document['place']} is {document['label']}, "
            f"says {document['author']}{reason}"
        )

    def _one(self, author: User, options: dict[str, Any]) -> Given:
        visible = Finding.objects.visible_to(author).select_related("component__domain", "version")
        found = visible.filter(pk=options["finding"]).first()
        if found is None:
            raise UsageError(f"there is no finding {options['finding']}")
        is_right = options["label"] == "right"
        made = label(author, found, is_right=is_right, reason=options["reason"])
        return Given(
            finding=found.pk,
            code=made.code,
            place=made.place,
            label=made.word,
            reason=made.reason,
            author=author.get_username(),
        )
