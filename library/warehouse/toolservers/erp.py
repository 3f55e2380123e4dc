# about:
#   title: An ERP system of few coarse transactions

"""Materials management: documents to query, read, create and change, and goods movements by type.

A plant is a site, a storage bin a bin, a quant what one bin holds of one lot; a vendor is a
supplier. Purchasing counts in cases (CS), stock in each (EA).
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Literal

TOLERATED = 250.0
PAGE = 40
OPEN_PO = ("placed", "confirmed", "part_received")
OPEN_SO = ("open", "part_shipped")


@dataclass
class Item:
    """A line of a purchase order: `material`, `quantity`, and its unit CS (case), PAL (pallet) or EA (each)."""

    material: str
    quantity: int
    uom: Literal["CS", "PAL", "EA"] = "CS"


# Reading


def query_materials(material: str) -> list[dict[str, Any]]:
    """List materials by number, or by some letters of number or description.

    Args:
        material: a material number, or at least three letters.
    """
    return _materials(material)


def query_stock(
    material: str,
    plant: str,
    valid_from: str = "",
    usable_only: bool = False,
    latest_first: bool = False,
) -> dict[str, Any]:
    """List the quants of a material in a plant, the lot that expires first before the others, with totals.

    Args:
        material: a material number.
        plant: a plant, e.g. LDS.
        valid_from: YYYY-MM-DD; leave out what expires before it.
        usable_only: leave out what cannot be promised.
        latest_first: turn the order round.
    """
    _row("products", material)
    _row("sites", plant)
    first = _day(valid_from) if valid_from else ""
    quants = [_quant(s) for s in db.find("stock", {"site_id": plant, "sku": material})]
    quants = [
        q for q in quants if q["expiry"] >= first and (q["usable_quantity"] or not usable_only)
    ]
    quants = sorted(quants, key=lambda q: (q["expiry"], q["quant"]), reverse=latest_first)
    return {
        "material": material,
        "plant": plant,
        "quantity": sum(q["quantity"] for q in quants),
        "committed": sum(q["committed"] for q in quants),
        "usable_quantity": sum(q["usable_quantity"] for q in quants),
        "quants": quants[:PAGE],
    }


def query_lots(vendor: str, valid_to: str) -> dict[str, Any]:
    """List the unrestricted lots of a vendor in stock that expire by a day, earliest first, with their value.

    Args:
        vendor: number or whole name of the vendor.
        valid_to: YYYY-MM-DD, included.
    """
    rows = _lots(vendor, valid_to)
    return {
        "vendor": vendor,
        "hits": len(rows),
        "quantity": sum(r["quantity"] for r in rows),
        "amount": money(sum(r["amount"] for r in rows)),
        "lots": rows[:PAGE],
    }


def query_bins(material: str, plant: str, quantity: int) -> list[dict[str, Any]]:
    """List the storage bins of a plant that could take a quantity of a material, the tightest fit first.

    Args:
        material: a material number.
        plant: a plant.
        quantity: how much has to fit, in EA.
    """
    return _bins(material, plant, quantity)[:PAGE]


def query_backorders(material: str, plant: str) -> list[dict[str, Any]]:
    """List the open backorders of a material in a plant in the order in which they are to be served.

    Args:
        material: a material number.
        plant: a plant.
    """
    return _backorders(material, plant)[:PAGE]


def query_reservations(lot: str) -> list[dict[str, Any]]:
    """List the reservations on a lot.

    Args:
        lot: the lot.
    """
    return _reservations("lot_id", _row("lots", lot)["lot_id"])[:PAGE]


def query_movements(lot: str, storage_bin: str = "") -> list[dict[str, Any]]:
    """List the movements of a lot, the latest first.

    Args:
        lot: the lot.
        storage_bin: only those into this bin.
    """
    return _movements(lot, storage_bin)[:PAGE]


def read_order(order: str) -> dict[str, Any]:
    """Read a purchase order or a sales order with everything that belongs to it.

    Args:
        order: its number.
    """
    sales = db.get("orders", order)
    return _read_so(sales) if sales else _read_po(_row("purchase_orders", order))


def read_stock(quant: str) -> dict[str, Any]:
    """Read the quant under a stock label.

    Args:
        quant: the label.
    """
    return _quant(_row("stock", quant))


def read_lot(lot: str) -> dict[str, Any]:
    """Read a lot with all its quants and reservations, and what was issued of it.

    Args:
        lot: number of the lot.
    """
    return _read_lot(_row("lots", lot))


def read_bin(storage_bin: str) -> dict[str, Any]:
    """Read a storage bin with what lies in it.

    Args:
        storage_bin: name of the bin.
    """
    return _read_bin(_row("bins", storage_bin))


def read_delivery(delivery: str) -> dict[str, Any]:
    """Read an inbound delivery: what came, for which item, and how much of it may be received at most.

    Args:
        delivery: the number on the delivery note.
    """
    return _read_delivery(_row("deliveries", delivery))


def read_transfer(transfer: str) -> dict[str, Any]:
    """Read a transfer between plants.

    Args:
        transfer: its number.
    """
    return _read_transfer(_row("transfers", transfer))


def read_count(count: str) -> dict[str, Any]:
    """Read a count.

    Args:
        count: its number.
    """
    return _read_count(_row("counts", count))


def stock_requirements(material: str) -> dict[str, Any]:
    """Show stock and requirements of a material over all plants, in EA; the lot size in CS.

    `net` = promisable + in_transit + open_purchase - backorders; `action` is ORDER at or below the reorder level.

    Args:
        material: the material number.
    """
    product = _row("products", material)
    quants = [_quant(s) for s in db.find("stock", {"sku": material})]
    transit = sum(t["qty"] for t in db.find("transfers", {"sku": material, "status": "in_transit"}))
    waiting = sum(b["qty"] for b in db.find("backorders", {"sku": material, "status": "open"}))
    promisable = sum(q["usable_quantity"] for q in quants)
    total, purchase = sum(q["quantity"] for q in quants), _open_purchase(material)
    net = promisable + transit + purchase - waiting
    return {
        "material": material,
        "total_stock": total,
        "committed": sum(q["committed"] for q in quants),
        "promisable": promisable,
        "in_transit": transit,
        "stock_and_transit": total + transit,
        "open_purchase": purchase,
        "backorders": waiting,
        "net": net,
        "reorder_level": product["reorder_point"],
        "lot_size": {"quantity": product["reorder_qty"] // product["case_size"], "uom": "CS"},
        "action": "ORDER" if net <= product["reorder_point"] else "NONE",
    }


def source_list(
    material: str, quantity: int, uom: Literal["EA", "CS", "PAL"] = "EA"
) -> dict[str, Any]:
    """List the vendors of a material, the cheapest for this quantity that can be ordered from first.

    Args:
        material: the material number.
        quantity: how many.
        uom: EA (each), CS (case) or PAL (pallet).
    """
    product = _row("products", material)
    each = _each(product, quantity, uom)
    sources = []
    for offer in db.find("offers", {"sku": material}):
        vendor = _row("suppliers", offer["supplier_id"])
        price = _price(offer, each)
        sources.append(
            {
                "vendor": vendor["supplier_id"],
                "vendor_name": vendor["name"],
                "status": _source_status(vendor, offer),
                "price_each": price,
                "price_case": money(price * product["case_size"]),
                "scales": [f"from {b['qty']} EA: {b['price']:.2f}" for b in offer["breaks"]],
                "planned_delivery_days": vendor["lead_days"],
                "order_cutoff": vendor["cutoff"],
                "minimum_value": vendor["min_order"],
                "delivery_date": _delivery_date(vendor),
            }
        )
    ranked = sorted(sources, key=lambda s: (s["status"] != "OK", s["price_each"], s["vendor"]))
    return {"material": material, "quantity_each": each, "sources": ranked}


# Documents


def create_purchase_order(
    user_badge: str, vendor: str, plant: str, items: list[Item], release: bool = False
) -> dict[str, Any]:
    """Create a purchase order with its items, priced by the vendor's scales. For buyers.

    Args:
        user_badge: badge of the buyer.
        vendor: number of the vendor.
        plant: where the goods are to go.
        items: the lines.
        release: place it with the vendor at once; else it stays a draft.
    """
    _role(user_badge, "buyer")
    supplier = _row("suppliers", vendor)
    _row("sites", plant)
    if not items:
        raise ValueError("Purchasing: a purchase order needs an item.")
    if len({item.material for item in items}) < len(items):
        raise ValueError("Purchasing: a material stands in two items; add their quantities up.")
    lines = [_line(number + 1, item, vendor) for number, item in enumerate(items)]
    po = {
        "po_id": db.next_id("purchase_orders", "P"),
        "supplier_id": vendor,
        "site_id": plant,
        "buyer_id": user_badge,
        "status": "draft",
        "placed_on": None,
        "due_on": None,
        "lines": lines,
        "reason": "",
    }
    placed = {**po, **_release(po, supplier)} if release else po
    return _read_po(db.insert("purchase_orders", placed))


def change_status(
    user_badge: str, order_lot_or_count: str, action: Literal["release", "approve"]
) -> dict[str, Any]:
    """Let something go ahead: release a draft of a purchase order (buyers), release a lot (quality), approve a count
    (supervisors).

    Args:
        user_badge: badge of the person who does it.
        order_lot_or_count: number of the purchase order, lot or count.
        action: release or approve.
    """
    if db.get("purchase_orders", order_lot_or_count) and action == "release":
        return _place(user_badge, _row("purchase_orders", order_lot_or_count))
    if db.get("lots", order_lot_or_count) and action == "release":
        return _unrestrict(user_badge, _row("lots", order_lot_or_count))
    if db.get("counts", order_lot_or_count) and action == "approve":
        return _approve(user_badge, _row("counts", order_lot_or_count))
    raise ValueError(
        f"Master data: there is nothing {order_lot_or_count!r} that has an action {action}."
    )


def stop(
    user_badge: str,
    order_lot_or_bin: str,
    action: Literal["cancel", "close", "block", "quarantine"],
    note: str,
) -> dict[str, Any]:
    """Put an end to something, with a note: cancel a sales order; cancel a purchase order, or close one that is partly
    received (buyers); block an empty storage bin (supervisors); put a lot into quarantine.

    Args:
        user_badge: badge of the person who does it.
        order_lot_or_bin: number of the order or lot, or name of the bin.
        action: cancel, close, block or quarantine.
        note: why.
    """
    if not note.strip():
        raise ValueError("Master data: a note that says why is missing.")
    if db.get("purchase_orders", order_lot_or_bin) and action in ("cancel", "close"):
        return _end_po(user_badge, order_lot_or_bin, action, note)
    if db.get("orders", order_lot_or_bin) and action == "cancel":
        return _cancel_so(user_badge, _row("orders", order_lot_or_bin))
    if db.get("lots", order_lot_or_bin) and action == "quarantine":
        return _quarantine(user_badge, _row("lots", order_lot_or_bin), note)
    if db.get("bins", order_lot_or_bin) and action == "block":
        return _block(user_badge, _row("bins", order_lot_or_bin), note)
    raise ValueError(
        f"Master data: there is nothing {order_lot_or_bin!r} that has an action {action}."
    )


def reserve(user_badge: str, order: str, item: int, quant: str, quantity: int) -> dict[str, Any]:
    """Reserve stock of a quant for an item of a sales order; its backorder shrinks by as much.

    Args:
        user_badge: badge of the person who reserves.
        order: number of the sales order.
        item: the item.
        quant: the quant.
        quantity: how many, in EA.
    """
    return _reserve(user_badge, _row("stock", quant), quantity, order, item)


def unreserve(user_badge: str, reservation: str) -> dict[str, Any]:
    """Take a reservation back: the stock is free and the item open again.

    Args:
        user_badge: badge of the person who does it.
        reservation: its number.
    """
    return _unreserve(user_badge, reservation)


def post_movement(
    user_badge: str,
    movement_type: Literal["303", "311"],
    quant: str,
    quantity: int,
    bin_or_plant: str,
) -> dict[str, Any]:
    """Post a movement of a quant, in EA: 311 to a storage bin of the plant, 303 to another plant (under way at once).

    Args:
        user_badge: badge of the person who posts.
        movement_type: 311 (into a bin) or 303 (to a plant).
        quant: the quant.
        quantity: how many, at most its open_quantity.
        bin_or_plant: the storage bin, or the plant.
    """
    stock = _row("stock", quant)
    if movement_type == "303":
        return _transfer_out(user_badge, stock, quantity, bin_or_plant)
    return _bin_to_bin(user_badge, stock, quantity, bin_or_plant)


def post_count(
    user_badge: str,
    quant: str,
    quantity: int,
    reason: Literal["miscount", "damage", "loss", "found"],
) -> dict[str, Any]:
    """Post what was counted of a quant, in EA; a difference above 250.00 at standard price waits for approval.

    Args:
        user_badge: badge of the person who counted.
        quant: the quant.
        quantity: what was found.
        reason: why the books differ.
    """
    return _post_count(user_badge, _row("stock", quant), quantity, reason)


def post_receipt(
    user_badge: str,
    movement_type: Literal["101", "305"],
    delivery_or_transfer: str,
    storage_bin: str,
    quantity: int,
) -> dict[str, Any]:
    """Post a receipt into a storage bin: 101 of a delivery, as a whole; 305 of a transfer, as much of it as came.

    Args:
        user_badge: badge of the person who posts.
        movement_type: 101 (a delivery) or 305 (a transfer).
        delivery_or_transfer: its number.
        storage_bin: where it is put.
        quantity: how many came, in EA.
    """
    if movement_type == "101":
        return _goods_receipt(user_badge, delivery_or_transfer, storage_bin, quantity)
    return _transfer_receipt(user_badge, delivery_or_transfer, storage_bin, quantity)


def post_issue(user_badge: str, order: str) -> dict[str, Any]:
    """Post the goods issue of all that is reserved for a sales order.

    Args:
        user_badge: badge of the person who posts.
        order: number of the sales order.
    """
    return _goods_issue(user_badge, order)


# What queries list


def _materials(text: str) -> list[dict[str, Any]]:
    exact = db.get("products", text.strip().upper())
    wanted = text.strip().lower()
    if not exact and len(wanted) < 3:
        raise ValueError("Materials: give a material number or at least three letters.")
    found = (
        [exact]
        if exact
        else [
            p
            for p in db.find("products", {})
            if wanted in p["sku"].lower() or wanted in p["name"].lower()
        ]
    )
    return [
        {
            "material": p["sku"],
            "description": p["name"],
            "base_uom": "EA",
            "per_case": p["case_size"],
            "cases_per_pallet": p["cases_per_pallet"],
            "standard_price": p["cost"],
            "reorder_level": p["reorder_point"],
            "hazard_class": p["hazard"],
            "storage_condition": p["temp"],
            "abc": p["abc"],
            "deletion_flag": p["discontinued"],
            "follow_up": p["successor"],
        }
        for p in found[:PAGE]
    ]


def _lots(vendor: str, valid_to: str) -> list[dict[str, Any]]:
    named = db.find("suppliers", {"name": vendor})
    supplier = named[0] if named else _row("suppliers", vendor)
    last, rows = _day(valid_to), []
    for lot in db.find("lots", {"supplier_id": supplier["supplier_id"], "status": "ok"}):
        if lot["expiry"] <= last:
            units = sum(s["on_hand"] for s in db.find("stock", {"lot_id": lot["lot_id"]}))
            if units:
                amount = money(units * _row("products", lot["sku"])["cost"])
                rows.append({**_lot(lot), "quantity": units, "amount": amount})
    return sorted(rows, key=lambda r: (r["expiry"], r["lot"]))


def _bins(material: str, plant: str, quantity: int) -> list[dict[str, Any]]:
    product, rows = _row("products", material), []
    _row("sites", plant)
    for place in db.find("bins", {"site_id": plant, "hazard": product["hazard"]}):
        if place["temp"] == product["temp"] and place["kind"] != "hold" and not place["blocked"]:
            room = _space(place)
            whole = place["kind"] == "pick" or quantity % product["case_size"] == 0
            if room >= quantity and whole:
                rows.append(
                    {"storage_bin": place["bin_id"], "bin_type": place["kind"], "space": room}
                )
    return sorted(rows, key=lambda r: (r["space"], r["storage_bin"]))


def _backorders(material: str, plant: str) -> list[dict[str, Any]]:
    _row("products", material)
    _row("sites", plant)
    found = db.find("backorders", {"sku": material, "site_id": plant, "status": "open"})
    found = sorted(found, key=lambda b: (b["priority"], b["due_on"], b["backorder_id"]))
    return [
        {
            "order": b["order_id"],
            "item": b["line"],
            "quantity": b["qty"],
            "delivery_date": b["due_on"],
            "priority": b["priority"],
        }
        for b in found
    ]


def _reservations(field: str, value: str) -> list[dict[str, Any]]:
    return [
        {
            "reservation": a["allocation_id"],
            "order": a["order_id"],
            "item": a["line"],
            "quant": a["stock_id"],
            "lot": a["lot_id"],
            "quantity": a["qty"],
        }
        for a in db.find("allocations", {field: value})
        if a["status"] == "reserved"
    ]


def _movements(lot: str, storage_bin: str) -> list[dict[str, Any]]:
    _row("lots", lot)
    moves = [m for m in db.find("moves", {"lot_id": lot}) if storage_bin in ("", m["to_bin"])]
    moves = sorted(moves, key=lambda m: (m["day"], m["move_id"]), reverse=True)
    return [
        {
            "document": m["move_id"],
            "posting_date": m["day"],
            "kind": m["kind"],
            "from": m["from_bin"],
            "to": m["to_bin"],
            "quantity": m["qty"],
            "user": m["staff_id"],
            "user_name": _row("staff", m["staff_id"])["name"],
        }
        for m in moves
    ]


# What documents show


def _lot(lot: dict[str, Any]) -> dict[str, Any]:
    return {
        "lot": lot["lot_id"],
        "material": lot["sku"],
        "vendor": lot["supplier_id"],
        "expiry": lot["expiry"],
        "status": "unrestricted" if lot["status"] == "ok" else lot["status"],
        "note": lot["reason"],
    }


def _quant(stock: dict[str, Any]) -> dict[str, Any]:
    lot, place = _row("lots", stock["lot_id"]), _row("bins", stock["bin_id"])
    open_quantity = stock["on_hand"] - stock["reserved"]
    usable = lot["status"] == "ok" and not place["blocked"]
    return {
        "quant": stock["stock_id"],
        "storage_bin": stock["bin_id"],
        "bin_type": place["kind"],
        "bin_blocked": place["blocked"],
        "lot": stock["lot_id"],
        "lot_status": "unrestricted" if lot["status"] == "ok" else lot["status"],
        "expiry": lot["expiry"],
        "material": stock["sku"],
        "plant": stock["site_id"],
        "quantity": stock["on_hand"],
        "committed": stock["reserved"],
        "open_quantity": open_quantity,
        "usable_quantity": open_quantity if usable else 0,
    }


def _read_lot(lot: dict[str, Any]) -> dict[str, Any]:
    quants = [_quant(s) for s in db.find("stock", {"lot_id": lot["lot_id"]})]
    allocations = db.find("allocations", {"lot_id": lot["lot_id"], "status": "shipped"})
    return {
        **_lot(lot),
        "total": sum(q["quantity"] for q in quants),
        "committed": sum(q["committed"] for q in quants),
        "quants": quants,
        "reservations": _reservations("lot_id", lot["lot_id"]),
        "issued": sum(a["qty"] for a in allocations),
        "issued_to": sorted({a["order_id"] for a in allocations}),
    }


def _read_bin(place: dict[str, Any]) -> dict[str, Any]:
    quants = [_quant(s) for s in db.find("stock", {"bin_id": place["bin_id"]}) if s["on_hand"]]
    return {
        "storage_bin": place["bin_id"],
        "plant": place["site_id"],
        "bin_type": place["kind"],
        "hazard_class": place["hazard"],
        "storage_condition": place["temp"],
        "blocked": place["block_reason"] if place["blocked"] else "",
        "capacity": place["capacity"],
        "space": _space(place),
        "quants": quants,
    }


def _read_po(po: dict[str, Any]) -> dict[str, Any]:
    vendor, items = _row("suppliers", po["supplier_id"]), []
    for line in po["lines"]:
        size = _row("products", line["sku"])["case_size"]
        items.append(
            {
                "item": line["line"],
                "material": line["sku"],
                "ordered": f"{line['ordered'] // size} CS",
                "ordered_each": line["ordered"],
                "received_each": line["received"],
                "due_each": max(0, line["ordered"] - line["received"]),
                "price_each": line["price"],
                "price_case": money(line["price"] * size),
                "net_value": money(line["price"] * line["ordered"]),
            }
        )
    return {
        "order": po["po_id"],
        "vendor": po["supplier_id"],
        "vendor_name": vendor["name"],
        "vendor_blocked": vendor["on_hold"],
        "minimum_value": vendor["min_order"],
        "plant": po["site_id"],
        "status": po["status"],
        "delivery_date": po["due_on"],
        "items": items,
        "net_value": _value(po),
        "due_each": sum(i["due_each"] for i in items),
        "deliveries": [d["delivery_id"] for d in db.find("deliveries", {"po_id": po["po_id"]})],
    }


def _read_so(order: dict[str, Any]) -> dict[str, Any]:
    customer = _row("customers", order["customer_id"])
    last = date.fromisoformat(order["due_on"]) + timedelta(days=customer["min_life_days"])
    items = [
        {
            "item": n["line"],
            "material": n["sku"],
            "order_quantity": n["qty"],
            "reserved": n["allocated"],
            "issued": n["shipped"],
            "open_quantity": n["qty"] - n["allocated"] - n["shipped"],
        }
        for n in order["lines"]
    ]
    shipments = db.find("shipments", {"order_id": order["order_id"]})
    return {
        "order": order["order_id"],
        "customer": customer["name"],
        "plant": order["site_id"],
        "status": order["status"],
        "delivery_date": order["due_on"],
        "complete_delivery": order["ship_complete"],
        "delivery_priority": order["priority"],
        "minimum_expiry": last.isoformat(),
        "items": items,
        "ordered_total": sum(i["order_quantity"] for i in items),
        "reserved_total": sum(i["reserved"] for i in items),
        "open_total": sum(i["open_quantity"] for i in items),
        "reservations": _reservations("order_id", order["order_id"]),
        "consignments": [
            {"consignment": s["shipment_id"], "state": s["status"]} for s in shipments
        ],
    }


def _read_delivery(row: dict[str, Any]) -> dict[str, Any]:
    po = _row("purchase_orders", row["po_id"])
    line = _item(po["lines"], row["line"])
    return {
        "delivery": row["delivery_id"],
        "purchase_order": row["po_id"],
        "item": row["line"],
        "plant": po["site_id"],
        "material": row["sku"],
        "lot": row["lot_id"],
        "expiry": row["expiry"],
        "quantity": row["qty"],
        "status": row["status"],
        "maximum_receipt": _maximum(po, line),
        "due_each": max(0, line["ordered"] - line["received"]),
    }


def _read_transfer(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "transfer": row["transfer_id"],
        "material": row["sku"],
        "lot": row["lot_id"],
        "from_plant": row["from_site"],
        "to_plant": row["to_site"],
        "quantity": row["qty"],
        "received": row["received"],
        "difference": row["qty"] - row["received"],
        "status": row["status"],
    }


def _read_count(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "count": row["count_id"],
        "quant": row["stock_id"],
        "counted_quantity": row["counted"],
        "difference": row["delta"],
        "difference_value": row["value"],
        "reason": row["reason"],
        "counted_by": row["counted_by"],
        "approved_by": row["approved_by"],
        "status": row["status"],
    }


# Changes of purchase orders


def _line(number: int, item: Item, vendor: str) -> dict[str, Any]:
    product = _row("products", item.material)
    each = _each(product, item.quantity, item.uom)
    if product["discontinued"]:
        raise ValueError(
            f"Purchasing: material {item.material} is flagged for deletion (follow-up: {product['successor']})."
        )
    if each % product["case_size"]:
        raise ValueError(f"Purchasing: {each} EA are no whole cases of {product['case_size']}.")
    offers = db.find("offers", {"sku": item.material, "supplier_id": vendor})
    if not offers or not offers[0]["approved"]:
        raise ValueError(f"Purchasing: vendor {vendor} is no approved source of {item.material}.")
    price = _price(offers[0], each)
    return {
        "line": number,
        "sku": item.material,
        "ordered": each,
        "received": 0,
        "price": price,
    }


def _release(po: dict[str, Any], vendor: dict[str, Any]) -> dict[str, Any]:
    if vendor["on_hold"]:
        raise ValueError(f"Purchasing: vendor {vendor['supplier_id']} is blocked for purchasing.")
    if not po["lines"]:
        raise ValueError("Purchasing: a purchase order needs an item.")
    if any(_row("products", n["sku"])["discontinued"] for n in po["lines"]):
        raise ValueError("Purchasing: a material of the order is flagged for deletion.")
    if _value(po) < vendor["min_order"]:
        raise ValueError(
            f"Purchasing: net value {_value(po):.2f} is below the minimum of {vendor['min_order']:.2f}."
        )
    return {
        "status": "placed",
        "placed_on": clock.today().isoformat(),
        "due_on": _delivery_date(vendor),
    }


def _place(badge: str, po: dict[str, Any]) -> dict[str, Any]:
    _role(badge, "buyer")
    if po["status"] != "draft":
        raise ValueError(f"Purchasing: {po['po_id']} is {po['status']}, no draft.")
    fields = _release(po, _row("suppliers", po["supplier_id"]))
    return _read_po(db.update("purchase_orders", po["po_id"], fields))


def _end_po(badge: str, number: str, action: str, note: str) -> dict[str, Any]:
    _role(badge, "buyer")
    po = _row("purchase_orders", number)
    received = any(n["received"] for n in po["lines"])
    if po["status"] in ("closed", "cancelled"):
        raise ValueError(f"Purchasing: {number} is {po['status']}.")
    if action == "cancel" and received:
        raise ValueError(
            f"Purchasing: goods were received for {number}; action close ends the rest."
        )
    if action == "close" and po["status"] != "part_received":
        raise ValueError(f"Purchasing: {number} is {po['status']}, not partly received.")
    status = "cancelled" if action == "cancel" else "closed"
    fields = {"status": status, "reason": note.strip()}
    return _read_po(db.update("purchase_orders", number, fields))


# Other changes of status


def _cancel_so(badge: str, order: dict[str, Any]) -> dict[str, Any]:
    number = order["order_id"]
    _plant(badge, order["site_id"])
    if order["status"] != "open":
        raise ValueError(f"Sales: sales order {number} is {order['status']}.")
    if db.find("shipments", {"order_id": number, "status": "booked"}):
        raise ValueError(f"Sales: a consignment of {number} is booked; have it cancelled first.")
    for allocation in db.find("allocations", {"order_id": number, "status": "reserved"}):
        _give_back(allocation)
    for waiting in db.find("backorders", {"order_id": number, "status": "open"}):
        db.update("backorders", waiting["backorder_id"], {"qty": 0, "status": "cancelled"})
    return _read_so(db.update("orders", number, {"status": "cancelled"}))


def _approve(badge: str, count: dict[str, Any]) -> dict[str, Any]:
    stock = _row("stock", count["stock_id"])
    _plant(badge, stock["site_id"])
    _role(badge, "supervisor")
    if count["status"] != "pending":
        raise ValueError(f"Inventory: count {count['count_id']} is posted.")
    _set_stock(badge, stock, count["counted"])
    fields = {"status": "posted", "approved_by": badge}
    return _read_count(db.update("counts", count["count_id"], fields))


def _quarantine(badge: str, lot: dict[str, Any], note: str) -> dict[str, Any]:
    _row("staff", badge)
    if lot["status"] != "ok":
        raise ValueError(f"Quality: lot {lot['lot_id']} is {lot['status']}.")
    fields = {"status": "quarantine", "reason": note.strip()}
    return _read_lot(db.update("lots", lot["lot_id"], fields))


def _unrestrict(badge: str, lot: dict[str, Any]) -> dict[str, Any]:
    _role(badge, "quality")
    if lot["status"] != "quarantine":
        raise ValueError(f"Quality: lot {lot['lot_id']} is {lot['status']}, not in quarantine.")
    if lot["expiry"] <= clock.today().isoformat():
        raise ValueError(f"Quality: lot {lot['lot_id']} expired on {lot['expiry']}.")
    return _read_lot(db.update("lots", lot["lot_id"], {"status": "ok", "reason": ""}))


def _block(badge: str, place: dict[str, Any], note: str) -> dict[str, Any]:
    _plant(badge, place["site_id"])
    _role(badge, "supervisor")
    if place["blocked"]:
        raise ValueError(f"Storage: {place['bin_id']} is blocked already.")
    if any(s["on_hand"] for s in db.find("stock", {"bin_id": place["bin_id"]})):
        raise ValueError(f"Storage: {place['bin_id']} is not empty.")
    fields = {"blocked": True, "block_reason": note.strip()}
    return _read_bin(db.update("bins", place["bin_id"], fields))


# Movements


def _goods_receipt(badge: str, number: str, storage_bin: str, quantity: int) -> dict[str, Any]:
    row = _row("deliveries", number)
    po = _row("purchase_orders", row["po_id"])
    _plant(badge, po["site_id"])
    line = _item(po["lines"], row["line"])
    if row["status"] != "at_dock" or po["status"] not in OPEN_PO:
        raise ValueError(f"Inventory: nothing is open for delivery {number}.")
    if quantity != row["qty"]:
        raise ValueError(f"Inventory: {row['qty']} EA came with {number}; it is taken as a whole.")
    if row["qty"] > _maximum(po, line):
        raise ValueError(
            f"Inventory: {row['qty']} EA exceed the maximum receipt of {_maximum(po, line)} EA."
        )
    if row["expiry"] <= clock.today().isoformat():
        raise ValueError(f"Inventory: lot {row['lot_id']} expired on {row['expiry']}.")
    known = db.get("lots", row["lot_id"])
    if known and (known["status"] != "ok" or known["sku"] != row["sku"]):
        raise ValueError(f"Inventory: lot {row['lot_id']} is {known['sku']}, {known['status']}.")
    lot = known or {
        "lot_id": row["lot_id"],
        "sku": row["sku"],
        "supplier_id": po["supplier_id"],
        "expiry": row["expiry"],
        "status": "ok",
        "reason": "",
    }
    place = _row("bins", storage_bin)
    _fits(place, _row("products", row["sku"]), row["qty"], po["site_id"], True)
    if not known:
        db.insert("lots", lot)
    stock = _store(place, lot, row["qty"])
    more = {"received": line["received"] + row["qty"]}
    lines = [{**n, **more} if n["line"] == line["line"] else n for n in po["lines"]]
    done = all(n["received"] >= n["ordered"] for n in lines)
    status = "closed" if done else "part_received"
    db.update("purchase_orders", po["po_id"], {"lines": lines, "status": status})
    taken = {"status": "received", "taken": row["qty"], "bin_id": storage_bin}
    db.update("deliveries", number, taken)
    _record("receipt", lot["lot_id"], None, storage_bin, row["qty"], badge)
    return {"quant": _quant(stock), "purchase_order_status": status}


def _transfer_out(badge: str, stock: dict[str, Any], quantity: int, plant: str) -> dict[str, Any]:
    _plant(badge, stock["site_id"])
    _row("sites", plant)
    size = _row("products", stock["sku"])["case_size"]
    if plant == stock["site_id"]:
        raise ValueError(f"Inventory: the quant is in plant {plant} already.")
    _unrestricted(stock)
    _takes(stock, quantity)
    if quantity % size:
        raise ValueError(f"Inventory: {quantity} EA are no whole cases of {size}.")
    row = {
        "transfer_id": db.next_id("transfers", "T"),
        "sku": stock["sku"],
        "lot_id": stock["lot_id"],
        "stock_id": stock["stock_id"],
        "from_site": stock["site_id"],
        "to_site": plant,
        "qty": quantity,
        "received": 0,
        "status": "in_transit",
    }
    db.update("stock", stock["stock_id"], {"on_hand": stock["on_hand"] - quantity})
    _record("transfer", stock["lot_id"], stock["bin_id"], None, quantity, badge)
    return _read_transfer(db.insert("transfers", row))


def _transfer_receipt(badge: str, number: str, storage_bin: str, quantity: int) -> dict[str, Any]:
    row = _row("transfers", number)
    _plant(badge, row["to_site"])
    if row["status"] != "in_transit":
        raise ValueError(f"Inventory: transfer {number} is {row['status']}.")
    if not 1 <= quantity <= row["qty"]:
        raise ValueError(f"Inventory: {row['qty']} EA are under way, not {quantity}.")
    place, lot = _row("bins", storage_bin), _row("lots", row["lot_id"])
    is_good = lot["status"] == "ok"
    _fits(place, _row("products", row["sku"]), quantity, row["to_site"], is_good)
    if not is_good and place["kind"] != "hold":
        raise ValueError(f"Inventory: lot {lot['lot_id']} is {lot['status']}: use a hold bin.")
    _store(place, lot, quantity)
    _record("transfer", lot["lot_id"], None, storage_bin, quantity, badge)
    status = "received" if quantity == row["qty"] else "short"
    fields = {"status": status, "received": quantity}
    return _read_transfer(db.update("transfers", number, fields))


def _goods_issue(badge: str, number: str) -> dict[str, Any]:
    order = _row("orders", number)
    _plant(badge, order["site_id"])
    rows = db.find("allocations", {"order_id": number, "status": "reserved"})
    if order["status"] not in OPEN_SO or not rows:
        raise ValueError(f"Sales: nothing is reserved for sales order {number}.")
    if order["ship_complete"] and any(
        n["allocated"] + n["shipped"] < n["qty"] for n in order["lines"]
    ):
        raise ValueError(f"Sales: {number} demands complete delivery and an item is short.")
    for row in rows:
        stock = _row("stock", row["stock_id"])
        _unrestricted(stock)
        _open_bin(stock)
    for row in rows:
        stock = _row("stock", row["stock_id"])
        less = {
            "on_hand": stock["on_hand"] - row["qty"],
            "reserved": stock["reserved"] - row["qty"],
        }
        db.update("stock", row["stock_id"], less)
        db.update("allocations", row["allocation_id"], {"status": "shipped"})
        _record("ship", row["lot_id"], stock["bin_id"], None, row["qty"], badge)
    lines = [
        {**n, "shipped": n["shipped"] + n["allocated"], "allocated": 0} for n in order["lines"]
    ]
    status = "shipped" if all(n["shipped"] == n["qty"] for n in lines) else "part_shipped"
    return _read_so(db.update("orders", number, {"lines": lines, "status": status}))


def _bin_to_bin(
    badge: str, stock: dict[str, Any], quantity: int, storage_bin: str
) -> dict[str, Any]:
    person = _plant(badge, stock["site_id"])
    place, lot = _row("bins", storage_bin), _row("lots", stock["lot_id"])
    is_good = lot["status"] == "ok"
    if storage_bin == stock["bin_id"]:
        raise ValueError(f"Inventory: the quant lies in {storage_bin}.")
    if not is_good and (person["role"] != "quality" or place["kind"] != "hold"):
        raise ValueError(f"Inventory: lot {lot['lot_id']} is {lot['status']}: quality, hold bin.")
    _takes(stock, quantity)
    _fits(place, _row("products", stock["sku"]), quantity, stock["site_id"], is_good)
    left = db.update("stock", stock["stock_id"], {"on_hand": stock["on_hand"] - quantity})
    target = _store(place, lot, quantity)
    _record("putaway", lot["lot_id"], stock["bin_id"], storage_bin, quantity, badge)
    return {"from": _quant(left), "to": _quant(target)}


def _post_count(badge: str, stock: dict[str, Any], found: int, reason: str) -> dict[str, Any]:
    _plant(badge, stock["site_id"])
    if not 0 <= found <= 1_000_000:
        raise ValueError(f"Inventory: {found} EA is no quantity of a bin.")
    if db.find("counts", {"stock_id": stock["stock_id"], "status": "pending"}):
        raise ValueError(f"Inventory: a count of {stock['stock_id']} is pending.")
    _countable(stock, found)
    delta = found - stock["on_hand"]
    value = money(abs(delta) * _row("products", stock["sku"])["cost"])
    row = {
        "count_id": db.next_id("counts", "C"),
        "stock_id": stock["stock_id"],
        "counted": found,
        "delta": delta,
        "value": value,
        "reason": reason,
        "counted_by": badge,
        "approved_by": None,
        "status": "pending" if value > TOLERATED else "posted",
    }
    db.insert("counts", row)
    if row["status"] == "posted":
        _set_stock(badge, stock, found)
    return _read_count(row)


def _reserve(
    badge: str, stock: dict[str, Any], quantity: int, number: str, item: int
) -> dict[str, Any]:
    order = _row("orders", number)
    _plant(badge, order["site_id"])
    line = _item(order["lines"], item)
    needed = line["qty"] - line["allocated"] - line["shipped"]
    if order["status"] not in OPEN_SO:
        raise ValueError(f"Sales: sales order {number} is {order['status']}.")
    if (stock["sku"], stock["site_id"]) != (line["sku"], order["site_id"]):
        raise ValueError(f"Sales: {stock['stock_id']} does not fit item {item} of {number}.")
    _unrestricted(stock)
    _takes(stock, quantity)
    if quantity > needed:
        raise ValueError(f"Sales: item {item} of {number} needs {needed} EA, not {quantity}.")
    db.update("stock", stock["stock_id"], {"reserved": stock["reserved"] + quantity})
    row = {
        "allocation_id": db.next_id("allocations", "A"),
        "order_id": number,
        "line": item,
        "stock_id": stock["stock_id"],
        "lot_id": stock["lot_id"],
        "sku": stock["sku"],
        "qty": quantity,
        "status": "reserved",
    }
    db.insert("allocations", row)
    _change_line(order, item, line["allocated"] + quantity)
    for waiting in db.find("backorders", {"order_id": number, "line": item, "status": "open"}):
        rest = max(0, waiting["qty"] - quantity)
        fields = {"qty": rest, "status": "open" if rest else "filled"}
        db.update("backorders", waiting["backorder_id"], fields)
    return {"reservation": row["allocation_id"], "open_quantity": needed - quantity}


def _unreserve(badge: str, number: str) -> dict[str, Any]:
    row = _row("allocations", number)
    _plant(badge, _row("orders", row["order_id"])["site_id"])
    if row["status"] != "reserved":
        raise ValueError(f"Sales: reservation {number} is {row['status']}.")
    _give_back(row)
    return {"reservation": number, "returned_quantity": row["qty"], "order": row["order_id"]}


# What movements have in common


def _give_back(row: dict[str, Any]) -> None:
    stock, order = _row("stock", row["stock_id"]), _row("orders", row["order_id"])
    db.update("stock", row["stock_id"], {"reserved": stock["reserved"] - row["qty"]})
    db.update("allocations", row["allocation_id"], {"status": "released"})
    reserved = _item(order["lines"], row["line"])["allocated"]
    _change_line(order, row["line"], reserved - row["qty"])


def _change_line(order: dict[str, Any], item: int, reserved: int) -> None:
    lines = [{**n, "allocated": reserved} if n["line"] == item else n for n in order["lines"]]
    db.update("orders", order["order_id"], {"lines": lines})


def _countable(stock: dict[str, Any], found: int) -> None:
    if found < stock["reserved"]:
        raise ValueError(f"Inventory: {stock['reserved']} EA of {stock['stock_id']} are committed.")
    if found - stock["on_hand"] > _space(_row("bins", stock["bin_id"])):
        raise ValueError(f"Inventory: {stock['bin_id']} cannot hold {found} EA.")


def _set_stock(badge: str, stock: dict[str, Any], found: int) -> None:
    _countable(stock, found)
    db.update("stock", stock["stock_id"], {"on_hand": found})
    change = found - stock["on_hand"]
    _record("count", stock["lot_id"], stock["bin_id"], stock["bin_id"], change, badge)


def _store(place: dict[str, Any], lot: dict[str, Any], quantity: int) -> dict[str, Any]:
    there = db.find("stock", {"bin_id": place["bin_id"], "lot_id": lot["lot_id"]})
    if there:
        more = {"on_hand": there[0]["on_hand"] + quantity}
        return db.update("stock", there[0]["stock_id"], more)
    row = {
        "stock_id": db.next_id("stock", "S"),
        "bin_id": place["bin_id"],
        "lot_id": lot["lot_id"],
        "sku": lot["sku"],
        "site_id": place["site_id"],
        "on_hand": quantity,
        "reserved": 0,
    }
    return db.insert("stock", row)


def _unrestricted(stock: dict[str, Any]) -> None:
    lot = _row("lots", stock["lot_id"])
    if lot["status"] != "ok":
        raise ValueError(f"Inventory: lot {lot['lot_id']} is {lot['status']}.")


def _open_bin(stock: dict[str, Any]) -> None:
    if _row("bins", stock["bin_id"])["blocked"]:
        raise ValueError(f"Storage: storage bin {stock['bin_id']} is blocked.")


def _takes(stock: dict[str, Any], quantity: int) -> None:
    _open_bin(stock)
    free = stock["on_hand"] - stock["reserved"]
    if not 1 <= quantity <= free:
        raise ValueError(
            f"Inventory: {free} EA of {stock['stock_id']} are uncommitted, not {quantity}."
        )


def _fits(
    place: dict[str, Any], product: dict[str, Any], quantity: int, plant: str, is_good: bool
) -> None:
    name = place["bin_id"]
    if place["site_id"] != plant:
        raise ValueError(f"Storage: {name} belongs to plant {place['site_id']}.")
    if place["blocked"]:
        raise ValueError(f"Storage: storage bin {name} is blocked.")
    if (place["temp"], place["hazard"]) != (product["temp"], product["hazard"]):
        raise ValueError(
            f"Storage: {name} ({place['temp']}, {place['hazard']}) does not suit {product['sku']}"
            f" ({product['temp']}, {product['hazard']})."
        )
    if is_good and place["kind"] == "hold":
        raise ValueError(f"Storage: {name} is for blocked stock only.")
    if place["kind"] == "bulk" and quantity % product["case_size"]:
        raise ValueError(f"Storage: {name} takes whole cases of {product['case_size']} EA.")
    if quantity > _space(place):
        raise ValueError(f"Storage: space for {_space(place)} EA is left in {name}.")


def _space(place: dict[str, Any]) -> int:
    lying = db.find("stock", {"bin_id": place["bin_id"]})
    return place["capacity"] - sum(s["on_hand"] for s in lying)


def _record(
    kind: str, lot: str, source: str | None, target: str | None, quantity: int, badge: str
) -> None:
    row = {
        "move_id": db.next_id("moves", "M"),
        "day": clock.today().isoformat(),
        "kind": kind,
        "lot_id": lot,
        "from_bin": source,
        "to_bin": target,
        "qty": quantity,
        "staff_id": badge,
    }
    db.insert("moves", row)


# Rows, people, prices and days


def _row(table: str, key: str) -> dict[str, Any]:
    row = db.get(table, key)
    if row is None:
        raise ValueError(f"Master data: {key!r} does not exist in {table.replace('_', ' ')}.")
    return row


def _item(lines: list[dict[str, Any]], number: int) -> dict[str, Any]:
    for line in lines:
        if line["line"] == number:
            return line
    raise ValueError(f"Master data: there is no item {number}.")


def _plant(badge: str, plant: str) -> dict[str, Any]:
    person = _row("staff", badge)
    if person["site_id"] != plant:
        raise ValueError(f"Authorisation: {person['name']} has no authorisation for plant {plant}.")
    return person


def _role(badge: str, role: str) -> None:
    person = _row("staff", badge)
    if person["role"] != role:
        raise ValueError(
            f"Authorisation: {person['name']} is {person['role']}; this is for {role}."
        )


def _each(product: dict[str, Any], quantity: int, uom: str) -> int:
    if not 1 <= quantity <= 1_000_000:
        raise ValueError(f"Master data: {quantity} is no quantity to order.")
    cases = {"CS": 1, "PAL": product["cases_per_pallet"]}
    return quantity * product["case_size"] * cases[uom] if uom in cases else quantity


def _price(offer: dict[str, Any], each: int) -> float:
    reached = [b["price"] for b in offer["breaks"] if b["qty"] <= each]
    return reached[-1] if reached else offer["breaks"][0]["price"]


def _source_status(vendor: dict[str, Any], offer: dict[str, Any]) -> str:
    if vendor["on_hold"]:
        return "VENDOR BLOCKED"
    return "OK" if offer["approved"] else "NOT APPROVED"


def _value(po: dict[str, Any]) -> float:
    return money(sum(n["ordered"] * n["price"] for n in po["lines"]))


def _open_purchase(material: str) -> int:
    orders = [
        po
        for po in db.find("purchase_orders", {"lines[].sku": material})
        if po["status"] in OPEN_PO
    ]
    lines = [n for po in orders for n in po["lines"] if n["sku"] == material]
    return sum(max(0, n["ordered"] - n["received"]) for n in lines)


def _maximum(po: dict[str, Any], line: dict[str, Any]) -> int:
    percent = 100 + _row("suppliers", po["supplier_id"])["over_pct"]
    return max(0, line["ordered"] * percent // 100 - line["received"])


def _delivery_date(vendor: dict[str, Any]) -> str | None:
    now = clock.now().isoformat()
    today = db.get("calendar", now[:10])
    if today is None:
        return None
    start = today["n"] + (1 if now[11:16] > vendor["cutoff"] else 0)
    days = db.find("calendar", {"n": start + vendor["lead_days"]})
    return days[0]["day"] if days else None


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"Master data: {text!r} is no date such as 2026-03-25.") from None
