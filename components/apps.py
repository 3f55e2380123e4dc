from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.db.models.signals import post_migrate

from worlds.servers import VARIABLE, Servers
from worlds.source import LibraryInvalid


class ComponentsConfig(AppConfig):
    """The library of components."""

    name = "components"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from components.groups import make_groups

        post_migrate.connect(make_groups, dispatch_uid="components.groups")


@register
def tool_servers(**_: Any) -> list[CheckMessage]:
    """The settings of outside tool servers can be read: a mistake stops the start rather than a round."""
    try:
        Servers.installed()
    except LibraryInvalid as problem:
        hint = f"Mend the file that {VARIABLE} names; docs/toolservers.md says what it holds."
        return [Error(str(problem), hint=hint, id="components.E001")]
    return []
