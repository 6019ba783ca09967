"""A question over several corpora: which it is about, or, of kinds, how their tables are joined.

A model joins the tables of kinds, or a brief says how.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from srag_mcp.cells.cell import BY_MODEL
from srag_mcp.documents.folder import holds_rest
from srag_mcp.errors import CorpusError, ModelError, QueryError
from srag_mcp.inference.across import MAX_KEYS, QueryAcross
from srag_mcp.inference.answer import Answer, is_empty, render_text
from srag_mcp.inference.ask import OFFLINE, Asking, ask, check_length, open_metered
from srag_mcp.inference.brief import Brief
from srag_mcp.inference.by_model import MAX_ROWS, TranslationReply, with_nearest, write_across
from srag_mcp.inference.grounds import find_repeated
from srag_mcp.inference.linking import LinkedValues, link_values
from srag_mcp.inference.turns import AgentVerdict, converse, has_kept
from srag_mcp.model.language_model import LanguageModel
from srag_mcp.model.ledger import Totals
from srag_mcp.model.litellm_library import run_to_end
from srag_mcp.model.reply_content import ask_for
from srag_mcp.schema.attribute import Attribute
from srag_mcp.sqlfacts.plain_words import say_query
from srag_mcp.sqlfacts.trees import find_ungrounded, parse_query
from srag_mcp.store.corpus import Corpus
from srag_mcp.store.guard import ResultPage
from srag_mcp.store.kind_tables import KindTables
from srag_mcp.text.words import stems
from srag_mcp.values.units import unit_of


def converse_kinds(
    kinds: Corpus | KindTables,
    question: str,
    asking: Asking = OFFLINE,
    *,
    previous: str = "",
    verdict: AgentVerdict = "",
) -> tuple[Corpus | KindTables, Answer]:
    """Answer *question* by the kind that it is about, or by several; return these, too.

    Of one corpus it is `converse`.

    It is about the only one that keeps a query for it, else about those whose records it names, and
    about those that have a column that it names and the first has not, or the same columns as that,
    unless it names the kind. A question that leans on one before is of one kind. One that may be
    about any of them is refused, or where a model is asked, of the kind that it takes of all.

    Raises:
        NotIngestedError, QuestionError, StoreError: As `converse`.
        CorpusError: If that corpus is of no kind.
    """
    if isinstance(kinds, Corpus):
        if holds_rest(kinds.location):
            msg = f"{kinds.name} holds what is of no kind, which is searched and never counted"
            raise CorpusError(msg)
        return kinds, converse(kinds, question, asking, previous=previous, verdict=verdict)
    leans = bool(previous or verdict)
    kept = [x for x in kinds.corpora if has_kept(x, question)]
    named = kept if len(kept) == 1 else find_named(kinds.corpora, question)
    if len(named) > 1 and not leans:
        return _ask_several(kinds.among(named), question, asking)
    try:
        own = named[0] if len(named) == 1 else choose_corpus(kinds.corpora, question)
    except CorpusError as error:
        if asking.model is not None and not leans:
            return _ask_several(kinds, question, asking)
        return kinds, refuse_kinds(kinds, question, f"{error}; perhaps ")
    called = {*stems(last_name(own.name))}
    alike = [x for x in kinds.corpora if x is not own and _are_alike(x, own)]
    if alike and called.isdisjoint(stems(question)) and not leans:
        several = kinds.among([own, *alike])  # two layouts, perhaps, of one kind
        return several, refuse_kinds(several, question, "")
    answer = converse(own, question, asking, previous=previous, verdict=verdict)
    if more := [] if leans else _find_more(kinds, own, answer, asking):
        of, found = _ask_several(kinds.among([own, *more]), question, asking, own)
        is_elsewhere = isinstance(of, Corpus) and not found.refused
        if answer.brief is not None or is_elsewhere:
            return of, _add_taken(found, answer)
        answer = _add_taken(answer, found)
    warnings = [f"not ingested yet: {', '.join(kinds.missing)}"] if kinds.missing else []
    warnings += _say_beside(kinds, own, answer) if answer.brief is None else ()
    return own, replace(answer, warnings=(*answer.warnings, *warnings))


def _find_more(kinds: KindTables, own: Corpus, answer: Answer, asking: Asking) -> list[Corpus]:
    """Return the kinds that may have what *own* has not."""
    others = [x for x in kinds.corpora if x is not own]
    if answer.brief is None:
        is_nothing = answer.reading is None and is_empty(answer.rows)
        return others if is_nothing and asking.model is not None else []
    missing = {*stems(" ".join(answer.brief.unplaced))}
    names = {x: stems(" ".join(x.schema().column_names()).replace("_", " ")) for x in others}
    return [x for x in others if not missing.isdisjoint(names[x])]


def _add_taken(answer: Answer, other: Answer) -> Answer:
    """Return *answer* with what *other*, a try at the same question, took of a model as well."""
    if other.taken is None:
        return answer
    taken = (answer.taken or Totals()) + other.taken
    return replace(answer, taken=taken, steps=(*other.steps, *answer.steps))


def _ask_several(
    kinds: KindTables, question: str, asking: Asking, tried: Corpus | None = None
) -> tuple[Corpus | KindTables, Answer]:
    """Answer as `ask_kinds` does; what a model finds in one kind that was not *tried*, by that."""
    found = ask_kinds(kinds, question, asking)
    own = QueryAcross(kinds, found.sql).of if found.sql else None
    if own is None or own is tried:
        return kinds, found
    return own, _add_taken(converse(own, question, asking), found)


def ask_kinds(kinds: KindTables, question: str, asking: Asking) -> Answer:
    """Answer *question* over the tables of several kinds.

    A model translates it where there is one. The grammar reads no question over two kinds: a brief
    has their tables, and what joins them.

    Raises:
        QuestionError: If the question is longer than any question is.
        StoreError: If a build cannot be read.
    """
    check_length(question)
    if asking.model is None:
        return refuse_kinds(kinds, question, "")
    are_named = all(item.name == item.table.entity for item in kinds.own_tables())
    if not are_named:  # a model is shown tables by the names that their kinds have
        return replace(refuse_kinds(kinds, question, ""), taken=Totals())
    try:
        return run_to_end(_ask_model, kinds, question, asking, asking.model)
    except ModelError as failure:
        return refuse_kinds(kinds, question, f"the language model could not be asked: {failure}; ")


def refuse_kinds(
    kinds: KindTables, question: str, reason: str, unplaced: Sequence[str] = ()
) -> Answer:
    """Say that *question* is about several kinds, with the brief for who would join them."""
    tables = kinds.own_tables()
    named = " and ".join(item.name for item in tables if not item.table.parent)
    ways = [f"join on {key}" for key in kinds.shared_keys()[:MAX_KEYS]]
    if all(_are_alike(kinds.corpora[0], other) for other in kinds.corpora[1:]):
        ways.insert(0, "UNION ALL has all of them, which have the same columns, as of one kind")
    how = "; ".join(ways) or "no columns of theirs match, so that nothing joins them"
    said = f"{reason}it is about the documents of {named}, which one SELECT can read: {how}"
    columns = tuple(
        f"{table.name}.{item.name}" for table in tables for item in table.table.attributes
    )
    linked = tuple(
        replace(found, column=f"{name}.{found.column}", values=values)
        for corpus in kinds.corpora
        for name in [next(item.name for item in tables if item.corpus is corpus)]
        for found in link_values(question, corpus)
        for values in [tuple(replace(x, column=f"{name}.{x.column}") for x in found.values)]
    )
    of = tuple(corpus.name for corpus in kinds.corpora)
    brief = Brief(said, tuple(unplaced), named, columns, _fewest(linked), kinds=of)
    return Answer(question, f"Not answered: {said}", brief=brief, assumptions=kinds.notices())


def _say_beside(kinds: KindTables, own: Corpus, answer: Answer) -> Iterator[str]:
    """Say which kinds may hold some of what *own* was asked for, unless a word names that alone."""
    said, folder = {*stems(answer.question)}, {*stems(last_name(kinds.name))}
    names_used = {*answer.translation.facts.names} if answer.translation else set[str]()
    used = {_without_unit(x) for x in own.schema().attributes if x.name in names_used}
    called = {x: {*stems(name_records(x))} for x in kinds.corpora}
    others = [x for x in kinds.corpora if x is not own]
    names = {x: {*stems(last_name(x.name))} if _is_of_rows(x) else set[str]() for x in called}
    for words in (called, names):
        if said & words[own] - folder.union(*(words[x] for x in others)):
            return
    for other in others:
        if _is_of_rows(other) and not used <= {*map(_without_unit, other.schema().attributes)}:
            continue
        if said & folder or not called[other] or called[own] & called[other]:
            documents = f"{other.info().n_documents:,} documents"
            yield f"{other.name}, a kind of {documents}, may hold some as well, and was not asked"


def _without_unit(attribute: Attribute) -> str:
    """Return the name of a column without its unit: `yield` of `yield_kg`."""
    unit, (*rest, last) = unit_of(attribute.unit or ""), attribute.name.split("_")
    return "_".join(rest) if rest and unit and unit_of(last) == unit else attribute.name


def _is_of_rows(corpus: Corpus) -> bool:
    """Whether its records are rows of a table file, so that a person has named it: a sheet."""
    return any(item.is_column for item in corpus.schema().attributes)


def _are_alike(one: Corpus, other: Corpus) -> bool:
    """Whether most columns of each are those of the other, too."""
    left, right = ({(x.name, x.type) for x in item.schema().attributes} for item in (one, other))
    return 2 * len(left & right) > max(len(left), len(right))


def _fewest(linked: Sequence[LinkedValues]) -> tuple[LinkedValues, ...]:
    """Return the values that a phrase is, where it is one anywhere; else all that it may be."""
    equal = {item.phrase for item in linked if item.is_equal}
    return tuple(item for item in linked if item.is_equal or item.phrase not in equal)


async def _ask_model(
    kinds: KindTables, question: str, asking: Asking, model: LanguageModel
) -> Answer:
    runs = _Runs(kinds)
    prompt = write_across(kinds, question, kinds.shared_keys()[:MAX_KEYS])
    async with open_metered(kinds.corpora[0], asking, model) as metered:
        asked = await ask_for(metered, prompt, TranslationReply, runs.check)
        reply, found = asked.content, runs.pages.get(asked.content.sql or "")
        if found is None:
            asked.forget(metered)
    if reply.missing or reply.sql is None or found is None:
        missing, why = tuple(reply.missing), "; ".join(asked.problems)
        reason = f"no column holds {', '.join(missing)}" if missing else f"no query: {why}"
        answer = refuse_kinds(kinds, question, f"{reason}; ", missing)
    else:
        across, restated = QueryAcross(kinds, reply.sql), question.strip(" .?")
        restated = say_query(parse_query(reply.sql)) or restated
        answer = Answer(
            question=question,
            text=render_text(found, restated),
            columns=found.columns,
            rows=found.rows,
            sql=reply.sql,
            restated=restated,
            assumptions=(*across.coverage(), *across.notes(found)),
            truncated=found.truncated,
        )
    steps = tuple(metered.ledger.by_step.items())
    return replace(answer, engine=BY_MODEL, taken=metered.ledger.total, steps=steps)


class _Runs:
    """Runs the queries of replies and says what is wrong with them; *pages* has their rows."""

    def __init__(self, kinds: KindTables) -> None:
        self.pages: dict[str, ResultPage] = {}
        self._kinds = kinds

    def check(self, reply: TranslationReply) -> Sequence[str]:
        """Run the query of *reply*, which may join kinds by the columns that match, only."""
        if reply.sql is None or reply.missing:
            is_clear = (reply.sql is None) == bool(reply.missing)
            return () if is_clear else ("give either sql, or what is in no column in missing",)
        try:
            page = self._kinds.select(reply.sql, limit=MAX_ROWS)
        except QueryError as error:
            return (f"the query could not be run: {with_nearest(error)}",)
        across, tree = QueryAcross(self._kinds, reply.sql), parse_query(reply.sql)
        if tree is None:
            return ("write it more plainly: it could not be taken apart",)
        problems = [f"{item} would be the same for any records" for item in find_ungrounded(tree)]
        shared = self._kinds.shared_keys()[:MAX_KEYS]
        keys = " or ".join(key.condition() for key in shared)
        why = f"records of two kinds belong together by {keys}; the query sets {{}} equal"
        if not shared:
            why = "nothing says which records of two kinds belong together: read one of them only"
        problems += [why.format(item) for item in across.stray_joins()]
        repeated = find_repeated(self._kinds, across.joins(), page)
        if not problems and repeated:
            problems = [f"{repeated}: aggregate before the join"]
        if not problems:
            self.pages[reply.sql] = page
        return problems


def choose_corpus(corpora: Sequence[Corpus], question: str) -> Corpus:
    """Return the corpus that *question* is about.

    It is the only one whose records, or what they list, the question names; or of which the grammar
    has a reading; or that has the values, or else the columns, that it speaks of. Those that are
    not ingested yet are left out.

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

    Who lists `action items` is named by these words, and who lists `items` is not.
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
