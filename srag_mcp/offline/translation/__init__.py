"""Translation of questions into SQL without a model: a grammar over one table."""

from srag_mcp.offline.translation.translator import translate

__all__ = ["translate"]
