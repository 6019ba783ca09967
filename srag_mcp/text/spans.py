"""Spans: stretches of a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: characters *start* to *end*, end exclusive."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters of *text* that the span covers."""
        return text[self.start : self.end]

    def moved(self, n: int) -> "Span":
        """Return the span *n* characters further on."""
        return Span(self.start + n, self.end + n)

    def overlaps(self, other: "Span") -> bool:
        """Return whether both cover a character."""
        return self.start < other.end and other.start < self.end

    def holds(self, other: "Span") -> bool:
        """Whether *other* lies in it."""
        return self.start <= other.start and other.end <= self.end
