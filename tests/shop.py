"""Folders of a shop: orders and the deliveries that belong to them, or orders that list items."""

from pathlib import Path

BUYERS = ["Acme", "Birch", "Cedar", "Dune", "Elm", "Fjord", "Grove", "Harbor"]
ORDER = "# Order {order}\n\n- Order number: {order}\n- Buyer: {buyer}\n- Amount: {n}00 EUR\n"
DELIVERY = (
    "# Delivery {n}\n\n- Delivery note: DN-{n}\n- For order: {order}\n- Parcels: {parcels}\n"
    "- Carrier: Swift\n"
)
CONDITION = "deliveries.for_order = orders.order_number"


def order_number(n: int) -> str:
    return f"24-{4100 + 7 * n}"


def write_shop(folder: Path) -> Path:
    """Write eight orders, of which six are delivered, one of them twice; and a stray delivery."""
    folder.mkdir(parents=True)
    for n, buyer in enumerate(BUYERS, start=1):
        text = ORDER.format(order=order_number(n), buyer=buyer, n=n)
        (folder / f"o{n}.md").write_text(text)
    for n, order in enumerate([1, 1, 2, 3, 4, 5, 6, 99], start=1):
        text = DELIVERY.format(n=n, order=order_number(order), parcels=n)
        (folder / f"d{n}.md").write_text(text)
    return folder


def write_items(folder: Path, number: int, town: str, items: list[tuple[str, int]]) -> None:
    """Write an order with a table of what was sold, at as many and a half as were sold of it."""
    rows = "".join(f"| {item} | {n} | {n}.50 |\n" for item, n in items)
    table = f"## Items\n\n| Item | Pieces | Price |\n|---|---|---|\n{rows}"
    (folder / f"{number}.md").write_text(f"# Order {number}\n\nTown: {town}\n\n{table}")


def write_listed(folder: Path, first: str = "tea") -> Path:
    """Write four orders of three items each."""
    folder.mkdir()
    for number, town in enumerate(("Ulm", "Bern", "Cork", "Kiel"), start=1):
        write_items(folder, number, town, [(first, number), ("rice", 5), ("salt", 5)])
    return folder
