"""`manage.py audit_sample`: draw certified environments to be read, show them, label them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError, person
from triage.audit_sample import SampleInvalid, create, estimate, label, short_of
from triage.models import AuditItem, AuditSample
from triage.models.auditsample import AuditItemQuerySet
from triage.table import aligned


class Command(BaseCommand):
    help = (
        "`create --size N`: draw a random sample of the certified environments, a share of each domain; "
        "`show`: print it with the estimated share of defective ones; `label ITEM sound|defective --as USER`."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["create", "show", "label"])
        parser.add_argument("item", nargs="?", type=int, metavar="ITEM", help="an item's number")
        parser.add_argument("verdict", nargs="?", choices=["sound", "defective"])
        parser.add_argument("--size", type=int, metavar="N", help="how many to draw")
        parser.add_argument(
            "--seed", type=int, help="draws them; default: one that nobody foresees"
        )
        parser.add_argument(
            "--domain", action="append", default=[], help="only of this domain; may be repeated"
        )
        parser.add_argument("--name", default="", help="of the sample; `show` takes the newest")
        parser.add_argument("--note", default="", metavar="T", help="what was seen")
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, Any]:
        try:
            return {"create": _create, "show": _show, "label": _label}[options["act"]](
                actor, options
            )
        except SampleInvalid as error:
            raise CommandError(str(error)) from error

    def show(self, document: dict[str, Any]) -> None:
        head = ["item", "environment", "verdict", "by", "note"]
        cells = [
            [
                str(row["item"]),
                f"{row['domain']}/{row['environment']}",
                row["verdict"] or "unread",
                row["by"] or "",
                row["note"],
            ]
            for row in document["items"]
        ]
        unread = ", ".join(document["unread"])
        short = short_of(document["size"], document.get("asked", 0))
        self.stdout.write(
            "\n".join(
                [
                    *aligned(head, cells),
                    f"{document['sample']} (seed {document['seed']}): {document['said']}"
                    + (f"; nothing read of {unread}" if unread else ""),
                    *([short] if short else []),
                ]
            )
        )


def _create(actor: Actor, options: Mapping[str, Any]) -> dict[str, Any]:
    if options["size"] is None:
        raise UsageError("create: --size N is missing: how many environments to draw")
    made = create(
        actor,
        options["size"],
        seed=options["seed"],
        domains=options["domain"],
        name=options["name"],
    )
    return {**_document(made, actor), "asked": options["size"]}


def _show(actor: Actor, options: Mapping[str, Any]) -> dict[str, Any]:
    samples = AuditSample.objects.all() if actor is None else AuditSample.objects.visible_to(actor)
    if options["name"]:
        samples = samples.filter(name=options["name"])
    found = samples.order_by("-pk").first()
    if found is None:
        wanted = f"audit sample {options['name']}" if options["name"] else "audit sample"
        raise UsageError(f"there is no {wanted}: `audit_sample create --size N` draws one")
    return _document(found, actor)


def _label(actor: Actor, options: Mapping[str, Any]) -> dict[str, Any]:
    if options["item"] is None or options["verdict"] is None:
        raise UsageError("label: say which item, and whether it is sound or defective")
    reader = person(actor, "what an environment is")
    item = _items(reader).filter(pk=options["item"]).select_related("sample").first()
    if item is None:
        raise UsageError(f"label {options['item']}: there is no item of that number")
    label(reader, item, options["verdict"], options["note"])
    return _document(item.sample, reader)


def _items(actor: Actor) -> AuditItemQuerySet:
    return AuditItem.objects.all() if actor is None else AuditItem.objects.visible_to(actor)


def _document(sample: AuditSample, actor: Actor) -> dict[str, Any]:
    items = _items(actor).filter(sample=sample)
    found = estimate(items)
    return {
        "sample": sample.name,
        "seed": sample.seed,
        "size": sample.size,
        "created": sample.created,
        **asdict(found),
        "said": found.said,
        "items": [
            {
                "item": row.pk,
                "domain": row.stratum,
                "environment": row.environment.slug,
                "bundle": row.bundle,
                "verdict": row.verdict or None,
                "note": row.note,
                "by": row.by.get_username() if row.by else None,
                "at": row.at,
            }
            for row in items.select_related("environment", "by").order_by("pk")
        ],
    }
