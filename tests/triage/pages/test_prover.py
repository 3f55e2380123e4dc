"""What pages and API say of environments that the prover, which is no agent, found a way through."""

from __future__ import annotations

import csv
import io

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from tests.triage.shop import Shop
from triage.labelling import label
from triage.models import Episode, Finding, Round


@pytest.fixture
def made(db: None) -> Round:
    """A round over an environment without a plan, and one whose plan writes to a note that is not there."""
    shop = Shop()
    shop.searched("planless")
    shop.searched("misled", [{"call": "write", "args": {"note_id": "N9", "text": "b"}}])
    call_command("round", "--inline", stdout=io.StringIO(), stderr=io.StringIO())
    return Round.objects.get()


def main(client: Client, path: str) -> str:
    """What a page says, without its frame."""
    text = client.get(path).content.decode()
    return text[text.index("<main") : text.index("</main>")]


def lines(client: Client, url: str) -> list[dict[str, str]]:
    answer = client.get(url)
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]  # it streams
    return list(csv.DictReader(io.StringIO(text)))


def test_an_environment_shows_its_witness_and_the_episode_as_the_provers(
    reader: Client, made: Round
) -> None:
    for slug in ("planless", "misled"):
        text = reader.get(f"/environments/notes/{slug}/").content.decode()
        episode = Episode.objects.get(
            agent__name="search", results__checks__environment__slug=slug, reward=1
        )
        assert f'href="/episodes/{episode.key}/"' in text
        assert ">prover</span>" in text
        steps = reader.get(f"/episodes/{episode.key}/")
        assert steps.status_code == 200
        assert "search" in steps.content.decode()
    text = reader.get("/environments/notes/planless/").content.decode()
    assert "witness: search" in text
    assert "solving " in text.split("Beside the agents: ")[1].split("</p>")[0]


def test_no_list_rate_or_filter_takes_the_prover_for_an_agent(reader: Client, made: Round) -> None:
    for path in ("/", "/environments/", "/rounds/", f"/rounds/{made.pk}/"):
        text = main(reader, path)
        assert "solved=search" not in text, path
        # A round names the witness of each check.
        assert text.count("search") == text.count(">search</td>"), path
    assert {row["solved by"] for row in lines(reader, "/environments/?format=csv")} == {""}
    assert lines(reader, "/environments/?format=csv&solved=search") == []
    assert "unsolved=parrot" in main(reader, "/environments/")
    for path in ("/", f"/rounds/{made.pk}/"):
        (row,) = lines(reader, f"{path}?format=csv&list=domains")
        assert "search" not in row
        assert {row[agent] for agent in made.panel} == {"0.0"}


def test_a_certificate_names_the_prover_and_what_did_not_run(reader: Client, made: Round) -> None:
    panel = reader.get("/environments/notes/planless/").content.decode()
    assert 'id="certificate"' not in panel  # its plan, which does nothing, misses the goal
    for found in Finding.objects.filter(severity="blocking"):
        label(User.objects.create_superuser(f"u{found.pk}"), found, is_right=False, reason="so")
    text = reader.get("/environments/notes/planless/").content.decode()
    panel = text.split('id="certificate"')[1].split("</section>")[0]
    assert "<div>stage soundness: " in panel
    assert 'title="search ' in panel
