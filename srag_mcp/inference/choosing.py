"""Which of several corpora a question is about."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from srag_mcp.errors import CorpusError
from srag_mcp.inference.answer import Answer
from srag_mcp.inference.ask import ask
from srag_mcp.inference.linking import link_values
from srag_mcp.store.corpus import Corpus
from srag_mcp.text.words import stems


def choose_corpus(corpora: Sequence[Corpus], question: str) -> Corpus:
    """Return the corpus that *question* is about.

    It is the only one whose records, or what they list, the question names; where it names none,
    the only one of which the grammar has a reading at all, and no other has what that reads; or
    that has the values, or else the columns, that it speaks of.

    Those that are not ingested yet are left out.

    Raises:
        CorpusError: If it may be about several, or about none; the text names them.
        NotIngestedError: If none of them is ingested.
    """
    ready = [corpus for corpus in corpora if corpus.is_ready()]
    if not ready:
        corpora[0].build_path()
    corpora = ready
    said = {*stems(question)}
    may = find_named(corpora, question)
    if not may:
        answers = {item: ask(item, question) for item in corpora}
        may = [item for item, answer in answers.items() if not answer.refused]
        if len(may) == 1:
            words = _read(may[0], answers[may[0]])  # none where it counts what it alone is of
            others = [x for x in corpora if words and x is not may[0]]
            may += (x for x in others if words <= _speaks_of(x, question))
    may = may or _most({x: said & {*stems(_values(x, question))} for x in corpora})
    may = may or _most({x: said & {*stems(" ".join(_columns(x)))} for x in corpora})
    if len(may) == 1:
        return may[0]
    reason = "may be about several corpora" if may else "names the records of no corpus"
    msg = f"this question {reason}; pass one of these: {', '.join(x.name for x in may or corpora)}"
    raise CorpusError(msg)


def find_named(corpora: Collection[Corpus], question: str) -> list[Corpus]:
    """Return those of *corpora* that *question* names, or their records, or what these list.

    Who lists `action items` is named by these words, and who lists `items` is not; nor is who calls
    its records `invoices` as well where another is called so; nor does the `adoption fee` of one
    name the `adoptions` of another.
    """
    words, named = stems(question), dict[Corpus, set[str]]()
    called = {x: {*stems(x.schema().entity.replace("_", " "))} for x in corpora}
    columns = {item: _columns(item) for item in corpora}
    for item, own in called.items():
        besides = [other for other in corpora if other is not item]
        others = {word for other in besides for word in called[other]}
        taken = {at for other in besides for name in columns[other] for at in _places(words, name)}
        said = {word for at, word in enumerate(words) if at not in taken}
        whole = [x for x in (own, {*stems(last_name(item.name))}) if x <= said]
        named[item] = said & {*stems(name_records(item))}.union(*whole) - (others - own)
    return _most(named)


def _most(named: Mapping[Corpus, Collection[str]]) -> list[Corpus]:
    """Return the corpora of which most is said: of no other all that, and more."""
    return [x for x, of in named.items() if of and not any({*of} < {*y} for y in named.values())]


def _read(corpus: Corpus, answer: Answer) -> set[str]:
    """Return the words of a question that an answer reads as columns and values; else columns."""
    names = () if answer.translation is None else answer.translation.facts.names
    used = {*stems(" ".join(names).replace("_", " "))}
    said = {*stems(answer.question)} & (used | {*stems(_values(corpus, answer.question))})
    return said or used


def _speaks_of(corpus: Corpus, question: str) -> set[str]:
    """Return the words of the columns of *corpus*, and of the values that *question* says."""
    return {*stems(" ".join([*_columns(corpus), _values(corpus, question)]))}


def _places(words: Sequence[str], name: str) -> Iterator[int]:
    """Yield where the words of a name of several stand in a row."""
    own = stems(name)
    for at in range(len(words) - len(own) + 1) if len(own) > 1 else ():
        if [*words[at : at + len(own)]] == [*own]:
            yield from range(at, at + len(own))


def last_name(name: str) -> str:
    """Return what a folder or a kind is called, in words: `docs/work_orders` -> `work orders`."""
    return name.rpartition("/")[2].replace("_", " ")


def name_records(corpus: Corpus) -> str:
    """Return what the records of *corpus* are called, and what they list."""
    tables = corpus.schema().tables
    return " ".join(word for table in tables for word in (*table.nouns, table.list_name))


def _values(corpus: Corpus, question: str) -> str:
    """Return what *question* says of the values of *corpus*."""
    return " ".join(found.phrase for found in link_values(question, corpus) if found.is_equal)


def _columns(corpus: Corpus) -> list[str]:
    """Return what the columns of *corpus* are called."""
    columns = (item for table in corpus.schema().tables for item in table.attributes)
    return [name.replace("_", " ") for item in columns for name in (item.name, *item.synonyms)]
