"""Settings: what can be chosen by environment variable or option, in one place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from srag_mcp.errors import SettingsError

PREFIX = "SRAG_"
COLUMN_EDITS = (
    "rename OLD NEW, drop NAME, hide NAME, show NAME, merge KEPT OTHER, split-unit NAME [UNIT],"
    " type NAME TYPE, noun NOUN [NOUN]..."
)
BUILD_SUFFIX = ".duckdb"  # of a published build, which can be handed around
PROMPT_TOKENS = 8000  # of documents in a prompt, where nobody says otherwise
_SECRETS = {"api_key", "api_base"}  # not shown where they are wrong

EngineName: TypeAlias = Literal["offline", "model", "agent"]
EngineChoice: TypeAlias = Literal["auto", EngineName]
Effort: TypeAlias = Literal["draft", "checked", "full"]
EffortChoice: TypeAlias = Literal["auto", Effort]
LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]
ReplyFormat: TypeAlias = Literal["auto", "schema", "json", "text"]


class Settings(BaseModel):
    """Everything that changes how the package works.

    Each field is read from the environment variable `SRAG_<NAME>`; options of the command line
    win over it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    home: Path | None = Field(
        default=None,
        description=(
            "Folder for shipped corpora, and for databases of folders that cannot be written; "
            "empty means the user's data folder."
        ),
    )
    max_document_mb: float = Field(
        default=20.0, gt=0, description="Larger files are reported and left out, in MiB."
    )
    max_documents: int = Field(
        default=200_000, gt=0, description="Most documents of one corpus; more is an error."
    )
    workers: int = Field(
        default=0, ge=0, description="Processes that read documents; 0 means one a core."
    )
    document_timeout_s: float = Field(
        default=60.0,
        gt=0,
        description="A document that takes longer to read is left until the next ingestion;"
        " large ones have more time.",
    )
    query_timeout_s: float = Field(
        default=5.0, gt=0, le=300, description="A query is stopped after this many seconds."
    )
    query_memory_mb: int = Field(
        default=512, ge=64, description="Memory a query may use inside DuckDB, in MiB."
    )
    export_timeout_s: float = Field(
        default=600.0, gt=0, description="An export is stopped after this many seconds."
    )
    max_rows: int = Field(
        default=1000, ge=1, le=100_000, description="Most rows of one page of results."
    )
    max_result_characters: int = Field(
        default=20_000, ge=1000, description="Size at which a tool result is cut at a whole row."
    )

    log_level: LogLevel = Field(
        default="warning", description="What is told on stderr: debug, info, warning or error."
    )

    engine: EngineChoice = Field(
        default="auto",
        description="Who does the thinking: code (offline), a language model (model), the calling"
        " agent (agent); auto: the model if one is named, else as at the last ingestion.",
    )
    model: str | None = Field(
        default=None,
        description="Language model as litellm names it, such as openai/gpt-4o-mini;"
        " replay:FILE answers from a recording.",
    )
    api_base: str | None = Field(default=None, description="Address of an own model server.")
    api_key: str | None = Field(
        default=None,
        repr=False,
        exclude=True,  # settings are written down for jobs; keys are not
        description="Key, where the provider's own variable is not used; never written to disk.",
    )
    concurrency: int = Field(
        default=16, ge=1, le=512, description="Most prompts in flight; fewer after rate limits."
    )
    reply_timeout_s: float = Field(
        default=120.0, gt=0, description="Longest wait for one reply of a language model."
    )
    question_timeout_s: float = Field(
        default=50.0,
        gt=0,
        description="Longest wait for a language model by one question; hosts give up after 60 s.",
    )
    reply_format: ReplyFormat = Field(
        default="auto",
        description="How replies are asked for: by a JSON schema, as any JSON, or in words only;"
        " auto: the strictest that the model accepts.",
    )
    effort: EffortChoice = Field(
        default="auto",
        description="How much of the documents a model reads: all (full); a sample, an audit, and"
        " what rules that it writes leave open (checked); the sample alone (draft). auto: as at"
        " the last ingestion, at first full, of more than 150 files checked.",
    )
    budget_usd: float | None = Field(
        default=None, ge=0, description="Most money of one ingestion, in US dollars."
    )
    budget_calls: int | None = Field(
        default=None, ge=0, description="Most calls of a language model of one ingestion."
    )
    schema_documents: int = Field(
        default=12, ge=1, le=100, description="Documents from which a model predicts the schema."
    )
    schema_questions: int = Field(
        default=10, ge=0, le=100, description="Sample questions that it is shown."
    )
    schema_iterations: int = Field(
        default=4, ge=1, le=10, description="Most rounds of prediction and refinement."
    )
    columns: int = Field(
        default=30,
        ge=1,
        le=120,
        description="Columns that a model's schema should have, and those that sample questions"
        " need; what else it proposes is one `extend` away.",
    )
    prompt_tokens: int = Field(
        default=PROMPT_TOKENS,
        ge=1000,
        description="Most tokens of document text in one prompt; of longer documents, passages.",
    )
    lists: bool = Field(
        default=True,
        description="Whether a model that reads all documents reads what it found that each lists,"
        " such as the items of an order: each list becomes a table. Else lists stay pending.",
    )
    summaries: bool = Field(
        default=False,
        description="Whether a model that reads a document says in a sentence what it is about:"
        " search ranks it by that, and shows it.",
    )

    @field_validator("api_base")
    @classmethod
    def _refuse_what_is_no_address(cls, address: str | None) -> str | None:
        """Refuse `host:8000`, and `http://user:key@host`: addresses are written down and shown."""
        if address and not _is_address(address):
            msg = "an address begins with http:// or https://, such as http://127.0.0.1:8000/v1"
            raise ValueError(msg)
        if address and "@" in urlsplit(address).netloc:
            msg = "name and password do not belong into the address; give the key as SRAG_API_KEY"
            raise ValueError(msg)
        return address

    @property
    def reads_lists(self) -> bool:
        """Whether lists that are pending are read: no rule reads them, so all documents are."""
        return self.lists and self.effort in {"auto", "full"}

    def with_engine(self, choice: EngineChoice | None) -> "Settings":
        """Return these settings with the engine chosen; as they are where it is left open."""
        name = named_engine(choice)
        return self if name is None else self.model_copy(update={"engine": name})

    def data_folder(self) -> Path:
        """Return *home*, or the user's data folder when it is not set."""
        if self.home is not None:
            return self.home.expanduser().resolve()
        from platformdirs import user_data_path  # not needed where a home is set

        return user_data_path("srag-mcp", appauthor=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], **options: object) -> "Settings":
        """Read settings from *environ*; *options* that are not None win.

        Raises:
            SettingsError: If a value cannot be used; the text names the variable.
        """
        values: dict[str, object] = {
            name: environ[PREFIX + name.upper()]
            for name in cls.model_fields
            if environ.get(PREFIX + name.upper(), "").strip()
        }
        values |= {name: value for name, value in options.items() if value is not None}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SettingsError(_describe(error)) from error


def named_engine(choice: EngineChoice | None) -> EngineName | None:
    """Return the engine that is chosen by its name; None where that is left open."""
    return None if choice is None or choice == "auto" else choice


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        is_port = address.port is None or address.port > 0
        return address.scheme in {"http", "https"} and bool(address.hostname) and is_port
    except ValueError:  # a bracket that does not close, a port that is no number
        return False


def _describe(error: ValidationError) -> str:
    problems = []
    for item in error.errors():
        name = ".".join(map(str, item["loc"]))
        got = "" if name in _SECRETS else f" (got {item['input']!r})"
        problems.append(f"{PREFIX}{name.upper()}: {item['msg']}{got}")
    return "; ".join(problems)
