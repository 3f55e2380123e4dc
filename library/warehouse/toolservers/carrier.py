# about:
#   title: The booking desk of the carriers

"""Consignments with carriers: what services cost and when they arrive, bookings, labels."""

from typing import Any


def quote_services(order_id: str) -> dict[str, Any]:
    """Quote the services that could take a customer order, the cheapest first, with pick-up and arrival.

    `in_time` says whether it arrives by the day the order is due; `suits` whether it may carry the goods.

    Args:
        order_id: the customer order.
    """
    order = _order(order_id)
    rows = [_quote(service, order) for service in db.find("services", {"area": "mainland"})]
    rows = sorted(rows, key=lambda r: (not r["bookable"], r["price"], r["service_id"]))
    arrivals = [r["arrive_on"] for r in rows if r["suits"]]
    return {
        "order_id": order_id,
        "due_on": order["due_on"],
        "units": _units(order),
        "hazardous": _is_hazardous(order),
        "earliest_arrival": min(arrivals) if arrivals else None,
        "quotes": rows,
    }


def find_shipments(order_id: str) -> list[dict[str, Any]]:
    """List the shipments of a customer order, cancelled ones too.

    Args:
        order_id: the customer order.
    """
    _order(order_id)
    return db.find("shipments", {"order_id": order_id})


def book_shipment(badge: str, order_id: str, service_id: str) -> dict[str, Any]:
    """Book a service for a customer order.

    Args:
        badge: badge of the person who books.
        order_id: the customer order.
        service_id: the service, from quote_services.
    """
    order, service = _order(order_id), db.get("services", service_id)
    person = _person(badge, order["site_id"])
    if service is None:
        raise ValueError(f"There is no service {service_id!r}; quote_services lists them.")
    if order["status"] == "cancelled":
        raise ValueError(f"Order {order_id} is cancelled.")
    if [s for s in db.find("shipments", {"order_id": order_id}) if s["status"] != "cancelled"]:
        raise ValueError(f"Order {order_id} has a shipment already; find_shipments shows it.")
    quote = _quote(service, order)
    if quote["units"] == 0:
        raise ValueError(f"Nothing of order {order_id} is ready to travel.")
    if not quote["suits"]:
        raise ValueError(f"{service['name']} takes no hazardous goods.")
    if quote["arrive_on"] is None:
        raise ValueError(f"{service['name']} has no timetable for that day.")
    row = {
        "shipment_id": db.next_id("shipments", "X"),
        "order_id": order_id,
        "service_id": service_id,
        "status": "booked",
        "pickup_on": quote["pickup_on"],
        "arrive_on": quote["arrive_on"],
        "price": quote["price"],
        "labelled": False,
        "booked_by": person["staff_id"],
    }
    return db.insert("shipments", row)


def print_label(badge: str, shipment_id: str) -> dict[str, Any]:
    """Print the label of a booked shipment.

    Args:
        badge: badge of the person who prints.
        shipment_id: the shipment.
    """
    row = _booked(shipment_id)
    _person(badge, _order(row["order_id"])["site_id"])
    return db.update("shipments", shipment_id, {"labelled": True})


def cancel_shipment(badge: str, shipment_id: str) -> dict[str, Any]:
    """Cancel a booked shipment that has not been picked up.

    Args:
        badge: badge of the person who cancels.
        shipment_id: the shipment.
    """
    row = _booked(shipment_id)
    _person(badge, _order(row["order_id"])["site_id"])
    return db.update("shipments", shipment_id, {"status": "cancelled"})


def _booked(shipment_id: str) -> dict[str, Any]:
    row = db.get("shipments", shipment_id)
    if row is None:
        raise ValueError(f"There is no shipment {shipment_id!r}; find_shipments lists them.")
    if row["status"] != "booked":
        raise ValueError(f"Shipment {shipment_id} is {row['status']} already.")
    return row


def _order(order_id: str) -> dict[str, Any]:
    row = db.get("orders", order_id)
    if row is None:
        raise ValueError(f"There is no customer order {order_id!r}.")
    return row


def _person(badge: str, site_id: str) -> dict[str, Any]:
    row = db.get("staff", badge)
    if row is None:
        raise ValueError(f"There is no badge {badge!r}.")
    if row["site_id"] != site_id:
        raise ValueError(
            f"{row['name']} works at {row['site_id']}; the order leaves from {site_id}."
        )
    return row


def _units(order: dict[str, Any]) -> int:
    return sum(n["allocated"] + n["shipped"] for n in order["lines"])


def _is_hazardous(order: dict[str, Any]) -> bool:
    return any(db.get("products", n["sku"])["hazard"] != "none" for n in order["lines"])


def _quote(service: dict[str, Any], order: dict[str, Any]) -> dict[str, Any]:
    now = clock.now()
    today = db.get("calendar", now.date().isoformat())
    late = 1 if now.isoformat()[11:16] > service["cutoff"] else 0
    pickup = _working_day(today["n"] + late) if today else None
    arrival = _working_day(today["n"] + late + service["days"]) if today else None
    suits = service["hazardous"] or not _is_hazardous(order)
    in_time = arrival is not None and arrival <= order["due_on"]
    return {
        "service_id": service["service_id"],
        "name": service["name"],
        "price": money(service["base"] + service["per_unit"] * _units(order)),
        "units": _units(order),
        "pickup_on": pickup,
        "arrive_on": arrival,
        "suits": suits,
        "in_time": in_time,
        "bookable": suits and in_time,
    }


def _working_day(number: int) -> str | None:
    days = db.find("calendar", {"n": number})
    return days[0]["day"] if days else None
