# about:
#   title: A service portal of few broad calls
#   notes: >-
#     The same rows under the names of another product: records with numbers, callers, assignment
#     groups and states. A record opens with everything in it and is updated with a set of fields, a
#     comment and a work note at once.

"""Records: few broad calls, each opening or updating a record as a whole."""

from datetime import date, datetime, timedelta
from typing import Any, Literal

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MOVES = {
    "new": ["open", "pending", "on_hold", "solved"],
    "open": ["pending", "on_hold", "solved"],
    "pending": ["open", "solved"],
    "on_hold": ["open", "solved"],
    "solved": ["open"],
    "closed": [],
}
RUNNING = ["new", "open", "on_hold"]
LOGGED = ["status", "priority", "queue_id", "assignee_id", "level", "problem_id"]
FIELDS = {
    "status": "state",
    "priority": "priority",
    "queue_id": "assignment_group",
    "assignee_id": "assigned_to",
    "level": "escalation",
    "problem_id": "problem",
}
REOPEN_DAYS = 7
HORIZON = 3660
PAGE = 20
FOLLOW_UP = "create a record with follow_up_of."
TELL = "resolve with close_notes, which the caller reads."
STATES = {
    "new": "New",
    "open": "In Progress",
    "pending": "Awaiting Caller",
    "on_hold": "On Hold",
    "solved": "Resolved",
    "closed": "Closed",
}
PRIORITIES = {
    "urgent": "1 - Critical",
    "high": "2 - High",
    "normal": "3 - Moderate",
    "low": "4 - Low",
}
LEVELS = {"urgent": "critical", "high": "high", "normal": "moderate", "low": "low"}
TASK_TYPES = {"incident": "Incident", "request": "Service Request", "problem": "Problem"}


# Queries


def query_users(email_or_name: str) -> dict[str, Any]:
    """Query the users by name or e-mail address, or part of either. Names are not unique.

    Args:
        email_or_name: a name or an e-mail address.
    """
    wanted = email_or_name.strip().lower()
    if len(wanted) < 2:
        raise ValueError("query_users: at least two characters are needed")
    rows = db.find("people", {"email": wanted}) or [
        p for p in db.find("people", {}) if wanted in f"{p['name']} {p['email']}".lower()
    ]
    return {"total": len(rows), "result": [_user(p) for p in rows[:PAGE]]}


def query_groups(
    search: str = "",
    handles: Literal["", "hardware", "software", "network", "account", "access", "security"] = "",
) -> dict[str, Any]:
    """Query the assignment groups: manager, escalation, business hours, templates.

    A group that alone matches comes with its roster, each with the records in progress: those on shift first, then the
    fewest, then by name.

    Args:
        search: only groups with this name, or with this text in it when none has it.
        handles: only groups that handle this category.
    """
    handling = db.find("queues", {"handles[]": handles} if handles else {})
    wanted = search.strip().lower()
    exact = [q for q in handling if q["name"].lower() == wanted]
    rows = exact or [q for q in handling if wanted in q["name"].lower()]
    templates = db.find("macros", {})
    result = []
    for queue in rows:
        own = [m for m in templates if m["queue_id"] in [None, queue["queue_id"]]]
        result.append(
            {
                "assignment_group": queue["queue_id"],
                "group_name": queue["name"],
                "handles": queue["handles"],
                "manager": _user(_get("people", queue["lead_id"])),
                "escalation_group": queue["escalates_to"],
                "business_hours": db.get("calendars", queue["calendar_id"]),
                "templates": [_template(m) for m in own],
                "roster": _roster(queue) if len(rows) == 1 else [],
            }
        )
    return {"total": len(result), "result": result}


def query_tickets(
    session_sys_id: str,
    caller_id: str = "",
    assignment_group: str = "",
    assigned_to: str = "",
    cmdb_ci: str = "",
    short_description: str = "",
    state: Literal[
        "", "New", "In Progress", "Awaiting Caller", "On Hold", "Resolved", "Closed"
    ] = "",
    task_type: Literal["", "Incident", "Service Request", "Problem"] = "",
    category: Literal["", "hardware", "software", "network", "account", "access", "security"] = "",
    sla_breached: bool = False,
) -> dict[str, Any]:
    """Query records; `total` is of all that match, and a page of 20 is given, the earliest due date first.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        caller_id: only records of this user (sys_id).
        assignment_group: only records of this group.
        assigned_to: only records of this user (sys_id).
        cmdb_ci: only records about this configuration item, e.g. LT-2000.
        short_description: only records with this short description, or with this text in it when none has it.
        state: only records in this state.
        task_type: only records of this type.
        category: only records of this category.
        sla_breached: only new and in-progress records that are past their due date.
    """
    viewer, now = _get("people", session_sys_id), _now()
    if viewer["role"] == "requester":
        if caller_id not in ["", session_sys_id]:
            raise ValueError("query_tickets: access denied, callers query their own records")
        caller_id = session_sys_id
    state_of = {shown: name for name, shown in STATES.items()}
    type_of = {shown: name for name, shown in TASK_TYPES.items()}
    match = {
        "requester_id": caller_id,
        "queue_id": assignment_group,
        "assignee_id": assigned_to,
        "asset_id": cmdb_ci,
        "status": state_of.get(state, ""),
        "kind": type_of.get(task_type, ""),
        "category": category,
    }
    match = {name: value for name, value in match.items() if value}
    text = short_description.strip()
    if not [name for name in match if name.endswith("_id")] and not text:
        raise ValueError(
            "query_tickets: too broad, give a caller, group, assignee, item or description"
        )
    exact = db.find("tickets", {**match, "subject": text}) if text else []
    if not exact and text and not match:
        raise ValueError(f"query_tickets: nothing is described as {text!r}")
    rows = exact or [t for t in db.find("tickets", match) if text.lower() in t["subject"].lower()]
    rows = [t for t in rows if _is_late(t, now)] if sla_breached else rows
    rows = sorted(rows, key=lambda t: (t["resolve_due"], t["ticket_id"]))
    opened = sorted([t["created"] for t in rows])
    return {
        "total": len(rows),
        "earliest_opened_at": opened[0] if opened else None,
        "result": [_record(t, now) for t in rows[:PAGE]],
    }


def open_record(session_sys_id: str, number: str) -> dict[str, Any]:
    """Open a record with everything in it: fields, clocks, journal, activity, approvals, incidents of a problem.

    Callers see their own records, and no work notes.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
    """
    viewer, ticket = _readable(session_sys_id, number)
    return _whole(ticket, viewer)


# Updates


def create_record(
    session_sys_id: str,
    assignment_group: str,
    short_description: str,
    task_type: Literal["Incident", "Service Request", "Problem"],
    category: Literal["hardware", "software", "network", "account", "access", "security"],
    priority: Literal["1 - Critical", "2 - High", "3 - Moderate", "4 - Low"],
    description: str = "",
    caller_id: str = "",
    cmdb_ci: str = "",
    follow_up_of: str = "",
) -> dict[str, Any]:
    """Create a record.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        assignment_group: the group that handles it, from query_groups.
        short_description: the title.
        task_type: the type of record.
        category: what it is about.
        priority: how soon it must be resolved.
        description: what the caller says about it, the first entry of the journal.
        caller_id: the sys_id of the user whose record it is; your own when left out.
        cmdb_ci: the configuration item, or device, that it is about.
        follow_up_of: the number of the closed record that it follows up.
    """
    fields = {
        "kind": {shown: name for name, shown in TASK_TYPES.items()}[task_type],
        "subject": short_description.strip(),
        "category": category,
        "priority": {shown: name for name, shown in PRIORITIES.items()}[priority],
        "requester_id": _get("people", caller_id or session_sys_id)["person_id"],
        "queue_id": _get("queues", assignment_group)["queue_id"],
        "asset_id": _get("assets", cmdb_ci)["asset_id"] if cmdb_ci else None,
        "follows": _get("tickets", follow_up_of)["ticket_id"] if follow_up_of else None,
    }
    return _whole(
        _created(_get("people", session_sys_id), fields, description),
        _get("people", session_sys_id),
    )


def update_record(
    session_sys_id: str,
    number: str,
    state: Literal["", "In Progress", "Awaiting Caller", "On Hold"] = "",
    priority: Literal["", "1 - Critical", "2 - High", "3 - Moderate", "4 - Low"] = "",
    assigned_to: str = "",
    assignment_group: str = "",
    problem: str = "",
    tag: str = "",
    comments: str = "",
    work_notes: str = "",
) -> dict[str, Any]:
    """Update a record with any of these fields at once; what is left out stays. Due dates follow by themselves.

    The caller may add comments and take a resolved record back into progress, and nothing else.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
        state: the new state; see resolve_record for resolving.
        priority: the new priority.
        assigned_to: the sys_id of a member of the record's group.
        assignment_group: another group of the same level; then nobody is assigned.
        problem: the number of the problem that causes this incident.
        tag: a tag to put on it.
        comments: a comment that the caller reads.
        work_notes: a note that only the desk reads.
    """
    actor, ticket = _readable(session_sys_id, number)
    staff_only = [priority, assigned_to, assignment_group, problem, tag, work_notes]
    if not any([state, comments, *staff_only]):
        raise ValueError("update_record: no field given")
    if actor["role"] == "requester" and (any(staff_only) or state not in ["", "In Progress"]):
        raise ValueError("update_record: access denied, callers comment and reopen only")
    if actor["role"] == "requester" and state and ticket["status"] not in ["solved", "closed"]:
        raise ValueError(f"update_record: {number} is not resolved, there is nothing to reopen")
    _refuse_closed(ticket)
    if ticket["status"] == "solved" and any(staff_only[:-1]) and not state:
        raise ValueError(f"update_record: {number} is Resolved, take it back into progress first")
    fields = _fields(ticket, priority, assignment_group, assigned_to, tag)
    if problem:
        fields = {**fields, **_link(ticket, _get("tickets", problem))}
    if state:
        name = {shown: name for name, shown in STATES.items()}[state]
        fields = {**fields, **_status_fields(ticket, name)}
    elif assigned_to and ticket["status"] == "new":
        fields["status"] = "open"
    for text, public in [(comments, True), (work_notes, False)]:
        if text:
            _write(actor, ticket, text, public)
            ticket = db.get("tickets", number)
    return _whole(_save(session_sys_id, ticket, fields), actor)


def resolve_record(
    session_sys_id: str, number: str, close_notes: str = "", with_incidents: bool = False
) -> dict[str, Any]:
    """Resolve a record. A problem takes its incidents along if asked to.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
        close_notes: what was done, as the caller reads it; with a problem, the callers of its incidents.
        with_incidents: of a problem, also resolve its incidents that are new, in progress or on hold; those that await
            their caller stay.
    """
    actor, ticket = _workable(session_sys_id, number)
    is_problem = ticket["kind"] == "problem"
    taken = [t for t in _incidents(number) if with_incidents and t["status"] in RUNNING]
    told = taken if is_problem else [ticket]
    for each in [*taken, ticket]:
        if "solved" not in MOVES[each["status"]]:
            raise ValueError(_why_not(each["ticket_id"], each["status"], "solved"))
        _refuse_solving(each, bool(close_notes.strip()), [t["ticket_id"] for t in taken])
    for each in told if close_notes.strip() else []:
        _write(actor, each, close_notes, True)
    for each in [*taken, ticket]:
        row = db.get("tickets", each["ticket_id"])
        ticket = _save(session_sys_id, row, _status_fields(row, "solved"))
    return _whole(ticket, actor)


def escalate_record(session_sys_id: str, number: str, work_notes: str) -> dict[str, Any]:
    """Escalate a record one level, to the escalation group of its own; nobody is assigned there yet.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
        work_notes: why, for the desk to read.
    """
    actor, ticket = _workable(session_sys_id, number)
    return _whole(_escalated(actor, ticket, work_notes), actor)


def mark_duplicate(session_sys_id: str, number: str, duplicate_of: str) -> dict[str, Any]:
    """Close a record as the duplicate of an older one, whose journal gets a work note about it.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the younger record, which is closed.
        duplicate_of: the number of the older record, which goes on.
    """
    actor, ticket = _workable(session_sys_id, number)
    return _whole(_merged(actor, ticket, _get("tickets", duplicate_of)), actor)


def apply_template(session_sys_id: str, number: str, template: str) -> dict[str, Any]:
    """Apply a template to a record: its state, its tag and its comment.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
        template: the template's name, such as query_groups or any other list gives it.
    """
    actor, ticket = _workable(session_sys_id, number)
    found = db.find("macros", {"name": template})
    if not found:
        raise ValueError(f"apply_template: no template is called {template!r}")
    fields = _macro_fields(found[0], ticket)
    if found[0]["comment"]:
        _write(actor, ticket, found[0]["comment"], True)
        ticket = db.get("tickets", number)
    return _whole(_save(session_sys_id, ticket, fields), actor)


def ask_approval(
    session_sys_id: str, number: str, approver: str, access_group: str = ""
) -> dict[str, Any]:
    """Ask a user to approve what the caller of a record wants.

    Args:
        session_sys_id: your own sys_id, in whose name this is done.
        number: the record's number.
        approver: the sys_id of the user to ask.
        access_group: the id of the group of accounts that it is about; left out for a new second factor.
    """
    actor, ticket = _workable(session_sys_id, number)
    if access_group:
        _get("groups", access_group)
    _asked(actor, ticket, _get("people", approver), access_group)
    return _whole(ticket, actor)


# Rows and how they are shown


def _get(table: str, key: str) -> dict[str, Any]:
    row = db.get(table, key)
    if row is None:
        raise ValueError(f"record not found: {table} {key!r}; query for it first")
    return row


def _readable(session_sys_id: str, number: str) -> tuple[dict[str, Any], dict[str, Any]]:
    actor, ticket = _get("people", session_sys_id), _get("tickets", number)
    if actor["role"] == "requester" and ticket["requester_id"] != session_sys_id:
        raise ValueError(f"access denied: {number} belongs to another caller")
    return actor, ticket


def _workable(session_sys_id: str, number: str) -> tuple[dict[str, Any], dict[str, Any]]:
    actor, ticket = _readable(session_sys_id, number)
    if actor["role"] == "requester":
        raise ValueError("access denied: only the desk does this")
    _refuse_closed(ticket)
    if ticket["status"] == "solved":
        raise ValueError(f"{number} is Resolved, take it back into progress first")
    return actor, ticket


def _refuse_closed(ticket: dict[str, Any]) -> None:
    if ticket["status"] == "closed":
        raise ValueError(f"{ticket['ticket_id']} is Closed and read-only for good: {FOLLOW_UP}")


def _why_not(key: str, old: str, status: str) -> str:
    reach = " or ".join(STATES[name] for name in MOVES[old]) or "nowhere"
    return f"invalid transition of {key}: {STATES[old]} to {STATES[status]}; it can go to {reach}"


def _fields(
    ticket: dict[str, Any], priority: str, assignment_group: str, assigned_to: str, tag: str
) -> dict[str, Any]:
    """What an update lays over a record, as its row has it."""
    fields: dict[str, Any] = {}
    if priority:
        fields["priority"] = {shown: name for name, shown in PRIORITIES.items()}[priority]
    if assignment_group:
        queue = _get("queues", assignment_group)
        if queue["queue_id"] != ticket["queue_id"]:
            fields = {**fields, "queue_id": queue["queue_id"], "assignee_id": None}
    if assigned_to:
        queue = _get("queues", fields.get("queue_id", ticket["queue_id"]))
        _refuse_assignee(queue, _get("people", assigned_to))
        fields["assignee_id"] = assigned_to
    if tag.strip() and tag.strip() not in ticket["tags"]:
        fields["tags"] = [*ticket["tags"], tag.strip()]
    return fields


def _user(person: dict[str, Any]) -> dict[str, Any]:
    manager = db.get("people", person["manager_id"]) if person["manager_id"] else None
    return {
        "sys_id": person["person_id"],
        "name": person["name"],
        "email": person["email"],
        "title": person["role"],
        "department": person["team"],
        "time_zone": person["tz"],
        "vip": person["vip"],
        "out_of_office": person["away"],
        "manager_name": manager["name"] if manager else "",
        "manager_email": manager["email"] if manager else "",
    }


def _template(macro: dict[str, Any]) -> dict[str, Any]:
    return {
        "template": macro["name"],
        "owned_by": macro["queue_id"],
        "state": STATES.get(macro["sets_status"] or "", ""),
        "tag": macro["adds_tag"] or "",
        "comments": macro["comment"],
    }


def _roster(queue: dict[str, Any]) -> list[dict[str, Any]]:
    people = [_get("people", key) for key in queue["member_ids"]]
    rows = [
        {
            "sys_id": p["person_id"],
            "name": p["name"],
            "email": p["email"],
            "on_shift": _on_shift(p),
            "in_progress": len(
                db.find("tickets", {"assignee_id": p["person_id"], "status": "open"})
            ),
        }
        for p in people
    ]
    return sorted(rows, key=lambda r: (not r["on_shift"], r["in_progress"], r["name"]))


def _record(ticket: dict[str, Any], now: str) -> dict[str, Any]:
    return {
        "number": ticket["ticket_id"],
        "short_description": ticket["subject"],
        "task_type": TASK_TYPES[ticket["kind"]],
        "category": ticket["category"],
        "state": STATES[ticket["status"]],
        "priority": PRIORITIES[ticket["priority"]],
        "caller_id": ticket["requester_id"],
        "assigned_to": ticket["assignee_id"] or "",
        "assignment_group": ticket["queue_id"],
        "cmdb_ci": ticket["asset_id"] or "",
        "problem": ticket["problem_id"] or "",
        "opened_at": ticket["created"],
        "due_date": ticket["resolve_due"],
        "sla_breached": _is_late(ticket, now),
    }


def _whole(ticket: dict[str, Any], viewer: dict[str, Any]) -> dict[str, Any]:
    key, now, inside = ticket["ticket_id"], _now(), viewer["role"] != "requester"
    caller = _get("people", ticket["requester_id"])
    assignee = db.get("people", ticket["assignee_id"]) if ticket["assignee_id"] else None
    shown = {
        **_record(ticket, now),
        "caller": _user(caller),
        "assignee_name": assignee["name"] if assignee else "",
        "assignee_email": assignee["email"] if assignee else "",
        "group_name": _get("queues", ticket["queue_id"])["name"],
        "escalation": ticket["level"],
        "response_due": ticket["respond_due"],
        "responded_at": ticket["responded"],
        "clock_stopped_at": ticket["stopped"],
        "pause_minutes": ticket["paused_minutes"],
        "resolved_at": ticket["solved"],
        "reopen_count": ticket["reopens"],
        "duplicate_of": ticket["merged_into"] or "",
        "follow_up_of": ticket["follows"] or "",
        "tags": ticket["tags"],
        "journal": _journal(key, inside),
    }
    if not inside:
        return shown
    return {
        **shown,
        "due_at_priority": _tried(ticket),
        "activity": _activity(key),
        "approvals": [_approval(v) for v in db.find("approvals", {"ticket_id": key})],
        **_caused(ticket, now),
    }


def _tried(ticket: dict[str, Any]) -> dict[str, str]:
    """When the record would be due at each priority."""
    found = {}
    for promise in db.find("sla", {}):
        calendar = _calendar(promise, ticket["queue_id"])
        minutes = promise["resolve_minutes"] + ticket["paused_minutes"]
        found[LEVELS[promise["priority"]]] = _later(ticket["created"], minutes, calendar)
    return found


def _caused(ticket: dict[str, Any], now: str) -> dict[str, Any]:
    """The incidents of a problem: what is worked on first, then the earliest due."""
    if ticket["kind"] != "problem":
        return {}
    rows = _incidents(ticket["ticket_id"])
    rows = sorted(rows, key=lambda t: (t["status"] not in RUNNING, t["resolve_due"]))
    return {
        "incidents_awaiting_caller": len([t for t in rows if t["status"] == "pending"]),
        "incidents": [_record(t, now) for t in rows[:PAGE]],
    }


def _journal(key: str, inside: bool) -> list[dict[str, Any]]:
    """What was written about a record, latest first."""
    rows = [c for c in db.find("comments", {"ticket_id": key}) if inside or c["public"]]
    rows = sorted(rows, key=lambda c: (c["at"], c["comment_id"]), reverse=True)
    return [
        {
            "comments" if c["public"] else "work_notes": c["body"],
            "sys_created_on": c["at"],
            "sys_created_by": _get("people", c["author_id"])["email"],
        }
        for c in rows[:PAGE]
    ]


def _activity(key: str) -> dict[str, list[dict[str, Any]]]:
    """What was changed on a record, by field, latest first."""
    rows = sorted(db.find("history", {"ticket_id": key}), key=lambda h: (h["at"], h["change_id"]))
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in FIELDS.values()}
    for row in reversed(rows[-PAGE:]):
        found[FIELDS[row["field"]]].append(
            {
                "was": row["old"],
                "became": row["new"],
                "changed_on": row["at"],
                "changed_by": _get("people", row["by"])["email"],
            }
        )
    return {name: changes for name, changes in found.items() if changes}


def _approval(row: dict[str, Any]) -> dict[str, Any]:
    approver = _get("people", row["approver_id"])
    group = _get("groups", row["group_id"]) if row["group_id"] else None
    return {
        "approval_for": group["name"] if group else "new second factor",
        "access_group": row["group_id"] or "",
        "approver_name": approver["name"],
        "approver_email": approver["email"],
        "approval_state": row["status"],
        "requested_on": row["asked"],
        "decided_on": row["decided"],
    }


# Time


def _now() -> str:
    return clock.utc(clock.now()).isoformat()


def _calendar(promise: dict[str, Any], queue_id: str) -> dict[str, Any]:
    """The hours in which a promise is kept."""
    own = promise["calendar_id"]
    return db.get("calendars", own or db.get("queues", queue_id)["calendar_id"])


def _minute(wall: str) -> int:
    return int(wall[:2]) * 60 + int(wall[3:5])


def _is_always(calendar: dict[str, Any]) -> bool:
    return calendar["closes"] == "24:00" and len(calendar["days"]) == 7


def _is_open(calendar: dict[str, Any], day: date) -> bool:
    return DAYS[day.weekday()] in calendar["days"] and day.isoformat() not in calendar["holidays"]


def _later(start: str, minutes: int, calendar: dict[str, Any]) -> str:
    """The moment at which so many working minutes have passed."""
    if _is_always(calendar):
        return (datetime.fromisoformat(start) + timedelta(minutes=minutes)).isoformat()
    local = clock.local(start, calendar["tz"]).isoformat()
    day, at = date.fromisoformat(local[:10]), _minute(local[11:16])
    opens, closes = _minute(calendar["opens"]), _minute(calendar["closes"])
    for _ in range(HORIZON):
        begins = max(at, opens)
        if _is_open(calendar, day) and begins < closes:
            if minutes <= closes - begins:
                end = begins + minutes
                wall = f"{day.isoformat()}T{end // 60:02}:{end % 60:02}"
                return clock.utc(wall, calendar["tz"]).isoformat()
            minutes -= closes - begins
        day, at = day + timedelta(days=1), 0
    raise ValueError("That is more than ten years away.")


def _worked(start: str, end: str, calendar: dict[str, Any]) -> int:
    """The working minutes between two moments."""
    if _is_always(calendar):
        span = datetime.fromisoformat(end) - datetime.fromisoformat(start)
        return int(span.total_seconds() // 60)
    first = clock.local(start, calendar["tz"]).isoformat()
    last = clock.local(end, calendar["tz"]).isoformat()
    day, until = date.fromisoformat(first[:10]), date.fromisoformat(last[:10])
    opens, closes = _minute(calendar["opens"]), _minute(calendar["closes"])
    at, found = _minute(first[11:16]), 0
    while day <= until:
        ends = min(closes, _minute(last[11:16])) if day == until else closes
        if _is_open(calendar, day):
            found += max(0, ends - max(at, opens))
        day, at = day + timedelta(days=1), 0
    return found


def _dues(ticket: dict[str, Any]) -> dict[str, str]:
    """Both due moments as the priority promises them, from the creation on."""
    promise = db.get("sla", ticket["priority"])
    calendar = _calendar(promise, ticket["queue_id"])
    resolve = promise["resolve_minutes"] + ticket["paused_minutes"]
    return {
        "respond_due": _later(ticket["created"], promise["respond_minutes"], calendar),
        "resolve_due": _later(ticket["created"], resolve, calendar),
    }


def _is_late(ticket: dict[str, Any], now: str) -> bool:
    return ticket["status"] in ["new", "open"] and ticket["resolve_due"] < now


# Changing a ticket


def _save(by: str, ticket: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Lay fields over a ticket, its due moments with them, and note in the history what changed."""
    laid = {**ticket, **fields}
    if any(name in fields for name in ["priority", "queue_id", "paused_minutes"]):
        laid = {**laid, **_dues(laid)}
    changed = {name: laid[name] for name in laid if laid[name] != ticket[name]}
    for name in LOGGED:
        if name in changed:
            row = {
                "change_id": db.next_id("history", "H"),
                "ticket_id": ticket["ticket_id"],
                "at": _now(),
                "by": by,
                "field": name,
                "old": str(ticket[name] or ""),
                "new": str(changed[name] or ""),
            }
            db.insert("history", row)
    return db.update("tickets", ticket["ticket_id"], changed)


def _started(ticket: dict[str, Any], since: str) -> dict[str, int]:
    calendar = _calendar(db.get("sla", ticket["priority"]), ticket["queue_id"])
    return {"paused_minutes": ticket["paused_minutes"] + _worked(since, _now(), calendar)}


def _status_fields(ticket: dict[str, Any], status: str) -> dict[str, Any]:
    """What changes with the status; a refusal where it must not."""
    key, old = ticket["ticket_id"], ticket["status"]
    if status not in MOVES[old]:
        raise ValueError(_why_not(key, old, status))
    if status == "solved":
        _refuse_solving(ticket, False, [])
    fields: dict[str, Any] = {"status": status}
    if old == "solved":
        age = clock.now() - datetime.fromisoformat(ticket["solved"])
        if age > timedelta(days=REOPEN_DAYS):
            raise ValueError(f"{key} was solved more than {REOPEN_DAYS} days ago: {FOLLOW_UP}")
        fields = {**fields, "solved": None, "reopens": ticket["reopens"] + 1}
        fields = {**fields, **_started(ticket, ticket["solved"])}
    if ticket["stopped"]:
        fields = {**fields, "stopped": None, **_started(ticket, ticket["stopped"])}
    if status in ["pending", "on_hold"]:
        fields["stopped"] = _now()
    if status == "solved":
        fields["solved"] = _now()
    return fields


def _refuse_solving(ticket: dict[str, Any], is_told: bool, solved_too: list[str]) -> None:
    """Refuse what cannot be solved yet; `is_told`: the requester is about to hear of it."""
    key = ticket["ticket_id"]
    if ticket["assignee_id"] is None:
        raise ValueError(f"{key} has no assignee: assign it first.")
    if ticket["kind"] == "problem":
        left = [t["ticket_id"] for t in _incidents(key) if t["status"] in RUNNING]
        left = [each for each in left if each not in solved_too]
        if left:
            raise ValueError(f"Incidents of {key} are not solved yet: {', '.join(left)}.")
        return
    told = [c for c in db.find("comments", {"ticket_id": key}) if c["public"]]
    if not is_told and not any(c["author_id"] != ticket["requester_id"] for c in told):
        raise ValueError(f"Nobody has told the requester of {key} anything: {TELL}")


def _incidents(problem_id: str) -> list[dict[str, Any]]:
    return db.find("tickets", {"problem_id": problem_id})


def _write(by: dict[str, Any], ticket: dict[str, Any], body: str, public: bool) -> dict[str, Any]:
    """Add a comment. The desk's first public one is the response; the requester's own wakes a pending ticket."""
    key = ticket["ticket_id"]
    if ticket["status"] == "closed":
        raise ValueError(f"{key} is closed, nothing is added to it: {FOLLOW_UP}")
    if not body.strip():
        raise ValueError("The text is empty.")
    row = {
        "comment_id": db.next_id("comments", "C"),
        "ticket_id": key,
        "author_id": by["person_id"],
        "public": public,
        "body": body.strip(),
        "at": _now(),
    }
    comment = db.insert("comments", row)
    answers = public and by["person_id"] != ticket["requester_id"]
    if answers and ticket["responded"] is None:
        _save(by["person_id"], ticket, {"responded": _now()})
    if by["person_id"] == ticket["requester_id"] and public and ticket["status"] == "pending":
        _save(by["person_id"], ticket, _status_fields(ticket, "open"))
    return comment


def _refuse_assignee(queue: dict[str, Any], person: dict[str, Any]) -> None:
    if person["person_id"] not in [*queue["member_ids"], queue["lead_id"]]:
        raise ValueError(f"{person['name']} is not a member of {queue['name']}.")
    if person["away"]:
        raise ValueError(f"{person['name']} is away.")


def _merged(by: dict[str, Any], ticket: dict[str, Any], into: dict[str, Any]) -> dict[str, Any]:
    """Close a ticket as merged into another, which gets an internal note about it."""
    for each in [ticket, into]:
        if each["status"] == "closed":
            raise ValueError(f"{each['ticket_id']} is closed: closed tickets are never merged.")
    if into["ticket_id"] == ticket["ticket_id"]:
        raise ValueError("A ticket is not merged into itself.")
    if "problem" in [ticket["kind"], into["kind"]]:
        raise ValueError("Problems are not merged; incidents are linked to them.")
    if into["created"] > ticket["created"]:
        raise ValueError(
            f"{into['ticket_id']} is younger than {ticket['ticket_id']}: merge the younger one into the older."
        )
    fields: dict[str, Any] = {"status": "closed", "merged_into": into["ticket_id"]}
    if ticket["stopped"]:
        fields = {**fields, "stopped": None, **_started(ticket, ticket["stopped"])}
    note = f"{ticket['ticket_id']} ({ticket['subject']}) was merged into this one."
    _write(by, into, note, False)
    return _save(by["person_id"], ticket, fields)


def _link(ticket: dict[str, Any], problem: dict[str, Any]) -> dict[str, str]:
    """The field that links an incident to a problem; a refusal where that makes no sense."""
    key = problem["ticket_id"]
    if problem["kind"] != "problem" or ticket["kind"] != "incident":
        raise ValueError("Only an incident is linked, and only to a problem.")
    if problem["status"] in ["solved", "closed"] or ticket["status"] == "closed":
        raise ValueError(f"{key} or {ticket['ticket_id']} is over: link what is still worked on.")
    if ticket["problem_id"] == key:
        raise ValueError(f"{ticket['ticket_id']} belongs to {key} already.")
    return {"problem_id": key}


def _escalated(by: dict[str, Any], ticket: dict[str, Any], why: str) -> dict[str, Any]:
    """Hand a ticket one level up, to the queue that its own escalates to, without an assignee."""
    key, queue = ticket["ticket_id"], db.get("queues", ticket["queue_id"])
    if ticket["status"] not in ["new", "open"]:
        raise ValueError(f"{key} is {ticket['status']}; only new and open tickets are escalated.")
    if queue["escalates_to"] is None or ticket["level"] >= 3:
        raise ValueError(f"{queue['name']} is the last level: nobody stands above it.")
    _write(by, ticket, why, False)
    fields = {
        "queue_id": queue["escalates_to"],
        "level": ticket["level"] + 1,
        "assignee_id": None,
    }
    return _save(by["person_id"], ticket, fields)


def _macro_fields(macro: dict[str, Any], ticket: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if macro["adds_tag"] and macro["adds_tag"] not in ticket["tags"]:
        fields["tags"] = [*ticket["tags"], macro["adds_tag"]]
    if macro["sets_status"] and macro["sets_status"] != ticket["status"]:
        fields = {**fields, **_status_fields(ticket, macro["sets_status"])}
    return fields


def _created(by: dict[str, Any], fields: dict[str, Any], body: str) -> dict[str, Any]:
    """A new ticket with its first comment."""
    if by["role"] == "requester" and fields["requester_id"] != by["person_id"]:
        raise ValueError("You open tickets for yourself only.")
    if not fields["subject"].strip():
        raise ValueError("A ticket needs a subject.")
    if fields["kind"] == "problem" and by["role"] == "requester":
        raise ValueError("Problems are opened by the desk.")
    if fields["follows"]:
        old = db.get("tickets", fields["follows"])
        if old["status"] != "closed" or old["requester_id"] != fields["requester_id"]:
            raise ValueError(f"{old['ticket_id']} is not a closed ticket of this requester.")
    row = {
        **fields,
        "ticket_id": db.next_id("tickets", "T"),
        "status": "new",
        "assignee_id": None,
        "level": 1,
        "created": _now(),
        "responded": None,
        "stopped": None,
        "paused_minutes": 0,
        "solved": None,
        "reopens": 0,
        "problem_id": None,
        "merged_into": None,
        "tags": [],
    }
    ticket = db.insert("tickets", {**row, **_dues(row)})
    if body.strip():
        _write(by, ticket, body, True)
    return db.get("tickets", ticket["ticket_id"])


def _asked(
    by: dict[str, Any], ticket: dict[str, Any], approver: dict[str, Any], group_id: str
) -> dict[str, Any]:
    key, person = ticket["ticket_id"], ticket["requester_id"]
    if ticket["status"] in ["solved", "closed"]:
        raise ValueError(f"{key} is {ticket['status']}: nothing is approved on it any more.")
    if approver["person_id"] == person:
        raise ValueError("Nobody approves for themselves.")
    for each in db.find("approvals", {"ticket_id": key, "approver_id": approver["person_id"]}):
        if each["status"] != "rejected" and (each["group_id"] or "") == group_id:
            raise ValueError(f"{approver['name']} has been asked already ({each['status']}).")
    row = {
        "approval_id": db.next_id("approvals", "V"),
        "ticket_id": key,
        "for_id": person,
        "group_id": group_id or None,
        "approver_id": approver["person_id"],
        "status": "pending",
        "asked": _now(),
        "decided": None,
    }
    return db.insert("approvals", row)


def _on_shift(person: dict[str, Any]) -> bool:
    if person["away"] or not person["shift_id"]:
        return False
    shift = db.get("shifts", person["shift_id"])
    local = clock.local(clock.now(), shift["tz"])
    wall = local.isoformat()[11:16]
    return DAYS[local.weekday()] in shift["days"] and shift["starts"] <= wall < shift["ends"]
