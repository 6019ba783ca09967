"""The SQL guard: what comes from outside is checked twice and runs locked, in a process apart.

Four layers, because none holds alone: DuckDB's own parse tree (`tree`), a second parser (`check`),
the locked read-only engine (`locked_engine`), the confined process (`child`).
"""

from srag_mcp.store.guard.check import check_query
from srag_mcp.store.guard.pool import Call, QueryPool
from srag_mcp.store.guard.process import QueryLimits, ResultPage, Value, Views

__all__ = ["Call", "QueryLimits", "QueryPool", "ResultPage", "Value", "Views", "check_query"]
