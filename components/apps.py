from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ComponentsConfig(AppConfig):
    """The library of components."""

    name = "components"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from components.groups import make_groups

        post_migrate.connect(make_groups, dispatch_uid="components.groups")
