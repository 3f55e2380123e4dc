"""Episodes say how many of their steps were calls, results how long each attempt took."""

from django.db import migrations, models

COUNT_CALLS = """
UPDATE triage_episode SET calls = jsonb_array_length(
    jsonb_path_query_array(document, '$.steps[*] ? (@.kind == "call")')
)
"""


class Migration(migrations.Migration):
    dependencies = [("triage", "0002_cancelled")]

    operations = [
        migrations.AddField(
            model_name="episode",
            name="calls",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunSQL(COUNT_CALLS, migrations.RunSQL.noop),
        migrations.AddField(
            model_name="result",
            name="times",
            field=models.JSONField(default=dict),
        ),
    ]
