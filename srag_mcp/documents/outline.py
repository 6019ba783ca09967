"""The headings above a place: which section a block belongs to."""


class Outline:
    """Keeps the open headings while a document is read from top to bottom."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(text for _, text in self._open)

    def enter(self, text: str, level: int) -> None:
        """Open the heading *text*, which closes those of the same or a deeper level."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text))
