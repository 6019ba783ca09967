"""Which of several corpora a question is about."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from srag_mcp.errors import CorpusError
from srag_mcp.inference.ask import ask
from srag_mcp.inference.linking import link_values
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.words import stems


def choose_corpus(corpora: Sequence[Corpus], question: str) -> Corpus:
    """Return the corpus that *question* is about.

    It is the only one whose records, or what they list, the question names; where it names none,
    the only one of which the grammar has a reading at all, or that has the values, or else the
    columns, that it speaks of.

    Those that are not ingested yet are left out.

    Raises:
        CorpusError: If it may be about several, or about none; the text names them.
        NotIngestedError: If none of them is ingested.
    """
    ready = [corpus for corpus in corpora if corpus.is_ready()]
    if not ready:
        corpora[0].build_path()
    corpora = ready
    may = find_named(corpora, question)
    may = may or [item for item in corpora if not ask(item, question).refused]
    may = may or _most_named({item: _values(item, question) for item in corpora}, question)
    may = may or _most_named({item: _columns(item) for item in corpora}, question)
    if len(may) == 1:
        return may[0]
    reason = "may be about several corpora" if may else "names the records of no corpus"
    msg = f"this question {reason}; pass one of these: {', '.join(x.name for x in may or corpora)}"
    raise CorpusError(msg)


def find_named(corpora: Collection[Corpus], question: str) -> list[Corpus]:
    """Return those of *corpora* whose records, or what they list, *question* names.

    Who lists `action items` is named by these words, and who lists `items` is not; nor is who calls
    its records `invoices` as well where another is called so.
    """
    called = {item: {*stems(item.schema().entity.replace("_", " "))} for item in corpora}
    return _most_named({item: _nouns(item) for item in corpora}, question, called)


def _most_named(
    words: Mapping[Corpus, str],
    question: str,
    called: Mapping[Corpus, Collection[str]] = MappingProxyType({}),
) -> list[Corpus]:
    said, named = {*stems(question)}, dict[Corpus, set[str]]()
    for item, of in words.items():
        others = {word for other, own in called.items() if other is not item for word in own}
        named[item] = said & {*stems(of)} - (others - {*called.get(item, ())})
    return [item for item, of in named.items() if of and not any(of < x for x in named.values())]


def _nouns(corpus: Corpus) -> str:
    """Return what the records of *corpus* are called, and what they list."""
    tables = corpus.schema().tables
    return " ".join(word for table in tables for word in (*table.nouns, table.list_name))


def _values(corpus: Corpus, question: str) -> str:
    """Return what *question* says of the values of *corpus*."""
    return " ".join(found.phrase for found in link_values(question, corpus) if found.is_equal)


def _columns(corpus: Corpus) -> str:
    """Return what the columns of *corpus* are called."""
    columns = (item for table in corpus.schema().tables for item in table.attributes)
    names = (name for item in columns for name in (item.name, *item.synonyms))
    return " ".join(names).replace("_", " ")
