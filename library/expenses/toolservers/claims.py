# about:
#   title: A claims server of many small calls
#   notes: >
#     Tools do not know who is logged in: every call says in whose name it is made, and the rule
#     `acting` holds that to the user.

"""Travel and expense claims, one small step a call; every call is made in one employee's name."""

from datetime import date, timedelta
from typing import Any, Literal

CLAIMED = "claimed already"
LATE, TOO_LATE = 60, 90
LARGEST_AMOUNT = 10_000_000
OPEN = ["draft", "returned"]
ON_RECEIPT = ["hotel", "meal", "transport", "gift", "other"]
LISTED = 25

Row = dict[str, Any]


# Looking things up


def find_employee(query: str) -> list[Row]:
    """Find employees by name or e-mail address, or part of either. Names are not unique; addresses are.

    Args:
        query: a name or an e-mail address.
    """
    wanted = query.strip().lower()
    if len(wanted) < 2:
        raise ValueError("Give at least two letters of a name or an e-mail address.")
    exact = db.find("employees", {"email": wanted}) or db.find("employees", {"name": query.strip()})
    found = exact or [
        e
        for e in db.find("employees", {})
        if wanted in e["name"].lower() or wanted in e["email"].lower()
    ]
    return [_profile(e) for e in found[:10]]


def list_claims(
    on_behalf_of: str,
    employee_id: str,
    title: str = "",
    status: Literal["", "draft", "submitted", "returned", "approved", "rejected", "paid"] = "",
) -> Row:
    """List the claims of an employee with their number and sum, the longest waiting first.

    Args:
        on_behalf_of: employee_id of the person in whose name you look.
        employee_id: whose claims.
        title: only claims with this title.
        status: only claims in this state.
    """
    viewer, owner = _employee(on_behalf_of), _employee(employee_id)
    wanted = {"employee_id": employee_id, **({"status": status} if status else {})}
    claims = [c for c in db.find("claims", wanted) if title.lower().strip() in c["title"].lower()]
    shown = [c for c in claims if _may_see(viewer, owner, c)]
    if claims and not shown:
        raise ValueError(f"{viewer['name']} may not see the claims of {owner['name']}.")
    days = [c["submitted"] for c in shown if c["submitted"]]
    names = ["claim_id", "title", "status", "submitted", "total", "currency", "run_id"]
    oldest = sorted(shown, key=lambda c: c["submitted"] or "9999")
    return {
        "count": len(shown),
        "sum": money(sum(c["total"] for c in shown)),
        "earliest_submitted": min(days) if days else None,
        "claims": [{name: c[name] for name in names} for c in oldest[:LISTED]],
    }


def get_claim(on_behalf_of: str, claim_id: str) -> Row:
    """Show a claim: its lines (dearest first), the approvals that it has and needs, and who may give the next one.

    Args:
        on_behalf_of: employee_id of the person in whose name you look.
        claim_id: the claim, from list_claims.
    """
    return _view(_visible(on_behalf_of, claim_id))


def get_limit(on_behalf_of: str, line_id: str) -> Row:
    """Tell what the limit of a hotel or meal line is, for the claimant's grade, and whether the line keeps it.

    Args:
        on_behalf_of: employee_id of the person in whose name you look.
        line_id: the line, from get_claim.
    """
    line = _line(line_id)
    claim = _visible(on_behalf_of, line["claim_id"])
    owner = _employee(claim["employee_id"])
    if line["kind"] not in ["hotel", "meal"] or not line["receipt_id"]:
        raise ValueError(f"Line {line_id} is a {line['kind']}: only hotels and meals have a limit.")
    receipt = _receipt(line["receipt_id"])
    each = _limit_of(line["kind"], owner, receipt)
    units = receipt["nights"] if line["kind"] == "hotel" else 1 + len(line["guests"])
    allowed = money(_convert(each, "EUR", claim["currency"], receipt["day"]) * units)
    return {
        "line_id": line_id,
        "kind": line["kind"],
        "limit_eur": each,
        "units": units,
        "allowed": allowed,
        "claimed": line["home"],
        "currency": claim["currency"],
        "within_limit": line["home"] <= allowed,
    }


def list_receipts(
    on_behalf_of: str, number: str = "", vendor: str = "", unclaimed_only: bool = False
) -> list[Row]:
    """List one's own receipts, oldest first.

    Args:
        on_behalf_of: employee_id of the person whose receipts they are.
        number: only receipts with exactly this number.
        vendor: only receipts of this vendor.
        unclaimed_only: leave out those that stand in a claim.
    """
    currency = _currency(_employee(on_behalf_of))
    found = db.find(
        "receipts", {"employee_id": on_behalf_of, **({"number": number} if number else {})}
    )
    listed: list[Row] = []
    for receipt in sorted(found, key=lambda r: r["day"]):
        if vendor.lower().strip() not in receipt["vendor"].lower() or len(listed) == LISTED:
            continue
        lines = _lines_of_receipt(receipt["receipt_id"])
        if not (unclaimed_only and lines):
            home = _convert(receipt["amount"], receipt["currency"], currency, receipt["day"])
            places = [{"claim_id": x["claim_id"], "line_id": x["line_id"]} for x in lines]
            listed.append({**receipt, "home": home, "claimed_in": places})
    return listed


def get_receipt(on_behalf_of: str, receipt_id: str) -> Row:
    """Show a receipt: what it is worth at home, its age today, and whether it was claimed, also by somebody else.

    Args:
        on_behalf_of: employee_id of the person in whose name you look.
        receipt_id: the receipt, from list_receipts or get_claim.
    """
    viewer, receipt = _employee(on_behalf_of), _receipt(receipt_id)
    owner = _employee(receipt["employee_id"])
    lines = _lines_of_receipt(receipt_id)
    if viewer != owner and not any(_may_see(viewer, owner, _claim(x["claim_id"])) for x in lines):
        raise ValueError(
            f"Receipt {receipt_id} belongs to {owner['name']}; {viewer['name']} may not see it."
        )
    currency = _currency(owner)
    same_bill = [
        {
            "receipt_id": r["receipt_id"],
            "claim_id": x["claim_id"],
            "claimed_by": _employee(r["employee_id"])["name"],
        }
        for r in db.find("receipts", {"vendor": receipt["vendor"], "number": receipt["number"]})
        if r["receipt_id"] != receipt_id
        for x in _lines_of_receipt(r["receipt_id"])
    ]
    return {
        **receipt,
        "home": _convert(receipt["amount"], receipt["currency"], currency, receipt["day"]),
        "home_currency": currency,
        "age_days": _age(receipt["day"]),
        "claimed_in": [{"claim_id": x["claim_id"], "line_id": x["line_id"]} for x in lines],
        "same_bill_claimed": same_bill,
    }


def convert(
    amount: float,
    from_currency: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"],
    to_currency: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"],
    day: str,
) -> Row:
    """Convert an amount at the rate of a day; on a week-end that is the Friday's.

    Args:
        amount: how much.
        from_currency: of the amount.
        to_currency: wanted.
        day: YYYY-MM-DD.
    """
    if not 0 <= amount <= LARGEST_AMOUNT:
        raise ValueError(f"An amount to convert is of 0 to {LARGEST_AMOUNT}, not {amount}.")
    worth = _convert(amount, from_currency, to_currency, day)
    return {"amount": worth, "currency": to_currency, "rate_day": _rate_day(day)}


def list_trips(on_behalf_of: str, city: str = "") -> list[Row]:
    """List one's own trips, earliest first, with the per-diem in euros and whether it was claimed.

    Args:
        on_behalf_of: employee_id of the traveller.
        city: only trips to this city.
    """
    _employee(on_behalf_of)
    trips = [
        t
        for t in db.find("trips", {"employee_id": on_behalf_of})
        if city.lower().strip() in t["city"].lower()
    ]
    return [_trip_view(t) for t in sorted(trips, key=lambda t: t["first_day"])[:LISTED]]


def get_cost_centre(cost_centre: str) -> Row:
    """Show a cost centre: owner, deputy, budget, what was spent and what is left.

    Args:
        cost_centre: the cost centre, from find_employee or get_claim.
    """
    row = db.get("cost_centres", cost_centre)
    if row is None:
        raise ValueError(
            f"There is no cost centre {cost_centre}: find_employee names that of a person."
        )
    return {
        **row,
        "owner": _employee(row["owner_id"])["name"],
        "deputy": _employee(row["deputy_id"])["name"],
        "left": money(row["budget"] - row["spent"]),
    }


def list_runs(entity_id: str, pay_day: str = "") -> list[Row]:
    """List the payment runs of an entity that can still take claims, the next one first.

    Args:
        entity_id: the legal entity, from find_employee.
        pay_day: only the run that pays on this day, YYYY-MM-DD, also when it is over.
    """
    if db.get("entities", entity_id) is None:
        raise ValueError(f"There is no entity {entity_id}: find_employee names that of a person.")
    today = _today()
    runs = [{**r, "takes_claims": _takes(r)} for r in db.find("runs", {"entity_id": entity_id})]
    kept = [r for r in runs if (r["pay_day"] == pay_day if pay_day else r["takes_claims"])]
    return [{**r, "today": today} for r in sorted(kept, key=lambda r: r["cutoff"])]


# Drawing up a claim


def create_claim(on_behalf_of: str, title: str, trip_id: str = "") -> Row:
    """Create an empty draft in the claimant's own cost centre.

    Args:
        on_behalf_of: employee_id of the claimant.
        title: what the claim is called.
        trip_id: the trip that it is about, from list_trips; none when left out.
    """
    owner = _employee(on_behalf_of)
    title = title.strip()
    if not title:
        raise ValueError("A claim needs a title.")
    if any(
        c["title"].lower() == title.lower()
        for c in db.find("claims", {"employee_id": on_behalf_of})
    ):
        raise ValueError(f"{owner['name']} has a claim '{title}' already: use list_claims.")
    if trip_id:
        _claimable_trip(owner, trip_id)
    return _view(db.insert("claims", _blank(owner, title, trip_id or None)))


def add_line(
    on_behalf_of: str,
    claim_id: str,
    receipt_id: str,
    kind: Literal["hotel", "meal", "transport", "gift", "other"],
    guests: list[str] | None = None,
    note: str = "",
) -> Row:
    """Put one of one's receipts into a draft or returned claim of one's own, with its whole amount.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim.
        receipt_id: the receipt, from list_receipts.
        kind: what it was for.
        guests: who else had part in it: colleagues by employee_id, others by name. For gifts, who got it.
        note: needed for a receipt of more than 60 days: why it comes so late.
    """
    owner, claim = _open_claim(on_behalf_of, claim_id)
    receipt = _own_receipt(owner, receipt_id)
    named = [g.strip() for g in guests or [] if g.strip()]
    home = _convert(receipt["amount"], receipt["currency"], claim["currency"], receipt["day"])
    _refuse_duplicate(receipt, "")
    _refuse_late(receipt["day"], note)
    _refuse_content(owner, kind, receipt, home, named)
    line = {
        **_line_row(claim_id, kind, receipt["day"], receipt["amount"], receipt["currency"], home),
        "receipt_id": receipt_id,
        "guests": named,
        "note": note.strip(),
    }
    return _with_line(claim, line)


def add_declared_line(
    on_behalf_of: str,
    claim_id: str,
    kind: Literal["meal", "transport", "other"],
    day: str,
    amount: float,
    currency: Literal["EUR", "GBP", "PLN", "USD", "CHF", "JPY"],
    declaration: str,
) -> Row:
    """Put a small expense without a receipt into one's claim, with a declaration in one's own words.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim, a draft or a returned one.
        kind: what it was for.
        day: YYYY-MM-DD.
        amount: what was paid.
        currency: in which it was paid.
        declaration: what it was and why there is no receipt.
    """
    _, claim = _open_claim(on_behalf_of, claim_id)
    if not 0 < amount <= LARGEST_AMOUNT or money(amount) != amount:
        raise ValueError(f"An amount is positive and has at most two decimals, not {amount}.")
    if not declaration.strip():
        raise ValueError("Declare what it was and why there is no receipt.")
    _refuse_late(day, declaration)
    home = _convert(amount, currency, claim["currency"], day)
    most = _limit("no-receipt")
    if home > most:
        raise ValueError(
            f"{home:.2f} {claim['currency']} is more than {most:.2f}: that takes a receipt."
        )
    line = {**_line_row(claim_id, kind, day, amount, currency, home), "note": declaration.strip()}
    return _with_line(claim, line)


def add_per_diem(
    on_behalf_of: str, claim_id: str, trip_id: str, breakfasts: int, lunches: int, dinners: int
) -> Row:
    """Put the per-diem of a trip that is over into one's claim, less the meals that were provided.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim, a draft or a returned one.
        trip_id: the trip, from list_trips.
        breakfasts: how many breakfasts were provided, by the hotel or a host.
        lunches: how many lunches were provided.
        dinners: how many dinners were provided.
    """
    owner, claim = _open_claim(on_behalf_of, claim_id)
    trip = _claimable_trip(owner, trip_id)
    days = _days(trip)
    if trip["last_day"] >= _today():
        raise ValueError(
            f"Trip {trip_id} lasts until {trip['last_day']}: a per-diem is claimed when it is over."
        )
    if _per_diem_lines(trip_id):
        raise ValueError(f"The per-diem of trip {trip_id} was {CLAIMED}.")
    if not all(0 <= meals <= days for meals in [breakfasts, lunches, dinners]):
        raise ValueError(f"A trip of {days} days has 0 to {days} meals of each kind.")
    amount = _per_diem(trip, breakfasts, lunches, dinners)
    if amount <= 0:
        raise ValueError("The meals provided leave nothing of the per-diem.")
    _refuse_late(trip["last_day"], "")
    home = _convert(amount, "EUR", claim["currency"], trip["last_day"])
    note = f"{days} days, provided: {breakfasts} breakfasts, {lunches} lunches, {dinners} dinners"
    line = {
        **_line_row(claim_id, "per_diem", trip["last_day"], amount, "EUR", home),
        "trip_id": trip_id,
        "note": note,
    }
    return _with_line(claim, line)


def add_mileage(on_behalf_of: str, claim_id: str, day: str, km: float, purpose: str) -> Row:
    """Put a journey with one's own car into one's claim; the rate falls above the threshold of the year.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim, a draft or a returned one.
        day: YYYY-MM-DD.
        km: how far.
        purpose: where to and why.
    """
    owner, claim = _open_claim(on_behalf_of, claim_id)
    if not 0 < km <= 2000 or money(km) != km:
        raise ValueError(f"A journey is of 1 to 2000 km, with at most two decimals, not {km}.")
    if not purpose.strip():
        raise ValueError("Say where to and why.")
    _refuse_late(day, "")
    country = db.get("entities", owner["entity_id"])["country"]
    rates = db.get("mileage_rates", f"{country}-{_day(day).year}")
    if rates is None:
        raise ValueError(f"There is no mileage rate of {country} for the year of {day}.")
    below = max(0.0, min(km, rates["threshold_km"] - _km_so_far(owner, day[:4])))
    amount = money(below * rates["rate"] + (km - below) * rates["rate_above"])
    line = {
        **_line_row(claim_id, "mileage", day, amount, claim["currency"], amount),
        "km": km,
        "note": purpose.strip(),
    }
    return _with_line(claim, line)


def attach_receipt(on_behalf_of: str, line_id: str, receipt_id: str) -> Row:
    """Put another receipt under a line of one's draft or returned claim; day and amount become those of the receipt.

    Args:
        on_behalf_of: employee_id of the claimant.
        line_id: the line, from get_claim.
        receipt_id: the right receipt, from list_receipts.
    """
    line = _line(line_id)
    owner, claim = _open_claim(on_behalf_of, line["claim_id"])
    if line["kind"] not in ON_RECEIPT:
        raise ValueError(f"A line of kind {line['kind']} has no receipt.")
    receipt = _own_receipt(owner, receipt_id)
    home = _convert(receipt["amount"], receipt["currency"], claim["currency"], receipt["day"])
    _refuse_duplicate(receipt, line_id)
    _refuse_late(receipt["day"], line["note"])
    _refuse_content(owner, line["kind"], receipt, home, line["guests"], line_id)
    fields = {
        "day": receipt["day"],
        "amount": receipt["amount"],
        "currency": receipt["currency"],
        "home": home,
        "receipt_id": receipt_id,
    }
    db.update("lines", line_id, fields)
    return _view(_totalled(claim))


def remove_line(on_behalf_of: str, line_id: str) -> Row:
    """Take a line off one's draft or returned claim.

    Args:
        on_behalf_of: employee_id of the claimant.
        line_id: the line, from get_claim.
    """
    line = _line(line_id)
    _, claim = _open_claim(on_behalf_of, line["claim_id"])
    if db.find("card_transactions", {"line_id": line_id}) or db.find(
        "claims", {"corrects": line_id}
    ):
        raise ValueError(
            f"Line {line_id} is matched to a card payment or corrected by a claim: it stays."
        )
    db.delete("lines", line_id)
    return _view(_totalled(claim))


def submit(on_behalf_of: str, claim_id: str) -> Row:
    """Hand in a draft or returned claim for approval; approvals that it had before count no more.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim.
    """
    owner, _ = _open_claim(on_behalf_of, claim_id)
    lines = _lines(claim_id)
    if not lines:
        raise ValueError(f"Claim {claim_id} has no lines.")
    if not owner["manager_id"]:
        raise ValueError(
            f"{owner['name']} has no line manager: the claim goes to finance on paper."
        )
    most = _limit("no-receipt")
    for line in lines:
        bare = not line["receipt_id"] and line["kind"] in ON_RECEIPT
        if bare and (line["home"] > most or not line["note"]):
            raise ValueError(
                f"Line {line['line_id']} of {line['home']:.2f} lacks its receipt: {most:.2f} is the most without one."
            )
    fields = {"status": "submitted", "submitted": _today(), "approvals": [], "reason": ""}
    return _view(db.update("claims", claim_id, fields))


def withdraw(on_behalf_of: str, claim_id: str) -> Row:
    """Take back a claim that was handed in and is not finally approved; it becomes a draft without approvals.

    Args:
        on_behalf_of: employee_id of the claimant.
        claim_id: the claim.
    """
    claim = _claim(claim_id)
    _refuse_other(on_behalf_of, claim)
    if claim["status"] != "submitted":
        raise ValueError(
            f"Claim {claim_id} is {claim['status']}: only a submitted claim is taken back."
        )
    return _view(
        db.update("claims", claim_id, {"status": "draft", "submitted": None, "approvals": []})
    )


def correct_paid_line(on_behalf_of: str, line_id: str, note: str) -> Row:
    """Draw up a claim that takes back a line of a claim of one's own that was paid.

    Args:
        on_behalf_of: employee_id of the claimant.
        line_id: the line of the paid claim.
        note: why.
    """
    line = _line(line_id)
    paid = _claim(line["claim_id"])
    _refuse_other(on_behalf_of, paid)
    if paid["status"] != "paid":
        raise ValueError(
            f"Claim {paid['claim_id']} is {paid['status']}: only what is paid is corrected."
        )
    if line["kind"] == "correction" or line["held"]:
        raise ValueError(f"Line {line_id} was never paid out.")
    if any(c["status"] != "rejected" for c in db.find("claims", {"corrects": line_id})):
        raise ValueError(f"Line {line_id} was corrected already.")
    if not note.strip():
        raise ValueError("Say why the line is taken back.")
    claim = db.insert(
        "claims",
        {**_blank(_employee(on_behalf_of), f"Correction of {line_id}", None), "corrects": line_id},
    )
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
        "note": note.strip(),
    }
    return _with_line(claim, taken)


# Approving and paying


def approve(on_behalf_of: str, claim_id: str) -> Row:
    """Give the next approval of a submitted claim; after the last one it is approved for payment.

    Args:
        on_behalf_of: employee_id of the approver.
        claim_id: the claim.
    """
    _, claim, place = _deciding(on_behalf_of, claim_id)
    given = {"step": place["step"], "by": on_behalf_of, "for_id": place["for_id"], "day": _today()}
    fields = {"approvals": [*claim["approvals"], given]}
    after = {**claim, **fields}
    if not _missing(after):
        fields["status"] = "approved"
        centre = db.get("cost_centres", claim["cost_centre"])
        spent = money(centre["spent"] + claim["total"])
        db.update("cost_centres", claim["cost_centre"], {"spent": spent})
    return _view(db.update("claims", claim_id, fields))


def hold_line(on_behalf_of: str, line_id: str, reason: str) -> Row:
    """Hold one line of a submitted claim, so that the rest can be approved; the total falls by it.

    Args:
        on_behalf_of: employee_id of the approver whose turn it is.
        line_id: the line, from get_claim.
        reason: what the claimant is told.
    """
    line = _line(line_id)
    _, claim, _ = _deciding(on_behalf_of, line["claim_id"])
    if line["held"]:
        raise ValueError(f"Line {line_id} is held already.")
    if not reason.strip():
        raise ValueError("Say why the line is held.")
    if not [x for x in _lines(claim["claim_id"]) if x["line_id"] != line_id and not x["held"]]:
        raise ValueError("No line would be left: return the claim instead.")
    db.update("lines", line_id, {"held": reason.strip()})
    return _view(_totalled(claim))


def return_claim(on_behalf_of: str, claim_id: str, reason: str) -> Row:
    """Send a submitted claim back to be mended; its approvals are void, and lines are held no more.

    Args:
        on_behalf_of: employee_id of the approver whose turn it is.
        claim_id: the claim.
        reason: what the claimant must mend.
    """
    return _sent_back(on_behalf_of, claim_id, "returned", reason)


def reject(on_behalf_of: str, claim_id: str, reason: str) -> Row:
    """Turn a submitted claim down for good; its receipts may be claimed elsewhere.

    Args:
        on_behalf_of: employee_id of the approver whose turn it is.
        claim_id: the claim.
        reason: why.
    """
    return _sent_back(on_behalf_of, claim_id, "rejected", reason)


def schedule_payment(on_behalf_of: str, claim_id: str, run_id: str) -> Row:
    """Put an approved claim into a payment run, until the run's cut-off day. For finance.

    Args:
        on_behalf_of: employee_id of somebody in finance of the claimant's entity.
        claim_id: the claim.
        run_id: the run, from list_runs.
    """
    clerk, claim = _employee(on_behalf_of), _claim(claim_id)
    owner = _employee(claim["employee_id"])
    run = db.get("runs", run_id)
    if run is None or run["entity_id"] != owner["entity_id"]:
        raise ValueError(f"{owner['entity_id']} has no payment run {run_id}: use list_runs.")
    if clerk["role"] != "finance" or clerk["entity_id"] != owner["entity_id"] or clerk == owner:
        raise ValueError(f"{clerk['name']} is not in the finance team that pays {owner['name']}.")
    if claim["status"] != "approved" or claim["run_id"]:
        raise ValueError(
            f"Claim {claim_id} is {claim['status']}, run {claim['run_id']}: it takes an approved claim without a run."
        )
    if not _takes(run):
        raise ValueError(f"Run {run_id} took claims until {run['cutoff']} and is {run['status']}.")
    return _view(db.update("claims", claim_id, {"run_id": run_id}))


def set_delegate(on_behalf_of: str, delegate_id: str, first_day: str, last_day: str) -> Row:
    """Name who approves in one's place while one is away.

    Args:
        on_behalf_of: employee_id of the person who will be away.
        delegate_id: employee_id of who stands in.
        first_day: YYYY-MM-DD, not before today.
        last_day: YYYY-MM-DD, included.
    """
    principal, delegate = _employee(on_behalf_of), _employee(delegate_id)
    first, last = _day(first_day).isoformat(), _day(last_day).isoformat()
    if principal["role"] == "employee":
        raise ValueError(f"{principal['name']} approves nothing and needs nobody in their place.")
    if delegate["role"] not in ["approver", "finance"] or delegate_id == on_behalf_of:
        raise ValueError(f"{delegate['name']} is no approver: somebody else must stand in.")
    if delegate["entity_id"] != principal["entity_id"]:
        raise ValueError(f"{delegate['name']} works for another entity.")
    if not _today() <= first <= last:
        raise ValueError(
            f"A delegation runs from today or later to a day not before: not from {first} to {last}."
        )
    for other in db.find("delegations", {"principal_id": on_behalf_of}):
        if other["first_day"] <= last and first <= other["last_day"]:
            raise ValueError(
                f"{principal['name']} has a delegate from {other['first_day']} to {other['last_day']}."
            )
    row = {
        "delegation_id": db.next_id("delegations", "D"),
        "principal_id": on_behalf_of,
        "delegate_id": delegate_id,
        "first_day": first,
        "last_day": last,
    }
    return {**db.insert("delegations", row), "delegate": delegate["name"]}


# Rows


def _get(table: str, key: str, what: str, finder: str) -> Row:
    row = db.get(table, key)
    if row is None:
        raise ValueError(f"There is no {what} {key}: use {finder}.")
    return row


def _employee(employee_id: str) -> Row:
    return _get("employees", employee_id, "employee", "find_employee")


def _claim(claim_id: str) -> Row:
    return _get("claims", claim_id, "claim", "list_claims")


def _line(line_id: str) -> Row:
    return _get("lines", line_id, "line", "get_claim")


def _receipt(receipt_id: str) -> Row:
    return _get("receipts", receipt_id, "receipt", "list_receipts")


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
        raise ValueError(f"Receipt {receipt_id} is not {owner['name']}'s: whoever paid claims it.")
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


def _with_line(claim: Row, line: Row) -> Row:
    db.insert("lines", line)
    return {"added": line["line_id"], "home": line["home"], **_view(_totalled(claim))}


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
        raise ValueError(f"{text!r} is no day: write YYYY-MM-DD.") from None


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
        raise ValueError(f"There is no rate of {currency} for {day}.")
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
            f"There is no per-diem for {trip['city']} in the year of {trip['last_day']}."
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


def _trip_view(trip: Row) -> Row:
    country = db.get("cities", trip["city"])["country"]
    rates = [
        r
        for r in db.find("per_diems", {"country": country})
        if r["year"] == _day(trip["last_day"]).year
    ]
    known = sorted(
        (r for r in rates if r["city"] in [None, trip["city"]]), key=lambda r: r["city"] is None
    )
    rate = (
        {k: known[0][k] for k in ["full", "part", "breakfast", "lunch", "dinner"]}
        if known
        else None
    )
    return {
        **trip,
        "days": _days(trip),
        "is_over": trip["last_day"] < _today(),
        "per_diem_eur": rate,
        "per_diem_claimed": bool(_per_diem_lines(trip["trip_id"])),
    }


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
            f"Claim {claim['claim_id']} is {owner['name']}'s, and only they change it."
        )


def _open_claim(on_behalf_of: str, claim_id: str) -> tuple[Row, Row]:
    claim = _claim(claim_id)
    _refuse_other(on_behalf_of, claim)
    if claim["status"] not in OPEN:
        raise ValueError(
            f"Claim {claim_id} is {claim['status']}: only drafts and returned claims are changed or handed in."
        )
    return _employee(on_behalf_of), claim


def _claimable_trip(owner: Row, trip_id: str) -> Row:
    trip = _get("trips", trip_id, "trip", "list_trips")
    if trip["employee_id"] != owner["employee_id"]:
        raise ValueError(f"Trip {trip_id} is not {owner['name']}'s.")
    return trip


def _refuse_duplicate(receipt: Row, line_id: str) -> None:
    for twin in db.find("receipts", {"vendor": receipt["vendor"], "number": receipt["number"]}):
        for line in _lines_of_receipt(twin["receipt_id"]):
            if line["line_id"] != line_id:
                claimant = _employee(_claim(line["claim_id"])["employee_id"])["name"]
                raise ValueError(
                    f"Bill {receipt['number']} of {receipt['vendor']} was {CLAIMED}: {claimant}, {line['claim_id']}."
                )


def _refuse_late(day: str, why: str) -> None:
    age = _age(day)
    if age < 0:
        raise ValueError(f"{day} lies ahead.")
    if age > TOO_LATE:
        raise ValueError(f"{day} is {age} days ago; after {TOO_LATE} days nothing is claimed.")
    if age > LATE and not why.strip():
        raise ValueError(f"{day} is {age} days ago; after {LATE} days the note must say why.")


def _refuse_content(
    owner: Row, kind: str, receipt: Row, home: float, guests: list[str], line_id: str = ""
) -> None:
    if kind == "hotel" and not receipt["nights"]:
        raise ValueError(f"Receipt {receipt['receipt_id']} is no hotel bill.")
    if kind == "gift" and home > _limit("gift") and not guests:
        raise ValueError(
            f"A gift of more than {_limit('gift'):.2f} is declared: name in guests who got it."
        )
    if len(set(guests)) < len(guests) or owner["employee_id"] in guests:
        raise ValueError("Name each guest once, and the claimant not at all.")
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
                f"That makes {spent:.2f} {currency} at {receipt['vendor']} on {receipt['day']}, and the limit is"
                f" {allowed:.2f}; a bill that is split counts whole."
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
        raise ValueError(
            f"Claim {claim_id} is {claim['status']}: only submitted claims are decided on."
        )
    if _is_party(on_behalf_of, claim):
        raise ValueError(
            f"{approver['name']} claims or had part in what claim {claim_id} is for, and does not decide on it."
        )
    places = [p for p in _places(claim) if p["employee_id"] == on_behalf_of]
    if not places:
        raise ValueError(
            f"It is not for {approver['name']} to decide on claim {claim_id} now: see may_decide in get_claim."
        )
    return approver, claim, places[0]


def _sent_back(on_behalf_of: str, claim_id: str, status: str, reason: str) -> Row:
    _, claim, _ = _deciding(on_behalf_of, claim_id)
    if not reason.strip():
        raise ValueError("Say why: the claimant is told.")
    for line in _lines(claim_id):
        if line["held"]:
            db.update("lines", line["line_id"], {"held": ""})
    db.update("claims", claim_id, {"status": status, "approvals": [], "reason": reason.strip()})
    return _view(_totalled(claim))


# Views


def _profile(employee: Row) -> Row:
    manager = _employee(employee["manager_id"])["name"] if employee["manager_id"] else None
    return {**employee, "currency": _currency(employee), "manager": manager}


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


def _visible(on_behalf_of: str, claim_id: str) -> Row:
    viewer, claim = _employee(on_behalf_of), _claim(claim_id)
    owner = _employee(claim["employee_id"])
    if not _may_see(viewer, owner, claim):
        raise ValueError(f"{viewer['name']} may not see the claims of {owner['name']}.")
    return claim


def _view(claim: Row) -> Row:
    ordered = sorted(_lines(claim["claim_id"]), key=lambda x: -x["home"])
    lines = [_line_view(x) for x in ordered]
    owner = _employee(claim["employee_id"])
    deciding = [{"name": _employee(p["employee_id"])["name"], **p} for p in _places(claim)]
    country = db.get("entities", owner["entity_id"])["country"]
    vat = [x["vat"] for x in lines if x["country"] == country and not x["held"]]
    needed = _needed(claim)
    return {
        **claim,
        "claimant": owner["name"],
        "steps_needed": needed,
        "step_count": len(needed),
        "steps_missing": _missing(claim) if claim["status"] == "submitted" else [],
        "may_decide": deciding,
        "receipts_missing": [
            x["line_id"] for x in lines if not x["receipt_id"] and x["kind"] in ON_RECEIPT
        ],
        "reclaimable_vat": money(sum(vat)),
        "lines": lines,
    }


def _line_view(line: Row) -> Row:
    if not line["receipt_id"]:
        return {**line, "vendor": None, "number": None, "city": None, "country": None, "vat": 0}
    receipt = _receipt(line["receipt_id"])
    shown = {name: receipt[name] for name in ["vendor", "number", "city", "vat"]}
    return {**line, **shown, "country": db.get("cities", receipt["city"])["country"]}
