# about:
#   title: The feed of the company cards
#   notes: A small system of the card issuer beside the claims; it goes with either of the others.

"""Payments with company cards: what the issuer booked, what was matched to a claim, what is disputed."""

from typing import Any, Literal

Row = dict[str, Any]


def list_transactions(
    holder: str, merchant: str = "", status: Literal["", "open", "matched", "disputed"] = ""
) -> list[Row]:
    """List the payments with somebody's own company card, newest first.

    Args:
        holder: employee_id (person_id) of the card holder.
        merchant: only payments to this merchant.
        status: only payments in this state.
    """
    wanted = {"employee_id": _holder(holder), **({"status": status} if status else {})}
    found = db.find("card_transactions", wanted)
    shown = [t for t in found if merchant.strip().lower() in t["merchant"].lower()]
    return [_shown(t) for t in sorted(shown, key=lambda t: t["day"], reverse=True)[:25]]


def match_transaction(holder: str, transaction_id: str, line_id: str) -> Row:
    """Tick an open payment off with the line of one's claim that claims it: same day, amount and currency.

    Args:
        holder: employee_id (person_id) of the card holder.
        transaction_id: the payment, from list_transactions.
        line_id: the line of the claim (entry_id of the report).
    """
    payment, line = _open(holder, transaction_id), db.get("lines", line_id)
    claim = db.get("claims", line["claim_id"]) if line else None
    if not line or not claim or claim["employee_id"] != holder or claim["status"] == "rejected":
        raise ValueError(f"NO SUCH LINE {line_id} in a claim of {holder}")
    wanted = [payment["day"], payment["amount"], payment["currency"]]
    if [line["day"], line["amount"], line["currency"]] != wanted:
        raise ValueError(
            f"LINE {line_id} DIFFERS: {line['amount']:.2f} {line['currency']} on {line['day']}"
        )
    if db.find("card_transactions", {"line_id": line_id}):
        raise ValueError(f"LINE {line_id} IS TAKEN by another payment")
    return _shown(
        db.update("card_transactions", transaction_id, {"status": "matched", "line_id": line_id})
    )


def dispute_transaction(holder: str, transaction_id: str, reason: str) -> Row:
    """Tell the issuer that an open payment is not one's own; it is charged back.

    Args:
        holder: employee_id (person_id) of the card holder.
        transaction_id: the payment, from list_transactions.
        reason: what the issuer is told.
    """
    payment = _open(holder, transaction_id)
    if not reason.strip():
        raise ValueError("REASON MISSING")
    fields = {"status": "disputed", "reason": reason.strip()}
    return _shown(db.update("card_transactions", payment["transaction_id"], fields))


def _holder(holder: str) -> str:
    if db.get("employees", holder) is None:
        raise ValueError(f"NO CARD HOLDER {holder}")
    return holder


def _open(holder: str, transaction_id: str) -> Row:
    payment = db.get("card_transactions", transaction_id)
    if payment is None or payment["employee_id"] != _holder(holder):
        raise ValueError(f"NO PAYMENT {transaction_id} with the card of {holder}")
    if payment["status"] != "open":
        raise ValueError(f"PAYMENT {transaction_id} IS {payment['status'].upper()}")
    return payment


def _shown(payment: Row) -> Row:
    names = ["transaction_id", "day", "merchant", "amount", "currency", "status", "line_id"]
    return {name: payment[name] for name in names}
