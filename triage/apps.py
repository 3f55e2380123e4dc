from django.apps import AppConfig


class TriageConfig(AppConfig):
    """Rounds, checks and findings."""

    name = "triage"
    default_auto_field = "django.db.models.BigAutoField"
