"""`manage.py codes`: what each code found, and how often people say that it was right."""

from __future__ import annotations

from typing import Any

from components.actor import Actor
from components.commands import Command as BaseCommand
from triage.codes import standings
from triage.table import aligned

HEAD = ["code", "stage", "severity", "findings", "right", "wrong", "precision", "95% interval"]


class Command(BaseCommand):
    help = "List the codes of findings with their precision, by people's labels."

    def work(self, actor: Actor, **options: Any) -> list[dict[str, Any]]:
        return [one.document() for one in standings(actor)]

    def show(self, document: list[dict[str, Any]]) -> None:
        self.stdout.write("\n".join(aligned(HEAD, [_cells(row) for row in document])))


def _cells(row: dict[str, Any]) -> list[str]:
    off = f" +{row['not_counted']} not counted" if row["not_counted"] else ""
    share, interval = row["precision"], row["interval"]
    return [
        row["code"],
        row["stage"],
        f"advice, demoted from {row['severity']}" if row["demoted"] else row["severity"],
        f"{row['findings']}{off}",
        str(row["right"]),
        str(row["wrong"]),
        "–" if share is None else f"{share:.1%}",
        "–" if interval is None else f"{interval[0]:.1%} to {interval[1]:.1%}",
    ]
