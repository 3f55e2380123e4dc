"""The services that come along: who gets in, who starts them, and when they end."""

import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from envcurate import embedded
from envcurate.home import BASE_DIR
from tests.envcurate.holder import (
    Holder,
    copy_programs,
    everybody,
    home_of,
    is_alive,
    keepers,
    me,
    pids,
    wait_until,
)


@pytest.fixture
def empty_home() -> Iterator[Path]:
    with home_of(me()) as home:
        yield home


@pytest.mark.parametrize("who", everybody())
def test_nobody_gets_in_without_the_password(who: str) -> None:
    with home_of(who) as home, Holder(home, who) as holder:
        place = holder.join()
        door = {"host": place["host"], "port": place["port"], "dbname": place["database"]}
        for password in ("", "wrong"):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(**door, user=place["user"], password=password)
        with psycopg.connect(place["url"]) as connection:
            methods = connection.execute("SELECT auth_method FROM pg_hba_file_rules").fetchall()
        assert {method for (method,) in methods} == {"scram-sha-256"}
        with (
            redis.Redis(unix_socket_path=f"{place['host']}/valkey.sock") as stranger,
            pytest.raises(redis.AuthenticationError),
        ):
            stranger.ping()


@pytest.mark.parametrize("who", everybody())
def test_what_is_secret_is_closed(who: str) -> None:
    with home_of(who) as home, Holder(home, who) as holder:
        holder.join()
        closed = [*home.glob("*-password"), home / "run", home / "postgresql", home / "valkey"]
        assert len(closed) == 5
        for path in closed:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_several_starts_at_once_give_one_server_each(empty_home: Path) -> None:
    holders = [Holder(empty_home) for _ in range(5)]
    try:
        places = [holder.join() for holder in holders]
        assert all(place == places[0] for place in places)
        assert len(keepers(empty_home)) == 1
        log = (empty_home / "log" / "postgresql.log").read_text()
        assert log.count("ready to accept connections") == 1
    finally:
        for holder in holders:
            holder.__exit__()


@pytest.mark.parametrize("who", everybody())
def test_both_are_gone_soon_after_the_last_user_is_killed(who: str) -> None:
    with home_of(who) as home, Holder(home, who) as holder:
        holder.join()
        servers = [*pids(home), keepers(home)[0].pid]
        holder.process.kill()
        assert wait_until(lambda: not any(is_alive(pid) for pid in servers), 5)


def test_a_fork_that_closed_our_lease_takes_another(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVCURATE_HOME", str(empty_home))
    embedded.services()
    os.close(embedded._leases[empty_home])
    embedded.services()
    time.sleep(2)
    assert keepers(empty_home)
    embedded.leave()


def test_both_stay_while_another_uses_them(empty_home: Path) -> None:
    with Holder(empty_home) as first, Holder(empty_home) as second:
        first.join()
        second.join()
        servers = pids(empty_home)
        first.process.kill()
        time.sleep(3)
        assert all(is_alive(pid) for pid in servers)


def test_what_was_committed_outlives_a_killed_server(empty_home: Path) -> None:
    with Holder(empty_home, ENVCURATE_FAST="0") as holder:
        place = holder.join()
        with psycopg.connect(place["url"]) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        for pid in pids(empty_home):
            os.kill(pid, 9)
        with Holder(empty_home, ENVCURATE_FAST="0") as next_one:
            assert _kept(next_one.join()["url"]) == 7
            assert _kept(place["url"]) == 7  # at the same address, so open programs find it again


def test_a_killed_keeper_is_replaced(empty_home: Path) -> None:
    with Holder(empty_home) as holder:
        url = holder.join()["url"]
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        servers = pids(empty_home)
        keepers(empty_home)[0].kill()
        with Holder(empty_home) as next_one:
            assert _kept(next_one.join()["url"]) == 7
        assert not set(servers) & set(pids(empty_home))
        assert not any(is_alive(pid) for pid in servers)


def test_a_start_that_was_killed_half_way_leaves_a_home_that_starts(empty_home: Path) -> None:
    with Holder(empty_home) as holder:
        assert wait_until(lambda: any(empty_home.glob("postgresql.new-*/base")), 20)
        keepers(empty_home)[0].kill()
        holder.process.kill()
    assert any(empty_home.glob("postgresql.new-*"))
    with Holder(empty_home) as next_one:
        next_one.join()
        assert not any(empty_home.glob("postgresql.new-*"))


def test_a_stale_note_of_a_process_id_does_not_stop_the_start(empty_home: Path) -> None:
    with Holder(empty_home) as holder:
        holder.join()
        note = empty_home / "postgresql" / "postmaster.pid"
        text = note.read_text().split("\n")
    assert wait_until(lambda: not keepers(empty_home), 10)
    note.write_text("\n".join([str(os.getpid()), *text[1:]]))  # the number is ours now
    with Holder(empty_home) as next_one:
        next_one.join()
    assert is_alive(os.getpid())


def test_a_failing_start_says_what_and_where_its_log_is(empty_home: Path) -> None:
    (empty_home / "postgresql").mkdir()
    (empty_home / "postgresql" / "PG_VERSION").write_text("9.1\n")
    with Holder(empty_home) as holder:
        refusal = holder.refusal()
    assert refusal.startswith("envcurate: PostgreSQL did not start: ")
    log = empty_home / "log" / "postgresql.log"
    assert str(log) in refusal
    assert log.read_text().strip().splitlines()[-1] in refusal
    assert "\n" not in refusal


def test_a_path_too_long_for_a_socket_works_and_leaves_nothing_outside(empty_home: Path) -> None:
    deep = empty_home / ("long-" * 20) / ("long-" * 20)
    with Holder(deep) as holder:
        run = Path(holder.join()["host"])
        assert not run.is_relative_to(empty_home)
        assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert wait_until(lambda: not keepers(deep), 10)
    assert not run.exists()


def test_root_refuses_a_home_under_a_closed_folder_and_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("ENVCURATE_HOME", str(closed / "home"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(embedded.ServiceError, match="set ENVCURATE_HOME to a folder elsewhere"):
        embedded.services()
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert not (closed / "home" / "log").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the services as another user")
def test_root_runs_programs_that_were_installed_under_a_closed_folder(empty_home: Path) -> None:
    with home_of(me()) as closed:
        copy_programs(closed)
        closed.chmod(0o700)
        with Holder(empty_home, PYTHONPATH=str(closed)) as holder:
            holder.join()
        assert stat.S_IMODE(closed.stat().st_mode) == 0o700
        assert len(list(empty_home.glob("programs-*"))) == 1


@pytest.mark.parametrize("command", [["help"], ["check"], ["round", "--help"]])
def test_a_command_without_need_of_the_database_starts_nothing(
    empty_home: Path, command: list[str]
) -> None:
    subprocess.run(
        [sys.executable, "manage.py", *command],
        check=False,
        capture_output=True,
        cwd=BASE_DIR,
        env=os.environ | {"ENVCURATE_HOME": str(empty_home)},
    )
    assert [path.name for path in empty_home.iterdir()] == ["secret-key"]


def _kept(url: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT number FROM kept").fetchone()
    assert row is not None
    return row[0]
