# about:
#   title: The directory of accounts
#   notes: >-
#     A neighbour of the ticket systems: it knows accounts and groups, and of tickets only that they
#     are there. Whether something was approved it does not ask.

"""Accounts, groups and second factors; every change names the ticket that it is made for."""

from typing import Any


def look_up_account(name_or_email: str) -> list[dict[str, Any]]:
    """Find accounts by user name, or by the name or e-mail address of the person. Names are not unique.

    Args:
        name_or_email: a user name, a name or an e-mail address, or part of it.
    """
    wanted = name_or_email.strip().lower()
    if len(wanted) < 2:
        raise ValueError("LOOKUP-01: give at least two letters.")
    people = db.find("people", {"email": wanted}) or [
        p for p in db.find("people", {}) if wanted in p["name"].lower()
    ]
    owned = [a for p in people[:20] for a in db.find("accounts", {"person_id": p["person_id"]})]
    found = owned or db.find("accounts", {"username": wanted})
    if not found:
        raise ValueError(f"LOOKUP-02: no account belongs to {name_or_email!r}.")
    return [_view(a) for a in found]


def list_groups(name: str = "") -> list[dict[str, Any]]:
    """List groups of accounts with owner, seats and members so far.

    Args:
        name: only groups with this name, or with this text in it when none has it.
    """
    rows, wanted = db.find("groups", {}), name.strip().lower()
    exact = [g for g in rows if g["name"].lower() == wanted]
    found = exact or [g for g in rows if wanted in g["name"].lower()]
    return [
        {
            **g,
            "owner_email": db.get("people", g["owner_id"])["email"],
            "members": len(db.find("accounts", {"groups[]": g["group_id"]})),
        }
        for g in found[:20]
    ]


def unlock_account(operator_person_id: str, account_id: str, ticket_id: str) -> dict[str, Any]:
    """Unlock a locked account.

    Args:
        operator_person_id: the person who does this.
        account_id: the account, from look_up_account.
        ticket_id: the ticket for which it is done.
    """
    account = _for_ticket(operator_person_id, account_id, ticket_id)
    if account["status"] != "locked":
        raise ValueError(f"UNLOCK-01: {account['username']} is not locked.")
    fields = {"status": "active", "lock_reason": None, "locked_at": None}
    return _view(db.update("accounts", account_id, fields))


def reset_second_factor(operator_person_id: str, account_id: str, ticket_id: str) -> dict[str, Any]:
    """Take the second factor off an account, so that the person enrols a new one.

    Args:
        operator_person_id: the person who does this.
        account_id: the account, from look_up_account.
        ticket_id: the ticket for which it is done.
    """
    account = _for_ticket(operator_person_id, account_id, ticket_id)
    if account["second_factor"] == "none":
        raise ValueError(f"FACTOR-01: {account['username']} has no second factor.")
    return _view(db.update("accounts", account_id, {"second_factor": "none"}))


def add_to_group(
    operator_person_id: str, account_id: str, group_id: str, ticket_id: str
) -> dict[str, Any]:
    """Put an account into a group that has a seat left.

    Args:
        operator_person_id: the person who does this.
        account_id: the account, from look_up_account.
        group_id: the group, from list_groups.
        ticket_id: the ticket for which it is done.
    """
    account = _for_ticket(operator_person_id, account_id, ticket_id)
    group = db.get("groups", group_id)
    if group is None:
        raise ValueError(f"GROUP-01: there is no group {group_id!r}; list_groups names them.")
    if group_id in account["groups"]:
        raise ValueError(f"GROUP-02: {account['username']} is in {group['name']} already.")
    taken = len(db.find("accounts", {"groups[]": group_id}))
    if group["seats"] is not None and taken >= group["seats"]:
        raise ValueError(f"GROUP-03: all {group['seats']} seats of {group['name']} are taken.")
    return _view(db.update("accounts", account_id, {"groups": [*account["groups"], group_id]}))


def _for_ticket(operator_person_id: str, account_id: str, ticket_id: str) -> dict[str, Any]:
    """The account; a refusal unless the operator works at the desk and the ticket is the account owner's."""
    operator, account = db.get("people", operator_person_id), db.get("accounts", account_id)
    ticket = db.get("tickets", ticket_id)
    if operator is None or operator["role"] == "requester":
        raise ValueError(f"AUTH-01: {operator_person_id!r} is nobody who works at the desk.")
    if account is None:
        raise ValueError(f"AUTH-02: there is no account {account_id!r}.")
    if ticket is None or ticket["status"] in ["solved", "closed"]:
        raise ValueError(f"AUTH-03: {ticket_id!r} is no ticket that is worked on.")
    if ticket["requester_id"] != account["person_id"]:
        raise ValueError(f"AUTH-04: {ticket_id} is a ticket of somebody else.")
    return account


def _view(account: dict[str, Any]) -> dict[str, Any]:
    person = db.get("people", account["person_id"])
    manager = db.get("people", person["manager_id"]) if person["manager_id"] else None
    return {
        **account,
        "name": person["name"],
        "email": person["email"],
        "team": person["team"],
        "manager_email": manager["email"] if manager else None,
    }
