"""Which of several corpora a question is about."""

from collections.abc import Sequence

from srag_mcp.errors import CorpusError
from srag_mcp.inference.ask import SURE_OR_BRIEF, ask
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.words import stems


def choose_corpus(corpora: Sequence[Corpus], question: str) -> Corpus:
    """Return the corpus that *question* is about.

    It is the only one whose records the question names, or, where it names none, the only one of
    which the grammar is sure.

    Raises:
        CorpusError: If it may be about several, or about none; the text names them.
        NotIngestedError: If one of them has no build.
    """
    said = {*stems(question)}
    named = [item for item in corpora if said & {*stems(" ".join(item.schema().nouns))}]
    sure = [item for item in corpora if not ask(item, question, SURE_OR_BRIEF).refused]
    may = [item for item in sure if item in named] or (named if named else sure)
    if len(may) == 1:
        return may[0]
    reason = "may be about several corpora" if may else "names the records of no corpus"
    msg = f"this question {reason}; pass one of these: {', '.join(x.name for x in may or corpora)}"
    raise CorpusError(msg)
