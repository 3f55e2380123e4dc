from django.apps import AppConfig


class ComponentsConfig(AppConfig):
    """The library of components."""

    name = "components"
    default_auto_field = "django.db.models.BigAutoField"
