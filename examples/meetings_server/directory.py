"""Offices and the people in them: who they are, and when they are away."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.meetings_server.database import Store
from examples.meetings_server.rows import Absence, AbsenceKind, Holiday, Office, Person

MOST_FOUND = 20


class Desk:
    """Answers questions about one state of the database, at one time."""

    def __init__(self, store: Store, now: datetime) -> None:
        self.store = store
        self.now = now

    @property
    def today(self) -> str:
        return self.now.date().isoformat()


class Directory(Desk):
    """Offices, people, public holidays and absences."""

    def offices(self, city: str) -> list[Office]:
        return self.store.find(Office, "instr(fold(city), fold(?))", city)

    def office(self, office_id: str) -> Office:
        office = self.store.get(Office, office_id)
        if office is None:
            raise ToolError(f"There is no office {office_id!r}; list_offices names them.")
        return office

    def person(self, person_id: str) -> Person:
        person = self.store.get(Person, person_id)
        if person is None:
            raise ToolError(f"There is no person {person_id!r}; find_people gives the ids.")
        return person

    def people(self, query: str) -> list[Person]:
        """At most twenty whose name or address holds the text."""
        wanted = query.strip().lower()
        if len(wanted) < 2:
            raise ToolError("Give at least two letters of a name or an e-mail address.")
        like = "instr(fold(name), ?1) OR instr(fold(email), ?1)"
        return self.store.find(Person, like, wanted)[:MOST_FOUND]

    def profile(self, person_id: str) -> dict[str, Any]:
        """A person with office, manager, delegates, and the absences that are not over."""
        person = self.person(person_id)
        coming = self.store.find(Absence, "person_id = ? AND last_day >= ?", person_id, self.today)
        return {
            **person.document(),
            "office": self.office(person.office_id).name,
            "manager": self.person(person.manager_id).brief() if person.manager_id else None,
            "delegates": [self.person(key).brief() for key in person.delegate_ids],
            "absences": [
                {"first_day": a.first_day, "last_day": a.last_day, "kind": a.kind} for a in coming
            ],
        }

    def holidays(self, office_id: str) -> list[Holiday]:
        """The days that an office has off, the country's and its own; earliest first."""
        query = """
            SELECT holidays.* FROM holidays JOIN offices USING (country)
            WHERE offices.office_id = ?1
              AND (holidays.office_id IS NULL OR holidays.office_id = ?1)
            ORDER BY holidays.date, holiday_id
        """
        return self.store.query(Holiday, query, self.office(office_id).office_id)

    def absences(self, person_id: str) -> list[Absence]:
        return self.store.find(Absence, "person_id = ?", person_id)

    def zone(self, tz: str) -> str:
        """A time zone in which anybody works."""
        query = "SELECT 1 FROM offices WHERE tz = ?1 UNION SELECT 1 FROM people WHERE tz = ?1"
        if self.store.connection.execute(query, (tz,)).fetchone() is None:
            raise ToolError(
                f"{tz!r} is not a time zone in which anybody here works, such as Europe/Berlin."
            )
        return tz

    def enter_absence(
        self, actor: Person, person: Person, days: tuple[str, str], kind: AbsenceKind
    ) -> Absence:
        """Enter that a person is away from the first to the last of `days`."""
        first, last = days
        if first < self.today:
            raise ToolError(f"{first} is past; an absence begins today or later.")
        if actor.person_id not in [person.manager_id, *person.managers]:
            raise ToolError(
                f"Only {person.name}, their manager or a managing delegate may enter this, "
                f"not {actor.name}."
            )
        for other in self.absences(person.person_id):
            if other.first_day <= last and first <= other.last_day:
                raise ToolError(
                    f"{person.name} is away from {other.first_day} to {other.last_day} already."
                )
        absence = Absence(
            absence_id=self.store.next_id(Absence, "A"),
            person_id=person.person_id,
            first_day=first,
            last_day=last,
            kind=kind,
            entered_by=actor.person_id,
        )
        return self.store.insert(absence)
