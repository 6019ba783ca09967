"""A measure: what is computed of which column, and the words that said so."""

from dataclasses import dataclass

from srag_mcp.offline.translation.items import Item
from srag_mcp.offline.translation.reading import Every, Function, Summary, Term


@dataclass(frozen=True)
class Measure:
    """A function over a column (or over records), and the items that said so."""

    function: Function
    term: Term | None
    used: tuple[Item, ...]
    distinct: bool = False
    assumed: bool = False

    def over(self, where: Every) -> Summary:
        """Return the summary over the records of *where*."""
        return Summary(self.function, self.term, where, self.distinct)
