# about:
#   title: A warehouse management system of many small calls

"""Stock, orders and purchasing as a hand-held scanner shows them; quantities are in units (each)."""

from datetime import date, timedelta
from typing import Any, Literal

COUNT_LIMIT = 250.0
MOST_ROWS = 40
ON_ORDER = ["placed", "confirmed", "part_received"]


# Products and stock


def find_product(query: str) -> list[dict[str, Any]]:
    """Find products by SKU, or by a part of SKU or name. SKUs that differ in a suffix are different products.

    Args:
        query: a SKU, or some letters of a SKU or name.
    """
    exact = db.get("products", query.strip().upper())
    if exact:
        return [exact]
    wanted = query.strip().lower()
    if len(wanted) < 3:
        raise ValueError("Give at least three letters of a SKU or a name.")
    found = [
        p
        for p in db.find("products", {})
        if wanted in p["sku"].lower() or wanted in p["name"].lower()
    ]
    return found[:20]


def get_position(sku: str) -> dict[str, Any]:
    """Show what the company has of a product over all sites, and where it stands against its reorder point.

    `available` is what can be promised: not reserved, of good lots, in bins that are not blocked. `position`
    is available + in_transit + on_order - backordered. `reorder_cases` is the reorder quantity in cases.

    Args:
        sku: the product.
    """
    product = _product(sku)
    rows = db.find("stock", {"sku": sku})
    usable = {s["stock_id"] for s in rows if not _held(s)}
    available = sum(s["on_hand"] - s["reserved"] for s in rows if s["stock_id"] in usable)
    on_hand = sum(s["on_hand"] for s in rows)
    road = sum(t["qty"] for t in db.find("transfers", {"sku": sku, "status": "in_transit"}))
    waiting = sum(b["qty"] for b in db.find("backorders", {"sku": sku, "status": "open"}))
    ordered = _on_order(sku)
    position = available + road + ordered - waiting
    return {
        "sku": sku,
        "name": product["name"],
        "on_hand": on_hand,
        "reserved": sum(s["reserved"] for s in rows),
        "available": available,
        "in_transit": road,
        "owned": on_hand + road,
        "on_order": ordered,
        "backordered": waiting,
        "position": position,
        "reorder_point": product["reorder_point"],
        "reorder_qty": product["reorder_qty"],
        "reorder_cases": product["reorder_qty"] // product["case_size"],
        "reorder_due": position <= product["reorder_point"],
    }


def list_stock(
    site_id: str, sku: str, usable_only: bool = False, expires_from: str = ""
) -> dict[str, Any]:
    """List what a site holds of a product, the lot that expires first before the others, with totals.

    Args:
        site_id: the site, e.g. LDS.
        sku: the product.
        usable_only: leave out held lots, blocked bins and what is all reserved.
        expires_from: YYYY-MM-DD; leave out lots that expire before this day.
    """
    _site(site_id)
    _product(sku)
    first = _day(expires_from).isoformat() if expires_from else ""
    rows = [_stock_view(s) for s in db.find("stock", {"site_id": site_id, "sku": sku})]
    rows = [r for r in rows if r["expiry"] >= first and not (usable_only and r["usable_qty"] == 0)]
    rows = sorted(rows, key=lambda r: (r["expiry"], r["stock_id"]))
    return {
        "site_id": site_id,
        "sku": sku,
        "on_hand": sum(r["on_hand"] for r in rows),
        "reserved": sum(r["reserved"] for r in rows),
        "available": sum(r["usable_qty"] for r in rows),
        "last_expiry": max([r["expiry"] for r in rows if r["usable_qty"]] or [""]) or None,
        "rows": rows[:MOST_ROWS],
    }


def scan_label(stock_id: str) -> dict[str, Any]:
    """Show the stock under a label: bin, lot, what is on hand, reserved, and not reserved.

    Args:
        stock_id: the label, e.g. S101.
    """
    return _stock_view(_stock(stock_id))


def get_lot(lot_id: str) -> dict[str, Any]:
    """Show a lot: status, expiry, where it lies, and the reservations on it with their orders.

    Args:
        lot_id: the lot.
    """
    lot = _lot(lot_id)
    rows = [_stock_view(s) for s in db.find("stock", {"lot_id": lot_id})]
    allocations = db.find("allocations", {"lot_id": lot_id})
    reserved = [a for a in allocations if a["status"] == "reserved"]
    shipped = [a for a in allocations if a["status"] == "shipped"]
    return {
        **lot,
        "name": _product(lot["sku"])["name"],
        "supplier": _supplier(lot["supplier_id"])["name"],
        "on_hand": sum(r["on_hand"] for r in rows),
        "reserved": sum(r["reserved"] for r in rows),
        "stock": rows,
        "reservations": reserved,
        "shipped": sum(a["qty"] for a in shipped),
        "shipped_orders": sorted({a["order_id"] for a in shipped}),
        "shipments": shipped,
    }


def list_lots(supplier: str, expires_by: str) -> dict[str, Any]:
    """List a supplier's good lots in stock that expire by a day, earliest first, with their worth at cost.

    Args:
        supplier: id or whole name of the supplier.
        expires_by: YYYY-MM-DD, included.
    """
    found = _supplier_named(supplier)
    last = _day(expires_by).isoformat()
    lots = db.find("lots", {"supplier_id": found["supplier_id"], "status": "ok"})
    rows = []
    for lot in lots:
        if lot["expiry"] <= last:
            units = sum(s["on_hand"] for s in db.find("stock", {"lot_id": lot["lot_id"]}))
            worth = money(units * _product(lot["sku"])["cost"])
            rows.append({**lot, "on_hand": units, "worth": worth})
    rows = sorted([r for r in rows if r["on_hand"]], key=lambda r: (r["expiry"], r["lot_id"]))
    return {
        "supplier_id": found["supplier_id"],
        "lots": len(rows),
        "units": sum(r["on_hand"] for r in rows),
        "worth": money(sum(r["worth"] for r in rows)),
        "rows": rows[:MOST_ROWS],
    }


def list_moves(lot_id: str, bin_id: str = "") -> list[dict[str, Any]]:
    """List the moves of a lot, the latest first, with the names of those who made them.

    Args:
        lot_id: the lot.
        bin_id: only moves into this bin.
    """
    _lot(lot_id)
    moves = [m for m in db.find("moves", {"lot_id": lot_id}) if bin_id in ("", m["to_bin"])]
    ordered = sorted(moves, key=lambda m: (m["day"], m["move_id"]), reverse=True)
    return [{**m, "staff": _staff(m["staff_id"])["name"]} for m in ordered[:MOST_ROWS]]


def get_bin(bin_id: str) -> dict[str, Any]:
    """Show a bin: what it may hold, the room that is left, and what lies in it.

    Args:
        bin_id: the bin.
    """
    place = _bin(bin_id)
    rows = db.find("stock", {"bin_id": bin_id})
    return {
        **place,
        "room": place["capacity"] - sum(s["on_hand"] for s in rows),
        "stock": [_stock_view(s) for s in rows if s["on_hand"]],
    }


def find_bins(site_id: str, sku: str, qty: int) -> list[dict[str, Any]]:
    """List the bins of a site into which so many units of a product may go, the tightest fit first.

    Args:
        site_id: the site.
        sku: the product.
        qty: units.
    """
    _site(site_id)
    product, rows = _product(sku), []
    for place in db.find("bins", {"site_id": site_id, "temp": product["temp"]}):
        if place["hazard"] == product["hazard"] and place["kind"] != "hold":
            room = _room(place)
            if not place["blocked"] and room >= qty and not _broken_case(place, product, qty):
                rows.append({"bin_id": place["bin_id"], "kind": place["kind"], "room": room})
    return sorted(rows, key=lambda r: (r["room"], r["bin_id"]))[:MOST_ROWS]


def move_stock(badge: str, stock_id: str, bin_id: str, qty: int) -> dict[str, Any]:
    """Move units that are not reserved to another bin of the same site.

    Args:
        badge: badge of the person who moves.
        stock_id: the stock to take from, from list_stock or get_bin.
        bin_id: the bin to put into.
        qty: units, at most free_qty of the stock.
    """
    stock = _stock(stock_id)
    person = _at_site(badge, stock["site_id"])
    place, product, lot = _bin(bin_id), _product(stock["sku"]), _lot(stock["lot_id"])
    if bin_id == stock["bin_id"]:
        raise ValueError(f"The stock lies in {bin_id} already.")
    if lot["status"] != "ok" and not (person["role"] == "quality" and place["kind"] == "hold"):
        raise ValueError(
            f"Lot {lot['lot_id']} is {lot['status']}: only quality moves it, and only into a hold bin."
        )
    _refuse_source(stock, qty)
    _refuse_bin(place, product, qty, stock["site_id"], lot["status"] == "ok")
    db.update("stock", stock_id, {"on_hand": stock["on_hand"] - qty})
    target = _put_away(place, lot, stock["sku"], qty)
    _log("putaway", lot["lot_id"], stock["bin_id"], bin_id, qty, badge)
    return {"from": _stock_view(_stock(stock_id)), "to": _stock_view(target)}


def block_bin(badge: str, bin_id: str, reason: str) -> dict[str, Any]:
    """Block a bin that is empty, so that nothing is put into it. For supervisors of the site.

    Args:
        badge: badge of the person who blocks.
        bin_id: the bin.
        reason: why.
    """
    place = _bin(bin_id)
    person = _at_site(badge, place["site_id"])
    if person["role"] != "supervisor":
        raise ValueError(f"Only a supervisor blocks bins; {person['name']} is {person['role']}.")
    if place["blocked"]:
        raise ValueError(f"{bin_id} is blocked already: {place['block_reason']}.")
    if not reason.strip():
        raise ValueError("Say why the bin is blocked.")
    if any(s["on_hand"] for s in db.find("stock", {"bin_id": bin_id})):
        raise ValueError(f"{bin_id} is not empty: move_stock takes what lies in it elsewhere.")
    return db.update("bins", bin_id, {"blocked": True, "block_reason": reason.strip()})


def hold_lot(badge: str, lot_id: str, reason: str) -> dict[str, Any]:
    """Put a good lot into quarantine at every site. Its reservations stay until they are taken back.

    Args:
        badge: badge of the person who reports it.
        lot_id: the lot.
        reason: what is wrong with it.
    """
    _staff(badge)
    lot = _lot(lot_id)
    if lot["status"] != "ok":
        raise ValueError(f"Lot {lot_id} is {lot['status']} already.")
    if not reason.strip():
        raise ValueError("Say what is wrong with the lot.")
    return db.update("lots", lot_id, {"status": "quarantine", "reason": reason.strip()})


def release_lot(badge: str, lot_id: str) -> dict[str, Any]:
    """Release a lot from quarantine. For quality only.

    Args:
        badge: badge of the person who releases.
        lot_id: the lot.
    """
    person, lot = _staff(badge), _lot(lot_id)
    if lot["status"] != "quarantine":
        raise ValueError(f"Lot {lot_id} is {lot['status']}, not in quarantine.")
    if person["role"] != "quality":
        raise ValueError(f"Only quality releases a lot; {person['name']} is {person['role']}.")
    if lot["expiry"] <= clock.today().isoformat():
        raise ValueError(f"Lot {lot_id} expired on {lot['expiry']}.")
    return db.update("lots", lot_id, {"status": "ok", "reason": ""})


# Counting


def record_count(
    badge: str,
    stock_id: str,
    counted: int,
    reason: Literal["miscount", "damage", "loss", "found"],
) -> dict[str, Any]:
    """Record what was counted of a stock. A difference of more than 250.00 at cost waits for approval.

    Args:
        badge: badge of the person who counted.
        stock_id: the stock.
        counted: units found.
        reason: why the books differ.
    """
    stock = _stock(stock_id)
    _at_site(badge, stock["site_id"])
    if not 0 <= counted <= 1_000_000:
        raise ValueError(f"{counted} is not a number of units that a bin can hold.")
    if db.find("counts", {"stock_id": stock_id, "status": "pending"}):
        raise ValueError(f"A count of {stock_id} is waiting for approval already.")
    if counted < stock["reserved"]:
        raise ValueError(f"{stock['reserved']} units of {stock_id} are reserved: deallocate first.")
    _refuse_growth(stock, counted)
    delta = counted - stock["on_hand"]
    value = money(abs(delta) * _product(stock["sku"])["cost"])
    row = {
        "count_id": db.next_id("counts", "C"),
        "stock_id": stock_id,
        "counted": counted,
        "delta": delta,
        "value": value,
        "reason": reason,
        "counted_by": badge,
        "approved_by": None,
        "status": "pending" if value > COUNT_LIMIT else "posted",
    }
    db.insert("counts", row)
    if row["status"] == "posted":
        _adjust(stock, counted, badge)
    return {**row, "booked": stock["on_hand"]}


def get_count(count_id: str) -> dict[str, Any]:
    """Show a count: what was on the books, what was found, its value, who counted and who approved.

    Args:
        count_id: the count.
    """
    count = _count(count_id)
    stock = _stock_view(_stock(count["stock_id"]))
    return {**count, "counter": _staff(count["counted_by"])["name"], "stock": stock}


def approve_count(badge: str, count_id: str) -> dict[str, Any]:
    """Approve a pending count and correct the stock. For supervisors of the site.

    Args:
        badge: badge of the person who approves.
        count_id: the count.
    """
    count = _count(count_id)
    stock = _stock(count["stock_id"])
    person = _at_site(badge, stock["site_id"])
    if person["role"] != "supervisor":
        raise ValueError(
            f"Only a supervisor approves counts; {person['name']} is {person['role']}."
        )
    if count["status"] != "pending":
        raise ValueError(f"Count {count_id} is posted already.")
    if count["counted"] < stock["reserved"]:
        raise ValueError(f"{stock['reserved']} units are reserved by now: deallocate first.")
    _refuse_growth(stock, count["counted"])
    _adjust(stock, count["counted"], badge)
    return db.update("counts", count_id, {"status": "posted", "approved_by": badge})


# Customer orders


def get_order(order_id: str) -> dict[str, Any]:
    """Show a customer order: lines with what is open, allocations, backorders.

    `lots_must_last_until` is the earliest expiry that the customer takes.

    Args:
        order_id: the order.
    """
    order = _order(order_id)
    customer = db.get("customers", order["customer_id"])
    until = _day(order["due_on"]) + timedelta(days=customer["min_life_days"])
    lines = [{**n, "open_qty": n["qty"] - n["allocated"] - n["shipped"]} for n in order["lines"]]
    return {
        **order,
        "customer": customer["name"],
        "lots_must_last_until": until.isoformat(),
        "lines": lines,
        "units_ordered": sum(n["qty"] for n in lines),
        "units_allocated": sum(n["allocated"] for n in lines),
        "units_open": sum(n["open_qty"] for n in lines),
        "allocations": db.find("allocations", {"order_id": order_id, "status": "reserved"}),
        "backorders": db.find("backorders", {"order_id": order_id, "status": "open"}),
        "shipments": db.find("shipments", {"order_id": order_id}),
    }


def list_backorders(sku: str, site_id: str) -> list[dict[str, Any]]:
    """List the open backorders of a product at a site in the order in which they are to be served.

    Args:
        sku: the product.
        site_id: the site.
    """
    _product(sku)
    _site(site_id)
    found = db.find("backorders", {"sku": sku, "site_id": site_id, "status": "open"})
    return sorted(found, key=lambda b: (b["priority"], b["due_on"], b["backorder_id"]))


def allocate(badge: str, order_id: str, line: int, stock_id: str, qty: int) -> dict[str, Any]:
    """Reserve units of a stock for a line of an order; an open backorder of the line shrinks by as much.

    Args:
        badge: badge of the person who allocates.
        order_id: the order.
        line: number of the line.
        stock_id: the stock, from list_stock.
        qty: units.
    """
    order, stock = _order(order_id), _stock(stock_id)
    _at_site(badge, order["site_id"])
    chosen = _order_line(order, line)
    lot = _lot(stock["lot_id"])
    if order["status"] not in ("open", "part_shipped"):
        raise ValueError(f"Order {order_id} is {order['status']}.")
    if stock["sku"] != chosen["sku"] or stock["site_id"] != order["site_id"]:
        raise ValueError(
            f"{stock_id} is {stock['sku']} at {stock['site_id']}; the line asks for {chosen['sku']}"
            f" at {order['site_id']}."
        )
    if lot["status"] != "ok":
        raise ValueError(f"Lot {lot['lot_id']} is {lot['status']} and cannot be allocated.")
    _refuse_source(stock, qty)
    rest = chosen["qty"] - chosen["allocated"] - chosen["shipped"]
    if qty > rest:
        raise ValueError(f"Line {line} of {order_id} needs {rest} units more, not {qty}.")
    db.update("stock", stock_id, {"reserved": stock["reserved"] + qty})
    row = {
        "allocation_id": db.next_id("allocations", "A"),
        "order_id": order_id,
        "line": line,
        "stock_id": stock_id,
        "lot_id": stock["lot_id"],
        "sku": stock["sku"],
        "qty": qty,
        "status": "reserved",
    }
    db.insert("allocations", row)
    _set_line(order, line, {"allocated": chosen["allocated"] + qty})
    for waiting in db.find("backorders", {"order_id": order_id, "line": line, "status": "open"}):
        left = max(0, waiting["qty"] - qty)
        fields = {"qty": left, "status": "open" if left else "filled"}
        db.update("backorders", waiting["backorder_id"], fields)
    return {**row, "open_qty": rest - qty}


def deallocate(badge: str, allocation_id: str) -> dict[str, Any]:
    """Take a reservation back; the units are free again and the line is open again.

    Args:
        badge: badge of the person who does it.
        allocation_id: the reservation, from get_order or get_lot.
    """
    row = db.get("allocations", allocation_id)
    if row is None:
        raise ValueError(f"There is no allocation {allocation_id!r}; get_order lists them.")
    order = _order(row["order_id"])
    _at_site(badge, order["site_id"])
    if row["status"] != "reserved":
        raise ValueError(f"Allocation {allocation_id} is {row['status']}.")
    _release(row)
    return {**row, "status": "released"}


def ship_order(badge: str, order_id: str) -> dict[str, Any]:
    """Ship all that is allocated to an order.

    Args:
        badge: badge of the person who ships.
        order_id: the order.
    """
    order = _order(order_id)
    _at_site(badge, order["site_id"])
    if order["status"] not in ("open", "part_shipped"):
        raise ValueError(f"Order {order_id} is {order['status']}.")
    rows = db.find("allocations", {"order_id": order_id, "status": "reserved"})
    if not rows:
        raise ValueError(f"Nothing is allocated to {order_id}: allocate first.")
    short = [n["line"] for n in order["lines"] if n["allocated"] + n["shipped"] < n["qty"]]
    if order["ship_complete"] and short:
        raise ValueError(f"{order_id} ships complete only, and line {short[0]} is short.")
    for row in rows:
        lot, stock = _lot(row["lot_id"]), _stock(row["stock_id"])
        if lot["status"] != "ok":
            raise ValueError(f"Lot {lot['lot_id']} is {lot['status']}: deallocate it first.")
        if _bin(stock["bin_id"])["blocked"]:
            raise ValueError(f"Bin {stock['bin_id']} is blocked: nothing is taken out of it.")
    for row in rows:
        stock = _stock(row["stock_id"])
        left = {
            "on_hand": stock["on_hand"] - row["qty"],
            "reserved": stock["reserved"] - row["qty"],
        }
        db.update("stock", stock["stock_id"], left)
        db.update("allocations", row["allocation_id"], {"status": "shipped"})
        _log("ship", row["lot_id"], stock["bin_id"], None, row["qty"], badge)
    lines = [
        {**n, "allocated": 0, "shipped": n["shipped"] + n["allocated"]} for n in order["lines"]
    ]
    done = all(n["shipped"] == n["qty"] for n in lines)
    db.update("orders", order_id, {"lines": lines, "status": "shipped" if done else "part_shipped"})
    return {"order_id": order_id, "units_shipped": sum(r["qty"] for r in rows), "complete": done}


def cancel_order(badge: str, order_id: str) -> dict[str, Any]:
    """Cancel a customer order of which nothing was shipped; its reservations and backorders go with it.

    Args:
        badge: badge of the person who cancels.
        order_id: the order.
    """
    order = _order(order_id)
    _at_site(badge, order["site_id"])
    if order["status"] != "open":
        raise ValueError(f"Order {order_id} is {order['status']}.")
    if db.find("shipments", {"order_id": order_id, "status": "booked"}):
        raise ValueError(f"A carrier is booked for {order_id}: cancel_shipment first.")
    rows = db.find("allocations", {"order_id": order_id, "status": "reserved"})
    for row in rows:
        _release(row)
    for waiting in db.find("backorders", {"order_id": order_id, "status": "open"}):
        db.update("backorders", waiting["backorder_id"], {"qty": 0, "status": "cancelled"})
    db.update("orders", order_id, {"status": "cancelled"})
    return {"order_id": order_id, "status": "cancelled", "freed": sum(r["qty"] for r in rows)}


# Purchasing


def list_offers(sku: str, qty: int) -> list[dict[str, Any]]:
    """List who offers a product, the cheapest for so many units first, with the day of arrival if ordered now.

    `can_order` is false where the supplier is on hold or not approved for the product.

    Args:
        sku: the product.
        qty: units.
    """
    _product(sku)
    rows = []
    for offer in db.find("offers", {"sku": sku}):
        supplier = _supplier(offer["supplier_id"])
        price = _price(offer, qty)
        rows.append(
            {
                "supplier_id": offer["supplier_id"],
                "supplier": supplier["name"],
                "can_order": offer["approved"] and not supplier["on_hold"],
                "on_hold": supplier["on_hold"],
                "approved": offer["approved"],
                "unit_price": price,
                "total": money(price * qty),
                "min_order": supplier["min_order"],
                "breaks": offer["breaks"],
                "lead_days": supplier["lead_days"],
                "cutoff": supplier["cutoff"],
                "arrives_on": _arrival(supplier),
            }
        )
    return sorted(rows, key=lambda r: (not r["can_order"], r["unit_price"], r["supplier_id"]))


def get_purchase_order(po_id: str) -> dict[str, Any]:
    """Show a purchase order: supplier, lines with what is outstanding, total, the supplier's terms, deliveries.

    Args:
        po_id: the purchase order.
    """
    return _po_view(_po(po_id))


def create_po(badge: str, supplier_id: str, site_id: str) -> dict[str, Any]:
    """Open a draft of a purchase order. For buyers.

    Args:
        badge: badge of the buyer.
        supplier_id: the supplier, from list_offers.
        site_id: where the goods are to go.
    """
    _buyer(badge)
    _supplier(supplier_id)
    _site(site_id)
    row = {
        "po_id": db.next_id("purchase_orders", "P"),
        "supplier_id": supplier_id,
        "site_id": site_id,
        "buyer_id": badge,
        "status": "draft",
        "placed_on": None,
        "due_on": None,
        "lines": [],
        "reason": "",
    }
    return db.insert("purchase_orders", row)


def add_po_line(
    badge: str, po_id: str, sku: str, quantity: int, unit: Literal["case", "pallet"] = "case"
) -> dict[str, Any]:
    """Add a line to a draft; the price is that of the break that the quantity reaches. For buyers.

    Args:
        badge: badge of the buyer.
        po_id: the draft.
        sku: the product.
        quantity: how many.
        unit: of what.
    """
    _buyer(badge)
    po, product = _po(po_id), _product(sku)
    if po["status"] != "draft":
        raise ValueError(f"{po_id} is {po['status']}: only a draft takes lines.")
    if not 1 <= quantity <= 10_000:
        raise ValueError("Order at least one case or pallet, and at most 10,000.")
    if product["discontinued"]:
        instead = f"; its successor is {product['successor']}" if product["successor"] else ""
        raise ValueError(f"{sku} is discontinued{instead}.")
    if any(n["sku"] == sku for n in po["lines"]):
        raise ValueError(f"{po_id} has a line of {sku} already.")
    offers = db.find("offers", {"sku": sku, "supplier_id": po["supplier_id"]})
    if not offers or not offers[0]["approved"]:
        raise ValueError(f"{po['supplier_id']} is not approved for {sku}: list_offers says who is.")
    cases = quantity * product["cases_per_pallet"] if unit == "pallet" else quantity
    qty = cases * product["case_size"]
    line = {
        "line": len(po["lines"]) + 1,
        "sku": sku,
        "ordered": qty,
        "received": 0,
        "price": _price(offers[0], qty),
    }
    return _po_view(db.update("purchase_orders", po_id, {"lines": [*po["lines"], line]}))


def place_po(badge: str, po_id: str) -> dict[str, Any]:
    """Place a draft with the supplier. For buyers.

    Args:
        badge: badge of the buyer.
        po_id: the draft.
    """
    _buyer(badge)
    po = _po(po_id)
    supplier = _supplier(po["supplier_id"])
    if po["status"] != "draft":
        raise ValueError(f"{po_id} is {po['status']}: only a draft is placed.")
    if not po["lines"]:
        raise ValueError(f"{po_id} has no line: add_po_line.")
    if supplier["on_hold"]:
        raise ValueError(f"{supplier['name']} is on hold: nothing is ordered there.")
    for line in po["lines"]:
        if _product(line["sku"])["discontinued"]:
            raise ValueError(f"{line['sku']} is discontinued.")
    total = _total(po)
    if total < supplier["min_order"]:
        raise ValueError(
            f"{po_id} comes to {total:.2f}; {supplier['name']} takes orders from {supplier['min_order']:.2f}."
        )
    fields = {
        "status": "placed",
        "placed_on": clock.today().isoformat(),
        "due_on": _arrival(supplier),
    }
    return _po_view(db.update("purchase_orders", po_id, fields))


def cancel_po(badge: str, po_id: str, reason: str) -> dict[str, Any]:
    """Cancel a purchase order of which nothing has been received. For buyers.

    Args:
        badge: badge of the buyer.
        po_id: the purchase order.
        reason: what the supplier is told.
    """
    _buyer(badge)
    po = _po(po_id)
    if po["status"] in ("closed", "cancelled"):
        raise ValueError(f"{po_id} is {po['status']}.")
    if any(n["received"] for n in po["lines"]):
        raise ValueError(
            f"Something of {po_id} has been received: it can only be closed short (close_po)."
        )
    return _end_po(po_id, "cancelled", reason)


def close_po(badge: str, po_id: str, reason: str) -> dict[str, Any]:
    """Close a partly received purchase order short: what is outstanding will not come. For buyers.

    Args:
        badge: badge of the buyer.
        po_id: the purchase order.
        reason: what the supplier is told.
    """
    _buyer(badge)
    po = _po(po_id)
    if po["status"] != "part_received":
        raise ValueError(f"{po_id} is {po['status']}: only a partly received one is closed short.")
    return _end_po(po_id, "closed", reason)


def get_delivery(delivery_id: str) -> dict[str, Any]:
    """Show a delivery at the dock: what came, for which line, and how much of it may be taken at most.

    Args:
        delivery_id: the number on the delivery note.
    """
    delivery = _delivery(delivery_id)
    po = _po(delivery["po_id"])
    line = _po_line(po, delivery["line"])
    return {
        **delivery,
        "site_id": po["site_id"],
        "supplier": _supplier(po["supplier_id"])["name"],
        "ordered": line["ordered"],
        "received_before": line["received"],
        "may_take": _may_take(po, line),
    }


def receive_delivery(badge: str, delivery_id: str, bin_id: str) -> dict[str, Any]:
    """Take a delivery into stock as a whole; its purchase order becomes part_received or closed.

    Args:
        badge: badge of the person who receives.
        delivery_id: the delivery.
        bin_id: the bin to put it into.
    """
    delivery = _delivery(delivery_id)
    po = _po(delivery["po_id"])
    _at_site(badge, po["site_id"])
    line = _po_line(po, delivery["line"])
    if delivery["status"] != "at_dock":
        raise ValueError(f"Delivery {delivery_id} is received already.")
    if po["status"] not in ON_ORDER:
        raise ValueError(f"{po['po_id']} is {po['status']}: nothing is received for it.")
    qty, most = delivery["qty"], _may_take(po, line)
    if qty > most:
        raise ValueError(
            f"{qty} units came and at most {most} may be taken for line {line['line']} of {po['po_id']}."
        )
    if delivery["expiry"] <= clock.today().isoformat():
        raise ValueError(f"Lot {delivery['lot_id']} expired on {delivery['expiry']}.")
    place, product = _bin(bin_id), _product(delivery["sku"])
    _refuse_bin(place, product, qty, po["site_id"], True)
    lot = _incoming(delivery, po)
    _put_away(place, lot, delivery["sku"], qty)
    lines = [
        {**n, "received": n["received"] + qty} if n["line"] == line["line"] else n
        for n in po["lines"]
    ]
    done = all(n["received"] >= n["ordered"] for n in lines)
    status = "closed" if done else "part_received"
    db.update("purchase_orders", po["po_id"], {"lines": lines, "status": status})
    _log("receipt", lot["lot_id"], None, bin_id, qty, badge)
    taken = {"status": "received", "taken": qty, "bin_id": bin_id}
    return {**db.update("deliveries", delivery_id, taken), "po_status": status}


# Transfers between sites


def create_transfer(badge: str, stock_id: str, to_site: str, qty: int) -> dict[str, Any]:
    """Ask for a transfer of whole cases to another site; nothing leaves before it is dispatched.

    Args:
        badge: badge of the person who asks.
        stock_id: the stock to take from.
        to_site: the other site.
        qty: units.
    """
    stock = _stock(stock_id)
    _at_site(badge, stock["site_id"])
    _site(to_site)
    lot, product = _lot(stock["lot_id"]), _product(stock["sku"])
    if to_site == stock["site_id"]:
        raise ValueError(f"The stock is at {to_site} already.")
    if lot["status"] != "ok":
        raise ValueError(f"Lot {lot['lot_id']} is {lot['status']} and does not travel.")
    _refuse_source(stock, qty)
    if qty % product["case_size"]:
        raise ValueError(f"Only whole cases of {product['case_size']} travel, not {qty} units.")
    row = {
        "transfer_id": db.next_id("transfers", "T"),
        "sku": stock["sku"],
        "lot_id": stock["lot_id"],
        "stock_id": stock_id,
        "from_site": stock["site_id"],
        "to_site": to_site,
        "qty": qty,
        "received": 0,
        "status": "requested",
    }
    return db.insert("transfers", row)


def get_transfer(transfer_id: str) -> dict[str, Any]:
    """Show a transfer between sites.

    Args:
        transfer_id: the transfer.
    """
    return _transfer(transfer_id)


def dispatch_transfer(badge: str, transfer_id: str) -> dict[str, Any]:
    """Send a requested transfer on its way: the units leave their bin and are in transit.

    Args:
        badge: badge of the person who dispatches.
        transfer_id: the transfer.
    """
    transfer = _transfer(transfer_id)
    _at_site(badge, transfer["from_site"])
    if transfer["status"] != "requested":
        raise ValueError(f"Transfer {transfer_id} is {transfer['status']}.")
    stock, lot = _stock(transfer["stock_id"]), _lot(transfer["lot_id"])
    if lot["status"] != "ok":
        raise ValueError(f"Lot {lot['lot_id']} is {lot['status']} and does not travel.")
    _refuse_source(stock, transfer["qty"])
    db.update("stock", stock["stock_id"], {"on_hand": stock["on_hand"] - transfer["qty"]})
    _log("transfer", lot["lot_id"], stock["bin_id"], None, transfer["qty"], badge)
    return db.update("transfers", transfer_id, {"status": "in_transit"})


def receive_transfer(badge: str, transfer_id: str, bin_id: str, qty: int) -> dict[str, Any]:
    """Take a transfer in: `received` when all came, else `short`, and the rest is lost on the road.

    Args:
        badge: badge of the person who receives.
        transfer_id: the transfer.
        bin_id: the bin to put it into.
        qty: units that came.
    """
    transfer = _transfer(transfer_id)
    _at_site(badge, transfer["to_site"])
    if transfer["status"] != "in_transit":
        raise ValueError(f"Transfer {transfer_id} is {transfer['status']}.")
    if not 1 <= qty <= transfer["qty"]:
        raise ValueError(f"{transfer['qty']} units were sent; {qty} cannot have come.")
    place, lot = _bin(bin_id), _lot(transfer["lot_id"])
    if lot["status"] != "ok" and place["kind"] != "hold":
        raise ValueError(f"Lot {lot['lot_id']} is {lot['status']}: it goes into a hold bin.")
    product = _product(transfer["sku"])
    _refuse_bin(place, product, qty, transfer["to_site"], lot["status"] == "ok")
    _put_away(place, lot, transfer["sku"], qty)
    _log("transfer", lot["lot_id"], None, bin_id, qty, badge)
    status = "received" if qty == transfer["qty"] else "short"
    row = db.update("transfers", transfer_id, {"status": status, "received": qty})
    return {**row, "missing": transfer["qty"] - qty}


# Rows, or a refusal that says where to look


def _product(sku: str) -> dict[str, Any]:
    row = db.get("products", sku)
    if row is None:
        raise ValueError(f"There is no product {sku!r}; find_product searches.")
    return row


def _site(site_id: str) -> dict[str, Any]:
    row = db.get("sites", site_id)
    if row is None:
        known = ", ".join(s["site_id"] for s in db.find("sites", {}))
        raise ValueError(f"There is no site {site_id!r}; there are {known}.")
    return row


def _bin(bin_id: str) -> dict[str, Any]:
    row = db.get("bins", bin_id)
    if row is None:
        raise ValueError(f"There is no bin {bin_id!r}; find_bins lists them.")
    return row


def _lot(lot_id: str) -> dict[str, Any]:
    row = db.get("lots", lot_id)
    if row is None:
        raise ValueError(f"There is no lot {lot_id!r}; list_stock shows the lots of a product.")
    return row


def _stock(stock_id: str) -> dict[str, Any]:
    row = db.get("stock", stock_id)
    if row is None:
        raise ValueError(f"There is no stock {stock_id!r}; list_stock and get_bin give the ids.")
    return row


def _supplier(supplier_id: str) -> dict[str, Any]:
    row = db.get("suppliers", supplier_id)
    if row is None:
        raise ValueError(f"There is no supplier {supplier_id!r}; list_offers names them.")
    return row


def _supplier_named(text: str) -> dict[str, Any]:
    found = db.get("suppliers", text) or (db.find("suppliers", {"name": text}) or [None])[0]
    if found is None:
        raise ValueError(f"There is no supplier {text!r}; list_offers names them.")
    return found


def _order(order_id: str) -> dict[str, Any]:
    row = db.get("orders", order_id)
    if row is None:
        raise ValueError(f"There is no customer order {order_id!r}.")
    return row


def _po(po_id: str) -> dict[str, Any]:
    row = db.get("purchase_orders", po_id)
    if row is None:
        raise ValueError(f"There is no purchase order {po_id!r}.")
    return row


def _delivery(delivery_id: str) -> dict[str, Any]:
    row = db.get("deliveries", delivery_id)
    if row is None:
        raise ValueError(f"There is no delivery {delivery_id!r}.")
    return row


def _transfer(transfer_id: str) -> dict[str, Any]:
    row = db.get("transfers", transfer_id)
    if row is None:
        raise ValueError(f"There is no transfer {transfer_id!r}.")
    return row


def _count(count_id: str) -> dict[str, Any]:
    row = db.get("counts", count_id)
    if row is None:
        raise ValueError(f"There is no count {count_id!r}.")
    return row


def _staff(badge: str) -> dict[str, Any]:
    row = db.get("staff", badge)
    if row is None:
        raise ValueError(f"There is no badge {badge!r}.")
    return row


def _order_line(order: dict[str, Any], number: int) -> dict[str, Any]:
    for line in order["lines"]:
        if line["line"] == number:
            return line
    raise ValueError(f"{order['order_id']} has no line {number}.")


def _po_line(po: dict[str, Any], number: int) -> dict[str, Any]:
    for line in po["lines"]:
        if line["line"] == number:
            return line
    raise ValueError(f"{po['po_id']} has no line {number}.")


# Who may


def _at_site(badge: str, site_id: str) -> dict[str, Any]:
    person = _staff(badge)
    if person["site_id"] != site_id:
        raise ValueError(f"{person['name']} works at {person['site_id']}, not at {site_id}.")
    return person


def _buyer(badge: str) -> dict[str, Any]:
    person = _staff(badge)
    if person["role"] != "buyer":
        raise ValueError(f"Only buyers do that; {person['name']} is {person['role']}.")
    return person


# What can go where


def _held(stock: dict[str, Any]) -> str:
    lot = _lot(stock["lot_id"])
    if lot["status"] != "ok":
        return lot["status"]
    return "bin blocked" if _bin(stock["bin_id"])["blocked"] else ""


def _stock_view(stock: dict[str, Any]) -> dict[str, Any]:
    lot, place = _lot(stock["lot_id"]), _bin(stock["bin_id"])
    held = lot["status"] if lot["status"] != "ok" else "bin blocked" if place["blocked"] else ""
    free = stock["on_hand"] - stock["reserved"]
    return {
        **stock,
        "expiry": lot["expiry"],
        "lot_status": lot["status"],
        "bin_kind": place["kind"],
        "held": held,
        "free_qty": free,
        "usable_qty": 0 if held else free,
    }


def _room(place: dict[str, Any]) -> int:
    return place["capacity"] - sum(
        s["on_hand"] for s in db.find("stock", {"bin_id": place["bin_id"]})
    )


def _broken_case(place: dict[str, Any], product: dict[str, Any], qty: int) -> bool:
    return place["kind"] == "bulk" and qty % product["case_size"] > 0


def _refuse_source(stock: dict[str, Any], qty: int) -> None:
    free = stock["on_hand"] - stock["reserved"]
    if _bin(stock["bin_id"])["blocked"]:
        raise ValueError(f"Bin {stock['bin_id']} is blocked: nothing is taken out of it.")
    if qty < 1:
        raise ValueError(f"{qty} is not a number of units.")
    if qty > free:
        raise ValueError(f"{free} units of {stock['stock_id']} are free, not {qty}.")


def _refuse_bin(
    place: dict[str, Any], product: dict[str, Any], qty: int, site_id: str, is_good: bool
) -> None:
    name = place["bin_id"]
    if place["site_id"] != site_id:
        raise ValueError(f"{name} is at {place['site_id']}, not at {site_id}.")
    if place["blocked"]:
        raise ValueError(f"{name} is blocked: {place['block_reason']}.")
    if place["temp"] != product["temp"]:
        raise ValueError(f"{name} is {place['temp']}; {product['sku']} is kept {product['temp']}.")
    if place["hazard"] != product["hazard"]:
        raise ValueError(
            f"{name} is for hazard class {place['hazard']}; {product['sku']} is {product['hazard']}."
        )
    if is_good and place["kind"] == "hold":
        raise ValueError(f"{name} is a hold bin: good stock does not go there.")
    if _broken_case(place, product, qty):
        raise ValueError(f"{name} is a bulk bin and takes whole cases of {product['case_size']}.")
    room = _room(place)
    if qty > room:
        raise ValueError(f"{name} has room for {room} units, not {qty}; find_bins lists others.")


def _refuse_growth(stock: dict[str, Any], counted: int) -> None:
    place = _bin(stock["bin_id"])
    if counted - stock["on_hand"] > _room(place):
        raise ValueError(f"{place['bin_id']} cannot hold {counted} units.")


def _put_away(place: dict[str, Any], lot: dict[str, Any], sku: str, qty: int) -> dict[str, Any]:
    there = db.find("stock", {"bin_id": place["bin_id"], "lot_id": lot["lot_id"]})
    if there:
        more = {"on_hand": there[0]["on_hand"] + qty}
        return db.update("stock", there[0]["stock_id"], more)
    row = {
        "stock_id": db.next_id("stock", "S"),
        "bin_id": place["bin_id"],
        "lot_id": lot["lot_id"],
        "sku": sku,
        "site_id": place["site_id"],
        "on_hand": qty,
        "reserved": 0,
    }
    return db.insert("stock", row)


def _incoming(delivery: dict[str, Any], po: dict[str, Any]) -> dict[str, Any]:
    known = db.get("lots", delivery["lot_id"])
    if known is None:
        row = {
            "lot_id": delivery["lot_id"],
            "sku": delivery["sku"],
            "supplier_id": po["supplier_id"],
            "expiry": delivery["expiry"],
            "status": "ok",
            "reason": "",
        }
        return db.insert("lots", row)
    if known["status"] != "ok" or known["sku"] != delivery["sku"]:
        raise ValueError(
            f"Lot {known['lot_id']} is {known['sku']}, {known['status']}: ask quality."
        )
    return known


def _adjust(stock: dict[str, Any], counted: int, badge: str) -> None:
    db.update("stock", stock["stock_id"], {"on_hand": counted})
    change = counted - stock["on_hand"]
    _log("count", stock["lot_id"], stock["bin_id"], stock["bin_id"], change, badge)


def _log(
    kind: str, lot_id: str, from_bin: str | None, to_bin: str | None, qty: int, badge: str
) -> None:
    row = {
        "move_id": db.next_id("moves", "M"),
        "day": clock.today().isoformat(),
        "kind": kind,
        "lot_id": lot_id,
        "from_bin": from_bin,
        "to_bin": to_bin,
        "qty": qty,
        "staff_id": badge,
    }
    db.insert("moves", row)


# Orders of both kinds


def _set_line(order: dict[str, Any], number: int, fields: dict[str, Any]) -> None:
    lines = [{**n, **fields} if n["line"] == number else n for n in order["lines"]]
    db.update("orders", order["order_id"], {"lines": lines})


def _release(row: dict[str, Any]) -> None:
    stock, order = _stock(row["stock_id"]), _order(row["order_id"])
    db.update("stock", stock["stock_id"], {"reserved": stock["reserved"] - row["qty"]})
    db.update("allocations", row["allocation_id"], {"status": "released"})
    line = _order_line(order, row["line"])
    _set_line(order, row["line"], {"allocated": line["allocated"] - row["qty"]})


def _on_order(sku: str) -> int:
    lines = [
        n
        for po in db.find("purchase_orders", {"lines[].sku": sku})
        if po["status"] in ON_ORDER
        for n in po["lines"]
        if n["sku"] == sku
    ]
    return sum(max(0, n["ordered"] - n["received"]) for n in lines)


def _price(offer: dict[str, Any], qty: int) -> float:
    reached = [b["price"] for b in offer["breaks"] if b["qty"] <= qty]
    return reached[-1] if reached else offer["breaks"][0]["price"]


def _total(po: dict[str, Any]) -> float:
    return money(sum(n["ordered"] * n["price"] for n in po["lines"]))


def _po_view(po: dict[str, Any]) -> dict[str, Any]:
    supplier = _supplier(po["supplier_id"])
    lines = [{**n, "outstanding": max(0, n["ordered"] - n["received"])} for n in po["lines"]]
    return {
        **po,
        "supplier": supplier["name"],
        "on_hold": supplier["on_hold"],
        "min_order": supplier["min_order"],
        "lines": lines,
        "total": _total(po),
        "outstanding": sum(n["outstanding"] for n in lines),
        "deliveries": db.find("deliveries", {"po_id": po["po_id"]}),
    }


def _end_po(po_id: str, status: str, reason: str) -> dict[str, Any]:
    if not reason.strip():
        raise ValueError("Say why: the supplier is told.")
    fields = {"status": status, "reason": reason.strip()}
    return _po_view(db.update("purchase_orders", po_id, fields))


def _may_take(po: dict[str, Any], line: dict[str, Any]) -> int:
    percent = _supplier(po["supplier_id"])["over_pct"]
    return max(0, line["ordered"] * (100 + percent) // 100 - line["received"])


def _arrival(supplier: dict[str, Any]) -> str | None:
    now = clock.now()
    today = db.get("calendar", now.date().isoformat())
    if today is None:
        return None
    late = 1 if now.isoformat()[11:16] > supplier["cutoff"] else 0
    days = db.find("calendar", {"n": today["n"] + late + supplier["lead_days"]})
    return days[0]["day"] if days else None


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day such as 2026-03-25.") from None
    if not 2000 <= day.year <= 2100:
        raise ValueError(f"{text} is too far away.")
    return day
