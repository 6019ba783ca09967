"""A quantity: a number with its unit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is meant, with scale words applied: `$3.2M` is (3200000, "USD").

    Attributes:
        value: An integer where the text has no decimals.
        unit: Such as `USD`, `km`, `percent`; None when the text names none.
        upper: The other end where the text is a range ("10–12"); None otherwise.
        ambiguous: Whether one separator could be read either way ("1.234").
    """

    value: int | float
    unit: str | None = None
    upper: int | float | None = None
    ambiguous: bool = False
