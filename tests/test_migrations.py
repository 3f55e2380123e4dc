"""The models and their migrations agree; `make lint` runs this too."""

from django.core.management import call_command


def test_no_migration_is_missing(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True)
