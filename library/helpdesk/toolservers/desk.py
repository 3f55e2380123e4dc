# about:
#   title: A ticket system of many small calls
#   notes: >-
#     Tickets, comments and queues by their ids; every call is made in one person's name. It knows
#     which moves a status allows and what the clocks do; what is a matter of policy it leaves to the
#     rules.

"""Tickets: many small calls, each about one thing."""

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
REOPEN_DAYS = 7
HORIZON = 3660
SHOWN = 20
FOLLOW_UP = "create_follow_up opens one that names it."
TELL = "add_comment first, public."


# Looking things up


def find_people(name_or_email: str) -> list[dict[str, Any]]:
    """Find people by name or e-mail address, or part of either. Names are not unique; addresses are.

    Args:
        name_or_email: a name or an e-mail address.
    """
    wanted = name_or_email.strip().lower()
    if len(wanted) < 2:
        raise ValueError("Give at least two letters of a name or an e-mail address.")
    exact = db.find("people", {"email": wanted})
    found = exact or [
        p for p in db.find("people", {}) if wanted in f"{p['name']} {p['email']}".lower()
    ]
    names = ["person_id", "name", "email", "role", "team", "tz", "vip", "away"]
    return [
        {**{name: p[name] for name in names}, "manager": _brief(p["manager_id"])}
        for p in found[:SHOWN]
    ]


def list_queues(
    name: str = "",
    handles: Literal["", "hardware", "software", "network", "account", "access", "security"] = "",
) -> list[dict[str, Any]]:
    """List the queues: what each handles, its lead, where it escalates to, and its calendar.

    Args:
        name: only queues with this name, or with this text in it when none has it.
        handles: only queues that handle this category.
    """
    rows = db.find("queues", {"handles[]": handles} if handles else {})
    wanted = name.strip().lower()
    exact = [q for q in rows if q["name"].lower() == wanted]
    found = exact or [q for q in rows if wanted in q["name"].lower()]
    return [
        {
            "queue_id": q["queue_id"],
            "name": q["name"],
            "handles": q["handles"],
            "lead": _brief(q["lead_id"]),
            "escalates_to": q["escalates_to"],
            "calendar": db.get("calendars", q["calendar_id"]),
        }
        for q in found
    ]


def queue_workload(queue_id: str) -> dict[str, Any]:
    """Show the members of a queue with the open tickets of each; those on shift first, then the fewest, then by name.

    Args:
        queue_id: the queue, from list_queues or a ticket.
    """
    queue = _queue(queue_id)
    members = [_person(key) for key in queue["member_ids"]]
    rows = [
        {
            "person_id": p["person_id"],
            "name": p["name"],
            "email": p["email"],
            "on_shift": _on_shift(p),
            "open_tickets": len(
                db.find("tickets", {"assignee_id": p["person_id"], "status": "open"})
            ),
        }
        for p in members
    ]
    rows = sorted(rows, key=lambda r: (not r["on_shift"], r["open_tickets"], r["name"]))
    return {"queue_id": queue_id, "name": queue["name"], "members": rows}


def search_tickets(
    acting_person_id: str,
    requester_id: str = "",
    queue_id: str = "",
    assignee_id: str = "",
    device_id: str = "",
    subject: str = "",
    status: Literal["", "new", "open", "pending", "on_hold", "solved", "closed"] = "",
    kind: Literal["", "incident", "request", "problem"] = "",
    category: Literal["", "hardware", "software", "network", "account", "access", "security"] = "",
    only_overdue: bool = False,
) -> dict[str, Any]:
    """Search tickets; `count` is of all that were found, and the first 20 are shown, the earliest due first.

    Requesters see their own tickets only.

    Args:
        acting_person_id: the person in whose name you look.
        requester_id: only tickets of this person.
        queue_id: only tickets in this queue.
        assignee_id: only tickets assigned to this person.
        device_id: only tickets about this device, e.g. LT-2000.
        subject: only tickets with this subject, or with this text in it when none has it.
        status: only tickets with this status.
        kind: only tickets of this kind.
        category: only tickets of this category.
        only_overdue: only new and open tickets that are past the moment at which they were to be resolved.
    """
    viewer, now = _person(acting_person_id), _now()
    if viewer["role"] == "requester":
        if requester_id not in ["", acting_person_id]:
            raise ValueError("Requesters see their own tickets only.")
        requester_id = acting_person_id
    wanted = {
        "requester_id": requester_id,
        "queue_id": queue_id,
        "assignee_id": assignee_id,
        "asset_id": device_id,
        "status": status,
        "kind": kind,
        "category": category,
    }
    wanted = {name: value for name, value in wanted.items() if value}
    if not [name for name in wanted if name.endswith("_id")] and not subject.strip():
        raise ValueError(
            "Say whose tickets, of which queue, about which device or with which subject."
        )
    found = _with_subject(wanted, subject)
    found = [t for t in found if _is_late(t, now)] if only_overdue else found
    found = sorted(found, key=lambda t: (t["resolve_due"], t["ticket_id"]))
    return {
        "count": len(found),
        "first_created": min([t["created"] for t in found], default=None),
        "tickets": [_summary(t, now) for t in found[:SHOWN]],
    }


def get_ticket(acting_person_id: str, ticket_id: str) -> dict[str, Any]:
    """Show a ticket: who has it, its clocks, what it belongs to, and the incidents of a problem.

    Args:
        acting_person_id: the person in whose name you look.
        ticket_id: the ticket.
    """
    return _details(_seen(acting_person_id, ticket_id))


def list_comments(acting_person_id: str, ticket_id: str) -> list[dict[str, Any]]:
    """List the comments of a ticket, latest first. Requesters are not shown internal notes.

    Args:
        acting_person_id: the person in whose name you look.
        ticket_id: the ticket.
    """
    _seen(acting_person_id, ticket_id)
    rows = db.find("comments", {"ticket_id": ticket_id})
    if _person(acting_person_id)["role"] == "requester":
        rows = [c for c in rows if c["public"]]
    rows = sorted(rows, key=lambda c: (c["at"], c["comment_id"]), reverse=True)
    return [{**c, "author": _brief(c["author_id"])} for c in rows[:SHOWN]]


def list_changes(acting_person_id: str, ticket_id: str, field: str = "") -> list[dict[str, Any]]:
    """List what was changed on a ticket, by whom and when, latest first.

    Args:
        acting_person_id: the person in whose name you look.
        ticket_id: the ticket.
        field: only changes of this field, such as priority, status or assignee_id.
    """
    _seen(acting_person_id, ticket_id)
    rows = [h for h in db.find("history", {"ticket_id": ticket_id}) if field in ["", h["field"]]]
    rows = sorted(rows, key=lambda h: (h["at"], h["change_id"]), reverse=True)
    return [{**h, "by": _brief(h["by"])} for h in rows[:SHOWN]]


def list_approvals(acting_person_id: str, ticket_id: str) -> list[dict[str, Any]]:
    """List what was asked to be approved on a ticket, by whom, for which group, and what became of it.

    Args:
        acting_person_id: the person in whose name you look.
        ticket_id: the ticket.
    """
    _seen(acting_person_id, ticket_id)
    return [
        {
            **v,
            "group": db.get("groups", v["group_id"])["name"] if v["group_id"] else None,
            "approver": _brief(v["approver_id"]),
        }
        for v in db.find("approvals", {"ticket_id": ticket_id})
    ]


def list_macros(name: str = "") -> list[dict[str, Any]]:
    """List the macros: the queue that each belongs to (null: all), and what it sets and says.

    Args:
        name: only macros with this name, or with this text in it when none has it.
    """
    rows, wanted = db.find("macros", {}), name.strip().lower()
    exact = [m for m in rows if m["name"].lower() == wanted]
    return exact or [m for m in rows if wanted in m["name"].lower()]


def preview_due(
    acting_person_id: str, ticket_id: str, priority: Literal["low", "normal", "high", "urgent"]
) -> dict[str, Any]:
    """Show when a ticket would be due at another priority; nothing is changed.

    Args:
        acting_person_id: the person in whose name you look.
        ticket_id: the ticket.
        priority: the priority to try.
    """
    ticket = _seen(acting_person_id, ticket_id)
    dues = _dues({**ticket, "priority": priority})
    return {
        "ticket_id": ticket_id,
        "priority": priority,
        **dues,
        "overdue": _is_late({**ticket, **dues}, _now()),
    }


# Changing things


def create_ticket(
    acting_person_id: str,
    queue_id: str,
    subject: str,
    kind: Literal["incident", "request", "problem"],
    category: Literal["hardware", "software", "network", "account", "access", "security"],
    priority: Literal["low", "normal", "high", "urgent"],
    description: str = "",
    requester_id: str = "",
    device_id: str = "",
) -> dict[str, Any]:
    """Open a ticket.

    Args:
        acting_person_id: the person in whose name you act.
        queue_id: the queue that handles it, from list_queues.
        subject: a short title.
        kind: what sort of ticket it is.
        category: what it is about.
        priority: how soon it must be resolved.
        description: what there is to say about it; becomes the first public comment.
        requester_id: the person whose ticket it is; yourself when left out.
        device_id: the device that it is about.
    """
    fields = {
        "kind": kind,
        "subject": subject.strip(),
        "category": category,
        "priority": priority,
        "requester_id": _person(requester_id or acting_person_id)["person_id"],
        "queue_id": _queue(queue_id)["queue_id"],
        "asset_id": _asset(device_id)["asset_id"] if device_id else None,
        "follows": None,
    }
    return _details(_created(_person(acting_person_id), fields, description))


def create_follow_up(
    acting_person_id: str,
    ticket_id: str,
    subject: str,
    priority: Literal["low", "normal", "high", "urgent"],
    description: str = "",
) -> dict[str, Any]:
    """Open a follow-up to a closed ticket, of the same requester, kind, queue and category.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the closed ticket.
        subject: a short title.
        priority: how soon it must be resolved.
        description: the description; becomes the first public comment.
    """
    old = _seen(acting_person_id, ticket_id)
    fields = {
        **{name: old[name] for name in ["kind", "category", "requester_id", "queue_id"]},
        "subject": subject.strip(),
        "priority": priority,
        "asset_id": None,
        "follows": ticket_id,
    }
    return _details(_created(_person(acting_person_id), fields, description))


def add_comment(acting_person_id: str, ticket_id: str, body: str, public: bool) -> dict[str, Any]:
    """Add a comment to a ticket: a public one goes to the requester, an internal note stays with the desk.

    Args:
        acting_person_id: the person in whose name you write.
        ticket_id: the ticket.
        body: the text.
        public: whether the requester sees it.
    """
    ticket, actor = _seen(acting_person_id, ticket_id), _person(acting_person_id)
    if actor["role"] == "requester" and not public:
        raise ValueError("Requesters write public comments only.")
    return _write(actor, ticket, body, public)


def set_status(
    acting_person_id: str, ticket_id: str, status: Literal["open", "pending", "on_hold", "solved"]
) -> dict[str, Any]:
    """Move a ticket to another status. Pending and on hold stop its clock.

    Requesters may only reopen their own solved tickets, within 7 days.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        status: the new status.
    """
    ticket, actor = _seen(acting_person_id, ticket_id), _person(acting_person_id)
    reopens = status == "open" and ticket["status"] in ["solved", "closed"]
    if actor["role"] == "requester" and not reopens:
        raise ValueError("Requesters can only reopen a solved ticket of theirs.")
    return _details(_save(acting_person_id, ticket, _status_fields(ticket, status)))


def set_priority(
    acting_person_id: str, ticket_id: str, priority: Literal["low", "normal", "high", "urgent"]
) -> dict[str, Any]:
    """Give a ticket another priority; both due moments are counted anew from its creation.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        priority: the new priority.
    """
    ticket = _workable(acting_person_id, ticket_id)
    if ticket["priority"] == priority:
        raise ValueError(f"{ticket_id} has the priority {priority} already.")
    return _details(_save(acting_person_id, ticket, {"priority": priority}))


def assign_ticket(acting_person_id: str, ticket_id: str, assignee_id: str) -> dict[str, Any]:
    """Give a ticket to a member of its queue; a new ticket becomes open.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        assignee_id: the person who works on it from now on.
    """
    ticket, person = _workable(acting_person_id, ticket_id), _person(assignee_id)
    _refuse_assignee(_queue(ticket["queue_id"]), person)
    if ticket["assignee_id"] == assignee_id:
        raise ValueError(f"{person['name']} has {ticket_id} already.")
    fields: dict[str, Any] = {"assignee_id": assignee_id}
    if ticket["status"] == "new":
        fields["status"] = "open"
    return _details(_save(acting_person_id, ticket, fields))


def move_ticket(acting_person_id: str, ticket_id: str, queue_id: str) -> dict[str, Any]:
    """Move a ticket to another queue on the same level, without an assignee; its due moments follow the calendar there.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        queue_id: the queue, from list_queues.
    """
    ticket, queue = _workable(acting_person_id, ticket_id), _queue(queue_id)
    if ticket["queue_id"] == queue_id:
        raise ValueError(f"{ticket_id} is in {queue['name']} already.")
    return _details(_save(acting_person_id, ticket, {"queue_id": queue_id, "assignee_id": None}))


def merge_tickets(acting_person_id: str, ticket_id: str, into_id: str) -> dict[str, Any]:
    """Merge a ticket into an older one: it is closed, its comments stay with it, an internal note tells of it.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the younger ticket, which is closed.
        into_id: the older ticket, which goes on.
    """
    ticket, into = _workable(acting_person_id, ticket_id), _seen(acting_person_id, into_id)
    return _details(_merged(_person(acting_person_id), ticket, into))


def link_incident(acting_person_id: str, ticket_id: str, problem_id: str) -> dict[str, Any]:
    """Say that an incident is caused by a problem.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the incident.
        problem_id: the problem, a ticket of that kind.
    """
    ticket, problem = _workable(acting_person_id, ticket_id), _seen(acting_person_id, problem_id)
    return _details(_save(acting_person_id, ticket, _link(ticket, problem)))


def apply_macro(acting_person_id: str, ticket_id: str, macro_id: str) -> dict[str, Any]:
    """Apply a macro to a ticket: it sets what it sets and says publicly what it says.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        macro_id: the macro, from list_macros.
    """
    ticket, actor = _workable(acting_person_id, ticket_id), _person(acting_person_id)
    macro = db.get("macros", macro_id)
    if macro is None:
        raise ValueError(f"There is no macro {macro_id!r}; list_macros names them.")
    fields = _macro_fields(macro, ticket)
    if macro["comment"]:
        _write(actor, ticket, macro["comment"], True)
    return _details(_save(acting_person_id, ticket, fields))


def escalate_ticket(acting_person_id: str, ticket_id: str, reason: str) -> dict[str, Any]:
    """Hand a ticket one level up, to the queue that its own escalates to; nobody has it there yet.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        reason: why; becomes an internal note.
    """
    ticket = _workable(acting_person_id, ticket_id)
    return _details(_escalated(_person(acting_person_id), ticket, reason))


def add_tag(acting_person_id: str, ticket_id: str, tag: str) -> dict[str, Any]:
    """Put a tag on a ticket.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        tag: the tag.
    """
    ticket = _workable(acting_person_id, ticket_id)
    if not tag.strip() or tag.strip() in ticket["tags"]:
        raise ValueError(f"{ticket_id} has the tag {tag!r} already, or it is empty.")
    return _details(_save(acting_person_id, ticket, {"tags": [*ticket["tags"], tag.strip()]}))


def request_approval(
    acting_person_id: str, ticket_id: str, approver_id: str, group_id: str = ""
) -> dict[str, Any]:
    """Ask somebody to approve what the requester of a ticket wants.

    Args:
        acting_person_id: the person in whose name you act.
        ticket_id: the ticket.
        approver_id: the person to ask.
        group_id: the group of accounts that it is about; left out for a new second factor.
    """
    ticket = _workable(acting_person_id, ticket_id)
    if group_id and db.get("groups", group_id) is None:
        raise ValueError(f"There is no group {group_id!r}.")
    return _asked(_person(acting_person_id), ticket, _person(approver_id), group_id)


# Rows, or a refusal that says where to look


def _person(person_id: str) -> dict[str, Any]:
    person = db.get("people", person_id)
    if person is None:
        raise ValueError(f"There is no person {person_id!r}; find_people gives the ids.")
    return person


def _queue(queue_id: str) -> dict[str, Any]:
    queue = db.get("queues", queue_id)
    if queue is None:
        raise ValueError(f"There is no queue {queue_id!r}; list_queues names them.")
    return queue


def _asset(asset_id: str) -> dict[str, Any]:
    asset = db.get("assets", asset_id)
    if asset is None:
        raise ValueError(f"There is no device {asset_id!r}.")
    return asset


def _ticket(ticket_id: str) -> dict[str, Any]:
    ticket = db.get("tickets", ticket_id)
    if ticket is None:
        raise ValueError(f"There is no ticket {ticket_id!r}; search_tickets finds them.")
    return ticket


def _seen(viewer_id: str, ticket_id: str) -> dict[str, Any]:
    viewer, ticket = _person(viewer_id), _ticket(ticket_id)
    if viewer["role"] == "requester" and ticket["requester_id"] != viewer_id:
        raise ValueError(f"{ticket_id} is not a ticket of {viewer['name']}.")
    return ticket


def _workable(actor_id: str, ticket_id: str) -> dict[str, Any]:
    actor, ticket = _person(actor_id), _ticket(ticket_id)
    if actor["role"] == "requester":
        raise ValueError(f"{actor['name']} does not work at the desk and cannot change tickets.")
    if ticket["status"] == "closed":
        raise ValueError(f"{ticket_id} is closed and stays as it is: {FOLLOW_UP}")
    if ticket["status"] == "solved":
        raise ValueError(f"{ticket_id} is solved: reopen it with set_status first.")
    return ticket


def _why_not(key: str, old: str, status: str) -> str:
    if old == "closed":
        return f"{key} is closed and is never opened again: {FOLLOW_UP}"
    if old == status:
        return f"{key} is {old} already."
    return (
        f"{key} cannot go from {old} to {status}; from {old} it goes to {' or '.join(MOVES[old])}."
    )


def _brief(person_id: str | None) -> dict[str, Any] | None:
    person = db.get("people", person_id) if person_id else None
    return {name: person[name] for name in ["person_id", "name", "email"]} if person else None


def _with_subject(wanted: dict[str, Any], subject: str) -> list[dict[str, Any]]:
    text = subject.strip()
    exact = db.find("tickets", {**wanted, "subject": text}) if text else []
    if exact:
        return exact
    if text and not wanted:
        raise ValueError(f"No ticket has the subject {text!r}; say whose it is or in which queue.")
    return [t for t in db.find("tickets", wanted) if text.lower() in t["subject"].lower()]


def _summary(ticket: dict[str, Any], now: str) -> dict[str, Any]:
    names = ["ticket_id", "subject", "kind", "category", "status", "priority", "created"]
    more = ["requester_id", "assignee_id", "queue_id", "asset_id", "problem_id", "resolve_due"]
    return {
        **{name: ticket[name] for name in [*names, *more]},
        "overdue": _is_late(ticket, now),
    }


def _details(ticket: dict[str, Any]) -> dict[str, Any]:
    now = _now()
    queue = _queue(ticket["queue_id"])
    return {
        **ticket,
        "requester": {
            **(_brief(ticket["requester_id"]) or {}),
            "vip": _person(ticket["requester_id"])["vip"],
        },
        "assignee": _brief(ticket["assignee_id"]),
        "queue": {"name": queue["name"], "lead": _brief(queue["lead_id"])},
        "overdue": _is_late(ticket, now),
        **_caused(ticket, now),
    }


def _caused(ticket: dict[str, Any], now: str) -> dict[str, Any]:
    """The incidents of a problem: what is worked on first, then the earliest due."""
    if ticket["kind"] != "problem":
        return {}
    rows = _incidents(ticket["ticket_id"])
    rows = sorted(rows, key=lambda t: (t["status"] not in RUNNING, t["resolve_due"]))
    return {
        "pending_incidents": len([t for t in rows if t["status"] == "pending"]),
        "incidents": [_summary(t, now) for t in rows[:SHOWN]],
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
