# about:
#   title: A finance suite with few large calls
#   notes: >
#     The same company as the server `claims` sees it through another product: documents in place of
#     claims, receipts and trips, other names of states, amounts with their currency, whole drafts in
#     one call.

"""Documents of the finance suite: expense reports, receipts, trips; every call names the user that it is made for."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

LATE, TOO_LATE = 60, 90
LARGEST_AMOUNT = 10_000_000
MOST_ENTRIES = 50
OPEN = ["draft", "returned"]
PAGE = 25
STATES = {
    "draft": "draft",
    "submitted": "in_approval",
    "returned": "sent_back",
    "approved": "cleared",
    "rejected": "declined",
    "paid": "settled",
}
KINDS = {
    "lodging": "hotel",
    "meal": "meal",
    "transport": "transport",
    "gift": "gift",
    "other": "other",
    "mileage": "mileage",
    "allowance": "per_diem",
    "reversal": "correction",
}
CATEGORIES = {kind: name for name, kind in KINDS.items()}
ON_RECEIPT = ["hotel", "meal", "transport", "gift", "other"]
STAGES = {"manager": "line manager", "owner": "cost centre", "finance": "finance"}

Row = dict[str, Any]


@dataclass
class Bill:
    """An entry on a receipt; day and amount are those of the receipt."""

    category: Literal["lodging", "meal", "transport", "gift", "other"]
    receipt_id: str
    guests: Annotated[list[str], "who else had part in it; of a gift, who got it"] | None = None
    remark: Annotated[str, "of a bill older than 60 days: why it comes so late"] = ""


@dataclass
class Declared:
    """A small entry without a receipt."""

    category: Literal["meal", "transport", "other"]
    day: str
    amount: float
    currency: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"]
    remark: Annotated[str, "declares what it was and why there is no receipt"]


@dataclass
class Drive:
    """A journey with one's own car."""

    day: str
    km: float
    remark: Annotated[str, "where to and why"]


@dataclass
class Allowance:
    """The per-diem of a trip, with the meals that others provided."""

    trip_id: str
    breakfasts: int
    lunches: int
    dinners: int


@dataclass
class Exchange:
    """Another receipt under an entry that is there."""

    entry_id: str
    receipt_id: Annotated[str, "the right one"]


def find_people(text: str) -> Row:
    """Look up people in the directory. Names are not unique; addresses are.

    Args:
        text: a name or an e-mail address, or part of either.
    """
    return {"hits": _people(text)}


def search(
    user_id: str,
    what: Literal["reports", "receipts", "trips"],
    text: str = "",
    person_id: str = "",
    state: Literal["", "draft", "in_approval", "sent_back", "cleared", "declined", "settled"] = "",
) -> Row:
    """Search reports, receipts or trips; gives short hits, of reports also number and sum.

    Args:
        user_id: person_id of the user.
        what: what to look for; receipts and trips are the user's own.
        text: part of a title, city or vendor, or a whole receipt number.
        person_id: whose reports; the user's own when left out.
        state: only reports in this state.
    """
    user = _employee(user_id)
    wanted = text.strip().lower()
    if what == "reports":
        return _reports(user, _employee(person_id or user_id), wanted, state)
    if what == "receipts":
        return {"hits": _receipts(user, wanted)}
    trips = [_trip(t) for t in db.find("trips", {"employee_id": user_id})]
    hits = [t for t in trips if wanted in t["city"].lower()]
    return {"hits": sorted(hits, key=lambda t: t["from"])[:PAGE]}


def open_document(user_id: str, document_id: str) -> Row:
    """Open a document with everything that belongs to it: a report, receipt, trip, person or cost centre.

    Args:
        user_id: person_id of the user.
        document_id: a report_id, receipt_id, trip_id, person_id or cost_centre_id.
    """
    user = _employee(user_id)
    claim = db.get("claims", document_id)
    if claim is not None:
        owner = _employee(claim["employee_id"])
        if not _may_see(user, owner, claim):
            raise ValueError(f"report {document_id}: not open to {user['name']}")
        return _report(claim)
    receipt = db.get("receipts", document_id)
    if receipt is not None:
        return _open_receipt(user, receipt)
    trip = db.get("trips", document_id)
    if trip is not None:
        if trip["employee_id"] != user_id:
            raise ValueError(f"trip {document_id}: not open to {user['name']}")
        return _trip(trip)
    person = db.get("employees", document_id)
    if person is not None:
        return _person(user, person)
    centre = db.get("cost_centres", document_id)
    if centre is not None:
        return _centre(centre)
    raise ValueError(f"unknown document {document_id!r} (search finds them)")


def quote_rate(
    amount: float,
    currency: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"],
    into: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"],
    day: str,
) -> Row:
    """Work out what an amount is in another currency at the rate of a day; on a week-end the Friday's rate counts.

    Args:
        amount: how much.
        currency: of the amount.
        into: the currency wanted.
        day: YYYY-MM-DD.
    """
    if not 0 <= amount <= LARGEST_AMOUNT:
        raise ValueError(f"amount {amount}: quoted are 0 to {LARGEST_AMOUNT}")
    worth = _convert(amount, currency, into, day)
    return {"value": worth, "currency": into, "fixed_on": _rate_day(day)}


def check_limit(user_id: str, entry_id: str) -> Row:
    """Hold a lodging or meal entry of a report against the limit for its author's grade.

    Args:
        user_id: person_id of the user.
        entry_id: the entry.
    """
    user, line = _employee(user_id), _line(entry_id)
    claim = _claim(line["claim_id"])
    owner = _employee(claim["employee_id"])
    if not _may_see(user, owner, claim):
        raise ValueError(f"report {claim['claim_id']}: not open to {user['name']}")
    if line["kind"] not in ["hotel", "meal"] or not line["receipt_id"]:
        raise ValueError(f"entry {entry_id}: {CATEGORIES[line['kind']]} has no limit of its own")
    receipt = _receipt(line["receipt_id"])
    each = _limit_of(line["kind"], owner, receipt)
    units = receipt["nights"] if line["kind"] == "hotel" else 1 + len(line["guests"])
    most = money(_convert(each, "EUR", claim["currency"], receipt["day"]) * units)
    return {
        "limit_eur": each,
        "times": units,
        "most": {"value": most, "currency": claim["currency"]},
        "verdict": "within" if line["home"] <= most else "above",
    }


def payment_runs(user_id: str, pays_on: str = "") -> Row:
    """List the payment runs of the user's company that accept reports, the next one first.

    Args:
        user_id: person_id of the user.
        pays_on: only the run that pays on this day, YYYY-MM-DD, also when it accepts nothing any more.
    """
    runs = [_run(r) for r in db.find("runs", {"entity_id": _employee(user_id)["entity_id"]})]
    chosen = [r for r in runs if (r["pays_on"] == pays_on if pays_on else r["accepts"])]
    return {"hits": sorted(chosen, key=lambda r: r["closes_after"])}


def new_report(user_id: str, title: str, trip_id: str = "") -> Row:
    """Begin a report of the user's own, in their own cost centre, still without entries.

    Args:
        user_id: person_id of the user.
        title: what the report is called.
        trip_id: the trip that it is about.
    """
    owner, title = _employee(user_id), title.strip()
    if not title:
        raise ValueError("a new report needs a title")
    taken = db.find("claims", {"employee_id": user_id})
    if any(c["title"].lower() == title.lower() for c in taken):
        raise ValueError(f"{owner['name']} has a report {title!r} (search finds it)")
    if trip_id:
        _claimable_trip(owner, trip_id)
    return _report(db.insert("claims", _blank(owner, title, trip_id or None)))


def enter_bills(user_id: str, report_id: str, bills: list[Bill]) -> Row:
    """Enter receipts into a report that is a draft or was returned: all of them, or none.

    Args:
        user_id: person_id of the user, whose report it is.
        report_id: the report.
        bills: the entries, each with its receipt.
    """
    owner, claim = _open_claim(user_id, report_id)
    if not bills:
        raise ValueError("bills: none given")
    _refuse_many(len(bills))
    return _entered(claim, [lambda bill=bill: _receipted(owner, claim, bill) for bill in bills])


def enter_unreceipted(
    user_id: str,
    report_id: str,
    declared: list[Declared] | None = None,
    drives: list[Drive] | None = None,
    allowances: list[Allowance] | None = None,
) -> Row:
    """Enter what has no receipt into a report that is a draft or was returned: all of it, or nothing.

    Args:
        user_id: person_id of the user, whose report it is.
        report_id: the report.
        declared: small expenses whose receipt is missing.
        drives: journeys with one's own car.
        allowances: per-diems of trips that are over.
    """
    owner, claim = _open_claim(user_id, report_id)
    makers = [
        *[lambda small=small: _declared(claim, small) for small in declared or []],
        *[lambda drive=drive: _mileage(owner, claim, drive) for drive in drives or []],
        *[lambda each=each: _allowance(owner, claim, each) for each in allowances or []],
    ]
    if not makers:
        raise ValueError("nothing to enter: give declared, drives or allowances")
    _refuse_many(len(makers))
    return _entered(claim, makers)


def amend_report(
    user_id: str,
    report_id: str,
    drop: list[str] | None = None,
    exchange: list[Exchange] | None = None,
) -> Row:
    """Take entries off a report that is a draft or was returned, or put other receipts under them: all, or nothing.

    Args:
        user_id: person_id of the user, whose report it is.
        report_id: the report.
        drop: entry_id of each entry to take off.
        exchange: entries that get another receipt.
    """
    owner, claim = _open_claim(user_id, report_id)
    if not drop and not exchange:
        raise ValueError("nothing to amend: give drop or exchange")
    _refuse_many(len(drop or []) + len(exchange or []))
    done: list[tuple[str, Row | None]] = []
    try:
        for entry_id in drop or []:
            done += [(entry_id, _drop(claim, entry_id))]
        for each in exchange or []:
            done += [(each.entry_id, _changed(owner, claim, each))]
    except ValueError:
        _undo(done)
        raise
    return _report(_totalled(claim))


def decide(
    user_id: str,
    report_id: str,
    decision: Literal["hand_in", "take_back", "approve", "pay"],
    hold: list[str] | None = None,
    remark: str = "",
    payment_run_id: str = "",
) -> Row:
    """Move a report on: its author hands it in or takes it back, who is next approves it, finance pays it.

    Args:
        user_id: person_id of the user.
        report_id: the report.
        decision: what happens to it.
        hold: entry_id of entries that are held while the rest is approved.
        remark: why entries are held.
        payment_run_id: the run in which an approved report is paid.
    """
    if hold and decision != "approve":
        raise ValueError("entries are held only while the rest is approved")
    if decision == "hand_in":
        return _hand_in(user_id, report_id)
    if decision == "take_back":
        return _take_back(user_id, report_id)
    if decision == "pay":
        return _pay(user_id, report_id, payment_run_id)
    return _clear(user_id, report_id, hold or [], remark)


def turn_down(
    user_id: str, report_id: str, decision: Literal["return", "reject"], remark: str
) -> Row:
    """Return a report to its author to be mended, or reject it for good; for who is next to approve it.

    Args:
        user_id: person_id of the user.
        report_id: the report.
        decision: what happens to it; its approvals are void, and no entry is held any more.
        remark: what the author is told.
    """
    return _sent_back(
        user_id, report_id, "returned" if decision == "return" else "rejected", remark
    )


def reverse_entry(user_id: str, entry_id: str, remark: str) -> Row:
    """Draft a report that takes back an entry of a settled report of one's own.

    Args:
        user_id: person_id of the user.
        entry_id: the entry of the settled report.
        remark: why.
    """
    line = _line(entry_id)
    paid = _claim(line["claim_id"])
    _refuse_other(user_id, paid)
    if paid["status"] != "paid":
        raise ValueError(
            f"report {paid['claim_id']} is {STATES[paid['status']]}: only what is settled is reversed"
        )
    if line["kind"] == "correction" or line["held"]:
        raise ValueError(f"entry {entry_id}: was never paid out")
    if any(c["status"] != "rejected" for c in db.find("claims", {"corrects": entry_id})):
        raise ValueError(f"entry {entry_id}: reversed already")
    if not remark.strip():
        raise ValueError("a reversal needs a remark")
    blank = _blank(_employee(user_id), f"Reversal {entry_id}", None)
    claim = db.insert("claims", {**blank, "corrects": entry_id})
    taken = {
        **line,
        "line_id": db.next_id("lines", "L"),
        "claim_id": claim["claim_id"],
        "kind": "correction",
        "amount": -line["amount"],
        "home": -line["home"],
        "trip_id": None,
        "km": 0,
        "guests": [],
        "note": remark.strip(),
    }
    db.insert("lines", taken)
    return _report(_totalled(claim))


def enter_stand_in(user_id: str, person_id: str, first_day: str, last_day: str) -> Row:
    """Enter who decides in the user's place during an absence.

    Args:
        user_id: person_id of the user, who will be away.
        person_id: who decides instead.
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD, the last day of the absence.
    """
    principal, delegate = _employee(user_id), _employee(person_id)
    first, last = _day(first_day).isoformat(), _day(last_day).isoformat()
    if principal["role"] == "employee":
        raise ValueError(f"{principal['name']} decides on nothing")
    if delegate["role"] not in ["approver", "finance"] or person_id == user_id:
        raise ValueError(f"{delegate['name']} has no right to approve")
    if delegate["entity_id"] != principal["entity_id"]:
        raise ValueError(f"{delegate['name']}: another legal entity")
    if not _today() <= first <= last:
        raise ValueError(f"{first} to {last}: begins before today or ends before it begins")
    for other in db.find("delegations", {"principal_id": user_id}):
        if other["first_day"] <= last and first <= other["last_day"]:
            raise ValueError(
                f"{other['first_day']} to {other['last_day']}: somebody stands in already"
            )
    row = {
        "delegation_id": db.next_id("delegations", "D"),
        "principal_id": user_id,
        "delegate_id": person_id,
        "first_day": first,
        "last_day": last,
    }
    db.insert("delegations", row)
    return {"substitute": _brief(delegate), "from": first, "until": last}


# What the decisions do


def _hand_in(user_id: str, report_id: str) -> Row:
    owner, _ = _open_claim(user_id, report_id)
    lines = _lines(report_id)
    if not lines:
        raise ValueError(f"report {report_id}: no entries")
    if not owner["manager_id"]:
        raise ValueError(f"{owner['name']}: nobody above to approve; finance takes it on paper")
    most = _limit("no-receipt")
    bare = [
        x
        for x in lines
        if not x["receipt_id"] and x["kind"] in ON_RECEIPT and (x["home"] > most or not x["note"])
    ]
    if bare:
        raise ValueError(
            f"entry {bare[0]['line_id']} of {bare[0]['home']:.2f}: no receipt (needed above {most:.2f})"
        )
    fields = {"status": "submitted", "submitted": _today(), "approvals": [], "reason": ""}
    return _report(db.update("claims", report_id, fields))


def _take_back(user_id: str, report_id: str) -> Row:
    claim = _claim(report_id)
    _refuse_other(user_id, claim)
    if claim["status"] != "submitted":
        raise ValueError(
            f"report {report_id} is {STATES[claim['status']]}: too late or too early to take back"
        )
    fields = {"status": "draft", "submitted": None, "approvals": []}
    return _report(db.update("claims", report_id, fields))


def _clear(user_id: str, report_id: str, hold: list[str], remark: str) -> Row:
    _, claim, _ = _deciding(user_id, report_id)
    lines = _lines(report_id)
    held = [x for x in lines if x["line_id"] in hold and not x["held"]]
    if len(held) < len(hold):
        raise ValueError(
            f"hold: not all of {', '.join(hold)} are entries of report {report_id} that are not held"
        )
    if held and not remark.strip():
        raise ValueError("holding needs a remark")
    if not [x for x in lines if x not in held and not x["held"]]:
        raise ValueError("nothing would be left to approve: send it back")
    total = money(sum(x["home"] for x in lines if x not in held and not x["held"]))
    reduced: Row = {**claim, "total": total}
    places = [p for p in _places(reduced) if p["employee_id"] == user_id]
    if not places:
        raise ValueError(f"report {report_id}: not for this user without the held entries")
    for line in held:
        db.update("lines", line["line_id"], {"held": remark.strip()})
    given = {
        "step": places[0]["step"],
        "by": user_id,
        "for_id": places[0]["for_id"],
        "day": _today(),
    }
    fields: Row = {"total": total, "approvals": [*claim["approvals"], given]}
    if not _missing({**reduced, **fields}):
        fields["status"] = "approved"
        centre = db.get("cost_centres", claim["cost_centre"])
        db.update("cost_centres", claim["cost_centre"], {"spent": money(centre["spent"] + total)})
    return _report(db.update("claims", report_id, fields))


def _sent_back(user_id: str, report_id: str, status: str, remark: str) -> Row:
    _, claim, _ = _deciding(user_id, report_id)
    if not remark.strip():
        raise ValueError("the author must be told why: give a remark")
    for line in _lines(report_id):
        if line["held"]:
            db.update("lines", line["line_id"], {"held": ""})
    db.update("claims", report_id, {"status": status, "approvals": [], "reason": remark.strip()})
    return _report(_totalled(claim))


def _pay(user_id: str, report_id: str, run_id: str) -> Row:
    clerk, claim = _employee(user_id), _claim(report_id)
    owner = _employee(claim["employee_id"])
    run = db.get("runs", run_id)
    if run is None or run["entity_id"] != owner["entity_id"]:
        raise ValueError(
            f"no payment run {run_id!r} at {owner['entity_id']} (payment_runs lists them)"
        )
    if clerk["role"] != "finance" or clerk["entity_id"] != owner["entity_id"] or clerk == owner:
        raise ValueError(f"{clerk['name']} does not pay reports of {owner['name']}")
    if claim["status"] != "approved" or claim["run_id"]:
        raise ValueError(
            f"report {report_id}: {STATES[claim['status']]}, payment run {claim['run_id']}; pays cleared ones"
        )
    if not _takes(run):
        raise ValueError(f"payment run {run_id}: closed after {run['cutoff']}, today is {_today()}")
    return _report(db.update("claims", report_id, {"run_id": run_id}))


# What a draft is made of


def _refuse_many(number: int) -> None:
    if number > MOST_ENTRIES:
        raise ValueError(
            f"{number} entries: a call takes at most {MOST_ENTRIES}, give the rest in another"
        )


def _drop(claim: Row, entry_id: str) -> Row:
    line = _line(entry_id)
    if line["claim_id"] != claim["claim_id"]:
        raise ValueError(f"entry {entry_id}: not of report {claim['claim_id']}")
    if db.find("card_transactions", {"line_id": entry_id}) or db.find(
        "claims", {"corrects": entry_id}
    ):
        raise ValueError(f"entry {entry_id}: a card payment or a reversal hangs on it")
    db.delete("lines", entry_id)
    return line


def _entered(claim: Row, makers: list[Any]) -> Row:
    """Insert the lines that the makers give, one after the other, so that each sees those before it."""
    lines: list[Row] = []
    try:
        for make in makers:
            lines += [db.insert("lines", make())]
    except ValueError:
        _undo([(line["line_id"], None) for line in lines])
        raise
    worth = money(sum(x["home"] for x in lines))
    added = [x["line_id"] for x in lines]
    return {"added": added, "added_worth": worth, **_report(_totalled(claim))}


def _receipted(owner: Row, claim: Row, bill: Bill) -> Row:
    receipt, kind = _own_receipt(owner, bill.receipt_id), KINDS[bill.category]
    named = [g.strip() for g in bill.guests or [] if g.strip()]
    home = _convert(receipt["amount"], receipt["currency"], claim["currency"], receipt["day"])
    _refuse_duplicate(receipt, "")
    _refuse_late(receipt["day"], bill.remark)
    _refuse_content(owner, kind, receipt, home, named)
    base = _line_row(
        claim["claim_id"], kind, receipt["day"], receipt["amount"], receipt["currency"], home
    )
    return {**base, "receipt_id": bill.receipt_id, "guests": named, "note": bill.remark.strip()}


def _changed(owner: Row, claim: Row, exchange: Exchange) -> Row:
    line = _line(exchange.entry_id)
    if line["claim_id"] != claim["claim_id"] or line["kind"] not in ON_RECEIPT:
        raise ValueError(
            f"entry {exchange.entry_id}: none of report {claim['claim_id']} that takes a receipt"
        )
    receipt = _own_receipt(owner, exchange.receipt_id)
    home = _convert(receipt["amount"], receipt["currency"], claim["currency"], receipt["day"])
    _refuse_duplicate(receipt, exchange.entry_id)
    _refuse_late(receipt["day"], line["note"])
    _refuse_content(owner, line["kind"], receipt, home, line["guests"], exchange.entry_id)
    fields = {name: receipt[name] for name in ["day", "amount", "currency", "receipt_id"]}
    db.update("lines", exchange.entry_id, {**fields, "home": home})
    return line


def _declared(claim: Row, small: Declared) -> Row:
    if not 0 < small.amount <= LARGEST_AMOUNT or money(small.amount) != small.amount:
        raise ValueError(f"amount {small.amount}: positive, with at most two decimals")
    if not small.remark.strip():
        raise ValueError("without a receipt the remark must declare what it was")
    _refuse_late(small.day, small.remark)
    home, most = (
        _convert(small.amount, small.currency, claim["currency"], small.day),
        _limit("no-receipt"),
    )
    if home > most:
        raise ValueError(
            f"{home:.2f} {claim['currency']} without a receipt: {most:.2f} is the most"
        )
    base = _line_row(
        claim["claim_id"], KINDS[small.category], small.day, small.amount, small.currency, home
    )
    return {**base, "note": small.remark.strip()}


def _allowance(owner: Row, claim: Row, allowance: Allowance) -> Row:
    trip = _claimable_trip(owner, allowance.trip_id)
    days = _days(trip)
    meals = [allowance.breakfasts, allowance.lunches, allowance.dinners]
    if trip["last_day"] >= _today():
        raise ValueError(
            f"trip {allowance.trip_id}: not over before {trip['last_day']}, no allowance yet"
        )
    if _per_diem_lines(allowance.trip_id):
        raise ValueError(f"trip {allowance.trip_id}: its allowance is in a report already")
    if not all(0 <= number <= days for number in meals):
        raise ValueError(
            f"trip {allowance.trip_id}: {days} days, so at most {days} meals of each kind"
        )
    amount = _per_diem(trip, *meals)
    if amount <= 0:
        raise ValueError("with so many meals provided nothing is left")
    _refuse_late(trip["last_day"], "")
    home = _convert(amount, "EUR", claim["currency"], trip["last_day"])
    base = _line_row(claim["claim_id"], "per_diem", trip["last_day"], amount, "EUR", home)
    note = f"{days} days less {meals[0]}/{meals[1]}/{meals[2]} meals"
    return {**base, "trip_id": allowance.trip_id, "note": note}


def _mileage(owner: Row, claim: Row, drive: Drive) -> Row:
    if not 0 < drive.km <= 2000 or money(drive.km) != drive.km:
        raise ValueError(f"km {drive.km}: 1 to 2000, with at most two decimals")
    if not drive.remark.strip():
        raise ValueError("mileage needs a remark: where to and why")
    _refuse_late(drive.day, "")
    country = db.get("entities", owner["entity_id"])["country"]
    rates = db.get("mileage_rates", f"{country}-{_day(drive.day).year}")
    if rates is None:
        raise ValueError(f"no mileage rate in {country} for the year of {drive.day}")
    below = max(0.0, min(drive.km, rates["threshold_km"] - _km_so_far(owner, drive.day[:4])))
    amount = money(below * rates["rate"] + (drive.km - below) * rates["rate_above"])
    base = _line_row(claim["claim_id"], "mileage", drive.day, amount, claim["currency"], amount)
    return {**base, "km": drive.km, "note": drive.remark.strip()}


def _undo(done: list[tuple[str, Row | None]]) -> None:
    for line_id, before in reversed(done):
        if before is None:
            db.delete("lines", line_id)
        else:
            db.put("lines", before)


# Rows


def _get(table: str, key: str, what: str, finder: str) -> Row:
    row = db.get(table, key)
    if row is None:
        raise ValueError(f"unknown {what} {key!r} ({finder} finds them)")
    return row


def _employee(employee_id: str) -> Row:
    return _get("employees", employee_id, "person", "find_people")


def _claim(claim_id: str) -> Row:
    return _get("claims", claim_id, "report", "search")


def _line(line_id: str) -> Row:
    return _get("lines", line_id, "entry", "open_document")


def _receipt(receipt_id: str) -> Row:
    return _get("receipts", receipt_id, "receipt", "search")


def _currency(employee: Row) -> str:
    return str(db.get("entities", employee["entity_id"])["currency"])


def _lines(claim_id: str) -> list[Row]:
    return db.find("lines", {"claim_id": claim_id})


def _is_live(line: Row) -> bool:
    return bool(line["kind"] != "correction" and _claim(line["claim_id"])["status"] != "rejected")


def _lines_of_receipt(receipt_id: str) -> list[Row]:
    return [x for x in db.find("lines", {"receipt_id": receipt_id}) if _is_live(x)]


def _per_diem_lines(trip_id: str) -> list[Row]:
    return [x for x in db.find("lines", {"trip_id": trip_id}) if _is_live(x)]


def _own_receipt(owner: Row, receipt_id: str) -> Row:
    receipt = _receipt(receipt_id)
    if receipt["employee_id"] != owner["employee_id"]:
        raise ValueError(f"receipt {receipt_id}: paid by somebody else than {owner['name']}")
    return receipt


def _blank(owner: Row, title: str, trip_id: str | None) -> Row:
    return {
        "claim_id": db.next_id("claims", "C"),
        "employee_id": owner["employee_id"],
        "title": title,
        "trip_id": trip_id,
        "cost_centre": owner["cost_centre"],
        "currency": _currency(owner),
        "status": "draft",
        "submitted": None,
        "total": 0,
        "approvals": [],
        "reason": "",
        "run_id": None,
        "corrects": None,
    }


def _line_row(claim_id: str, kind: str, day: str, amount: float, currency: str, home: float) -> Row:
    return {
        "line_id": db.next_id("lines", "L"),
        "claim_id": claim_id,
        "kind": kind,
        "day": _day(day).isoformat(),
        "amount": amount,
        "currency": currency,
        "home": home,
        "receipt_id": None,
        "trip_id": None,
        "km": 0,
        "guests": [],
        "note": "",
        "held": "",
    }


def _totalled(claim: Row) -> Row:
    total = money(sum(x["home"] for x in _lines(claim["claim_id"]) if not x["held"]))
    return db.update("claims", claim["claim_id"], {"total": total})


# Time and money


def _today() -> str:
    return str(clock.today().isoformat())


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r}: days are written YYYY-MM-DD") from None


def _age(day: str) -> int:
    return int((_day(_today()) - _day(day)).days)


def _rate_day(day: str) -> str:
    when = _day(day)
    return (when - timedelta(days=max(0, when.weekday() - 4))).isoformat()


def _rate(currency: str, day: str) -> float:
    if currency == "EUR":
        return 1.0
    row = db.get("rates", f"{currency}-{_rate_day(day)}")
    if row is None:
        raise ValueError(f"no reference rate of {currency} on {day}")
    return float(row["per_eur"])


def _convert(amount: float, source: str, target: str, day: str) -> float:
    if source == target:
        return float(money(amount))
    return float(money(amount / _rate(source, day) * _rate(target, day)))


def _limit(limit_id: str) -> float:
    return float(db.get("limits", limit_id)["amount"])


def _limit_of(kind: str, owner: Row, receipt: Row) -> float:
    tier = "-" + db.get("cities", receipt["city"])["tier"] if kind == "hotel" else ""
    return _limit(f"{kind}-{owner['grade']}{tier}")


def _days(trip: Row) -> int:
    return (_day(trip["last_day"]) - _day(trip["first_day"])).days + 1


def _per_diem_rate(trip: Row) -> Row:
    country = db.get("cities", trip["city"])["country"]
    rates = db.find("per_diems", {"country": country, "year": _day(trip["last_day"]).year})
    rates = [r for r in rates if r["city"] in [None, trip["city"]]]
    if not rates:
        raise ValueError(
            f"no allowance is laid down for {trip['city']} in the year of {trip['last_day']}"
        )
    return min(rates, key=lambda r: r["city"] is None)


def _per_diem(trip: Row, breakfasts: int, lunches: int, dinners: int) -> float:
    rate, days = _per_diem_rate(trip), _days(trip)
    gross = rate["part"] * min(2, days) + rate["full"] * max(0, days - 2)
    return float(
        money(
            gross
            - breakfasts * rate["breakfast"]
            - lunches * rate["lunch"]
            - dinners * rate["dinner"]
        )
    )


def _km_so_far(owner: Row, year: str) -> float:
    claims = db.find("claims", {"employee_id": owner["employee_id"]})
    lines = [x for c in claims if c["status"] != "rejected" for x in _lines(c["claim_id"])]
    return float(sum(x["km"] for x in lines if x["kind"] == "mileage" and x["day"][:4] == year))


def _takes(run: Row) -> bool:
    return bool(run["status"] == "open" and _today() <= run["cutoff"])


# What stands in the way


def _refuse_other(on_behalf_of: str, claim: Row) -> None:
    actor, owner = _employee(on_behalf_of), _employee(claim["employee_id"])
    if actor != owner:
        raise ValueError(
            f"report {claim['claim_id']}: belongs to {owner['name']}, nobody else edits it"
        )


def _open_claim(on_behalf_of: str, claim_id: str) -> tuple[Row, Row]:
    claim = _claim(claim_id)
    _refuse_other(on_behalf_of, claim)
    if claim["status"] not in OPEN:
        raise ValueError(
            f"report {claim_id} is {STATES[claim['status']]}: only a draft or one sent_back can be edited"
        )
    return _employee(on_behalf_of), claim


def _claimable_trip(owner: Row, trip_id: str) -> Row:
    trip = _get("trips", trip_id, "trip", "search")
    if trip["employee_id"] != owner["employee_id"]:
        raise ValueError(f"trip {trip_id}: not made by {owner['name']}")
    return trip


def _refuse_duplicate(receipt: Row, line_id: str) -> None:
    for twin in db.find("receipts", {"vendor": receipt["vendor"], "number": receipt["number"]}):
        for line in _lines_of_receipt(twin["receipt_id"]):
            if line["line_id"] != line_id:
                claimant = _employee(_claim(line["claim_id"])["employee_id"])["name"]
                raise ValueError(
                    f"bill {receipt['number']} of {receipt['vendor']}: in report {line['claim_id']} of {claimant}"
                )


def _refuse_late(day: str, why: str) -> None:
    age = _age(day)
    if age < 0:
        raise ValueError(f"{day}: in the future")
    if age > TOO_LATE:
        raise ValueError(f"{day}: {age} days old, and {TOO_LATE} is the end")
    if age > LATE and not why.strip():
        raise ValueError(
            f"{day}: {age} days old, more than {LATE}: the remark must give the reason"
        )


def _refuse_content(
    owner: Row, kind: str, receipt: Row, home: float, guests: list[str], line_id: str = ""
) -> None:
    if kind == "hotel" and not receipt["nights"]:
        raise ValueError(f"receipt {receipt['receipt_id']}: no nights on it, so no lodging")
    if kind == "gift" and home > _limit("gift") and not guests:
        raise ValueError(
            f"gifts above {_limit('gift'):.2f} are declared: guests must name who received it"
        )
    if len(set(guests)) < len(guests) or owner["employee_id"] in guests:
        raise ValueError("guests: each once, the claimant not among them")
    if kind == "meal":
        currency = _currency(owner)
        others = [x for x in _meals_there(owner, receipt) if x["line_id"] != line_id]
        heads = 1 + max(len(guests), *(len(x["guests"]) for x in others), 0)
        allowed = money(
            _convert(_limit_of("meal", owner, receipt), "EUR", currency, receipt["day"]) * heads
        )
        spent = money(home + sum(x["home"] for x in others))
        if spent > allowed:
            raise ValueError(
                f"{receipt['vendor']} {receipt['day']}: {spent:.2f} {currency} together, and the limit is {allowed:.2f}"
            )


def _meals_there(owner: Row, receipt: Row) -> list[Row]:
    same = {"employee_id": owner["employee_id"], "vendor": receipt["vendor"], "day": receipt["day"]}
    lines = [x for r in db.find("receipts", same) for x in _lines_of_receipt(r["receipt_id"])]
    return [x for x in lines if x["kind"] == "meal"]


# Who approves


def _delegates(principal_id: str) -> list[str]:
    today = _today()
    found = db.find("delegations", {"principal_id": principal_id})
    return [d["delegate_id"] for d in found if d["first_day"] <= today <= d["last_day"]]


def _needed(claim: Row) -> list[str]:
    """The steps that a claim of this total needs; over the budget, finance is asked too."""
    centre = db.get("cost_centres", claim["cost_centre"])
    decided = claim["status"] in ["approved", "paid"]
    over_budget = not decided and centre["spent"] + claim["total"] > centre["budget"]
    owner = ["owner"] if claim["total"] > _limit("owner-step") else []
    finance = ["finance"] if claim["total"] > _limit("finance-step") or over_budget else []
    return ["manager", *owner, *finance]


def _missing(claim: Row) -> list[str]:
    done = [a["step"] for a in claim["approvals"]]
    return [step for step in _needed(claim) if step not in done]


def _is_party(person_id: str, claim: Row) -> bool:
    """Whether somebody claims here, or had part in what is claimed."""
    return claim["employee_id"] == person_id or any(
        person_id in x["guests"] for x in _lines(claim["claim_id"])
    )


def _places(claim: Row) -> list[Row]:
    """Who may take the next step, and in whose place."""
    missing = _missing(claim)
    if claim["status"] != "submitted" or not missing:
        return []
    step, owner = missing[0], _employee(claim["employee_id"])
    centre = db.get("cost_centres", claim["cost_centre"])
    principals = {
        "manager": [owner["manager_id"]],
        "owner": [centre["owner_id"], centre["deputy_id"]],
        "finance": [
            e["employee_id"]
            for e in db.find("employees", {"entity_id": owner["entity_id"], "role": "finance"})
        ],
    }[step]
    places = []
    for principal in principals:
        for person in [principal, *_delegates(principal)]:
            for_id = centre["owner_id"] if step == "owner" else principal
            places.append({"step": step, "employee_id": person, "for_id": for_id})
    done = [a["by"] for a in claim["approvals"]]
    return [
        p for p in places if p["employee_id"] not in done and not _is_party(p["employee_id"], claim)
    ]


def _deciding(on_behalf_of: str, claim_id: str) -> tuple[Row, Row, Row]:
    """The approver, the claim, and the step that is theirs; refuses everybody else."""
    approver, claim = _employee(on_behalf_of), _claim(claim_id)
    if claim["status"] != "submitted":
        raise ValueError(f"report {claim_id} is {STATES[claim['status']]}, not in_approval")
    if _is_party(on_behalf_of, claim):
        raise ValueError(
            f"report {claim_id}: {approver['name']} has a part in it and cannot decide"
        )
    places = [p for p in _places(claim) if p["employee_id"] == on_behalf_of]
    if not places:
        raise ValueError(
            f"report {claim_id}: not {approver['name']}'s turn (open_document says under next whose it is)"
        )
    return approver, claim, places[0]


# What is shown


def _brief(person: Row) -> Row:
    return {"person_id": person["employee_id"], "name": person["name"], "email": person["email"]}


def _person(user: Row, person: Row) -> Row:
    manager = _employee(person["manager_id"]) if person["manager_id"] else None
    claims = db.find("claims", {"employee_id": person["employee_id"]})
    away = [
        d
        for d in db.find("delegations", {"principal_id": person["employee_id"]})
        if d["last_day"] >= _today()
    ]
    return {
        "type": "person",
        **_brief(person),
        "right": person["role"],
        "grade": person["grade"],
        "company": person["entity_id"],
        "currency": _currency(person),
        "cost_centre_id": person["cost_centre"],
        "manager": _brief(manager) if manager else None,
        "reports": _listed([c for c in claims if _may_see(user, person, c)]),
        "substitutes": [
            {**_brief(_employee(d["delegate_id"])), "from": d["first_day"], "until": d["last_day"]}
            for d in away
        ],
    }


def _people(text: str) -> list[Row]:
    wanted = text.strip().lower()
    if len(wanted) < 2:
        raise ValueError("text: two letters of a name or e-mail address at least")
    exact = db.find("employees", {"email": wanted}) or db.find("employees", {"name": text.strip()})
    found = exact or [
        e
        for e in db.find("employees", {})
        if wanted in e["name"].lower() or wanted in e["email"].lower()
    ]
    return [
        {
            **_brief(e),
            "right": e["role"],
            "company": e["entity_id"],
            "cost_centre_id": e["cost_centre"],
        }
        for e in found[:10]
    ]


def _reports(user: Row, owner: Row, wanted: str, state: str) -> Row:
    found = [
        c
        for c in db.find("claims", {"employee_id": owner["employee_id"]})
        if wanted in c["title"].lower() and state in ["", STATES[c["status"]]]
    ]
    shown = [c for c in found if _may_see(user, owner, c)]
    if found and not shown:
        raise ValueError(f"reports of {owner['name']}: not open to {user['name']}")
    days = [c["submitted"] for c in shown if c["submitted"]]
    return {
        "number": len(shown),
        "sum": {"value": money(sum(c["total"] for c in shown)), "currency": _currency(owner)},
        "first_handed_in": min(days) if days else None,
        "hits": _listed(shown),
    }


def _listed(claims: list[Row]) -> list[Row]:
    oldest = sorted(claims, key=lambda c: c["submitted"] or "9999")
    return [
        {
            "report_id": c["claim_id"],
            "title": c["title"],
            "state": STATES[c["status"]],
            "handed_in": c["submitted"],
            "sum": {"value": c["total"], "currency": c["currency"]},
        }
        for c in oldest[:PAGE]
    ]


def _receipts(user: Row, wanted: str) -> list[Row]:
    found = [
        r
        for r in db.find("receipts", {"employee_id": user["employee_id"]})
        if wanted == r["number"].lower() or wanted in r["vendor"].lower()
    ]
    return [
        {
            "receipt_id": r["receipt_id"],
            "vendor": r["vendor"],
            "number": r["number"],
            "day": r["day"],
            "paid": {"value": r["amount"], "currency": r["currency"]},
            "worth": _worth(r, _currency(user)),
            "used": bool(_lines_of_receipt(r["receipt_id"])),
        }
        for r in sorted(found, key=lambda r: r["day"])[:PAGE]
    ]


def _worth(receipt: Row, currency: str) -> Row:
    value = _convert(receipt["amount"], receipt["currency"], currency, receipt["day"])
    return {"value": value, "currency": currency, "fixed_on": _rate_day(receipt["day"])}


def _open_receipt(user: Row, receipt: Row) -> Row:
    owner = _employee(receipt["employee_id"])
    lines = _lines_of_receipt(receipt["receipt_id"])
    if user != owner and not any(_may_see(user, owner, _claim(x["claim_id"])) for x in lines):
        raise ValueError(f"receipt {receipt['receipt_id']}: not open to {user['name']}")
    twins = db.find("receipts", {"vendor": receipt["vendor"], "number": receipt["number"]})
    same = [x for r in twins if r != receipt for x in _lines_of_receipt(r["receipt_id"])]
    return {
        "type": "receipt",
        "receipt_id": receipt["receipt_id"],
        "vendor": receipt["vendor"],
        "number": receipt["number"],
        "day": receipt["day"],
        "days_old": _age(receipt["day"]),
        "city": receipt["city"],
        "nights": receipt["nights"],
        "paid": {
            "value": receipt["amount"],
            "currency": receipt["currency"],
            "vat": receipt["vat"],
        },
        "worth": _worth(receipt, _currency(owner)),
        "used_in": [
            {
                "report_id": x["claim_id"],
                "entry_id": x["line_id"],
                "category": CATEGORIES[x["kind"]],
            }
            for x in lines
        ],
        "same_bill_in": [
            {
                "report_id": x["claim_id"],
                "author": _employee(_claim(x["claim_id"])["employee_id"])["name"],
            }
            for x in same
        ],
    }


def _trip(trip: Row) -> Row:
    country = db.get("cities", trip["city"])["country"]
    rates = db.find("per_diems", {"country": country, "year": _day(trip["last_day"]).year})
    known = sorted(
        (r for r in rates if r["city"] in [None, trip["city"]]), key=lambda r: r["city"] is None
    )
    names = {
        "whole_day": "full",
        "first_and_last_day": "part",
        "less_breakfast": "breakfast",
        "less_lunch": "lunch",
        "less_dinner": "dinner",
    }
    return {
        "type": "trip",
        "trip_id": trip["trip_id"],
        "city": trip["city"],
        "country": country,
        "from": trip["first_day"],
        "until": trip["last_day"],
        "days": _days(trip),
        "over": trip["last_day"] < _today(),
        "purpose": trip["purpose"],
        "travel_desk_approved": trip["preapproved"],
        "allowance_eur": {name: known[0][field] for name, field in names.items()}
        if known
        else None,
        "allowance_used": bool(_per_diem_lines(trip["trip_id"])),
    }


def _run(run: Row) -> Row:
    return {
        "payment_run_id": run["run_id"],
        "closes_after": run["cutoff"],
        "pays_on": run["pay_day"],
        "state": run["status"],
        "accepts": _takes(run),
        "today": _today(),
    }


def _centre(centre: Row) -> Row:
    return {
        "type": "cost_centre",
        "cost_centre_id": centre["cost_centre"],
        "name": centre["name"],
        "owner": _brief(_employee(centre["owner_id"])),
        "deputy": _brief(_employee(centre["deputy_id"])),
        "budget": centre["budget"],
        "spent": centre["spent"],
        "left": money(centre["budget"] - centre["spent"]),
    }


def _may_see(viewer: Row, owner: Row, claim: Row) -> bool:
    who = viewer["employee_id"]
    centre = db.get("cost_centres", claim["cost_centre"])
    chain = [owner["manager_id"], centre["owner_id"], centre["deputy_id"]]
    return bool(
        viewer == owner
        or viewer["role"] in ["finance", "auditor"]
        or who in chain
        or any(
            db.find("delegations", {"principal_id": each, "delegate_id": who})
            for each in chain
            if each
        )
    )


def _report(claim: Row) -> Row:
    done = {a["step"]: a for a in claim["approvals"]}
    route = [
        {
            "stage": STAGES[step],
            "decided_by": _employee(done[step]["by"])["name"] if step in done else None,
            "on": done[step]["day"] if step in done else None,
        }
        for step in _needed(claim)
    ]
    lines = _lines(claim["claim_id"])
    following = [
        {"stage": STAGES[p["step"]], **_brief(_employee(p["employee_id"]))} for p in _places(claim)
    ]
    return {
        "type": "report",
        "report_id": claim["claim_id"],
        "title": claim["title"],
        "author": _brief(_employee(claim["employee_id"])),
        "trip_id": claim["trip_id"],
        "cost_centre_id": claim["cost_centre"],
        "state": STATES[claim["status"]],
        "handed_in": claim["submitted"],
        "sum": {"value": claim["total"], "currency": claim["currency"]},
        "vat_to_reclaim": {"value": _domestic_vat(claim, lines), "currency": claim["currency"]},
        "remark": claim["reason"],
        "payment_run_id": claim["run_id"],
        "route": route,
        "stages": len(route),
        "next": following,
        "receipts_missing": [
            x["line_id"] for x in lines if not x["receipt_id"] and x["kind"] in ON_RECEIPT
        ],
        "entries": [_entry(x) for x in sorted(lines, key=lambda x: -x["home"])],
    }


def _domestic_vat(claim: Row, lines: list[Row]) -> float:
    country = db.get("entities", _employee(claim["employee_id"])["entity_id"])["country"]
    receipts = [_receipt(x["receipt_id"]) for x in lines if x["receipt_id"] and not x["held"]]
    return float(
        money(sum(r["vat"] for r in receipts if db.get("cities", r["city"])["country"] == country))
    )


def _entry(line: Row) -> Row:
    receipt = _receipt(line["receipt_id"]) if line["receipt_id"] else None
    names = ["vendor", "number", "city", "nights"]
    return {
        "entry_id": line["line_id"],
        "category": CATEGORIES[line["kind"]],
        "day": line["day"],
        "paid": {"value": line["amount"], "currency": line["currency"]},
        "worth": line["home"],
        "receipt": {"receipt_id": line["receipt_id"], **{n: receipt[n] for n in names}}
        if receipt
        else None,
        "trip_id": line["trip_id"],
        "km": line["km"],
        "guests": line["guests"],
        "remark": line["note"],
        "on_hold": line["held"],
    }
