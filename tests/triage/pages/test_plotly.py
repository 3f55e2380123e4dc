from __future__ import annotations

from django.contrib.staticfiles import finders
from django.test import Client


def test_the_script_is_found_and_nothing_else_of_the_wheel() -> None:
    assert str(finders.find("plotly/plotly.min.js")).endswith("package_data/plotly.min.js")
    for path in ("plotly/datasets/iris.csv.gz", "plotly/"):
        assert finders.find(path) is None


def test_collecting_copies_it_to_its_own_folder() -> None:
    listed = [
        (path, getattr(storage, "prefix", ""))
        for finder in finders.get_finders()
        for path, storage in finder.list(None)
        if path == "plotly.min.js"
    ]
    assert listed == [("plotly.min.js", "plotly")]


def test_it_is_served(client: Client, db: None) -> None:
    answer = client.get("/static/plotly/plotly.min.js")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/javascript")
    answer.close()
