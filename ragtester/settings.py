"""Settings: `ragtester.toml`, one table a stage. Unknown keys are refused with the nearest known one.

Keys and passwords are not settings: they come from the environment (and `.env`) and are never written anywhere.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from ragtester.errors import UsageError
from ragtester.records import CLOSED_BOOK_SUFFIX, NO_RETRIEVAL
from ragtester.tasks import REFUSAL_PHRASES

FILE_NAME = "ragtester.toml"
PROFILES = ("plain", "two_columns", "running_headers", "tables", "figures", "small_print", "appendix")

_SECRET = re.compile(r"api[-_]?key|authorization|password|secret|access[-_]?token", re.IGNORECASE)


class Table(BaseModel):
    """Base of every table: immutable, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, value: Any, info: ValidationInfo) -> Any:
        """`true` is not 1: pydantic would take it."""
        if isinstance(value, bool) and cls.model_fields[str(info.field_name)].annotation in (int, float):
            raise ValueError("a number is wanted")
        return value


class WorkspaceSettings(Table):
    """`[workspace]`: what the whole workspace shares."""

    seed: int = 7
    corpus: str = "corpora"
    suite: str = "main"
    language: str = "auto"


class DocumentsSettings(Table):
    """`[documents]`: what is written (D_gen)."""

    count: int = Field(default=0, ge=0)
    model: str = "embedded:rules"
    folder: str = "corpora/generated"
    language: str = "English"
    length: str = "about 1500 words"
    detail: str = "comprehensive"
    tone: str = "formal"
    structure: str = "numbered headings"
    content: str = ""
    formatting: str = ""
    topics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    profiles: tuple[str, ...] = PROFILES

    @field_validator("profiles")
    @classmethod
    def _known(cls, profiles: tuple[str, ...]) -> tuple[str, ...]:
        for profile in profiles:
            for name in profile.split("+"):
                if name.strip() not in PROFILES:
                    near = difflib.get_close_matches(name.strip(), PROFILES, n=1)
                    hint = f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(PROFILES)}"
                    raise ValueError(f"unknown layout profile {name.strip()!r}{hint}")
        return profiles


class ReadingSettings(Table):
    """`[reading]`: how files become text."""

    reader: Literal["pdfium", "pypdf"] = "pdfium"
    timeout_seconds: float = Field(default=60.0, gt=0)
    workers: int = Field(default=0, ge=0)
    memory_mb: int = Field(default=4096, ge=256)
    compare_pages: int = Field(default=0, ge=0)
    max_section_tokens: int = Field(default=1000, ge=50)


class SharesSettings(Table):
    """`[cases.shares]`: the shares of the case types; they are normalised to 1."""

    complexity: float = Field(default=0.4, ge=0)
    rejection: float = Field(default=0.3, ge=0)
    coverage: float = Field(default=0.3, ge=0)

    @model_validator(mode="after")
    def _some(self) -> SharesSettings:
        if self.complexity + self.rejection + self.coverage <= 0:
            raise ValueError("at least one share must be above 0")
        return self


class CasesSettings(Table):
    """`[cases]`: how many cases a document, of which kinds, by which model."""

    technique: Literal["ragtester", "baseline", "all"] = "all"
    model: str = "embedded:rules"
    check_model: str = ""
    per_document: int = Field(default=10, ge=1)
    shares: SharesSettings = SharesSettings()
    invented_share: float = Field(default=0.5, ge=0, le=1)
    multi_share: float = Field(default=0.34, ge=0, le=1)
    sections_per_question: int = Field(default=2, ge=2, le=6)
    attempts: int = Field(default=3, ge=1)
    candidates: int = Field(default=3, ge=1)
    max_lexical_overlap: float = Field(default=0.8, gt=0, le=1)
    near_duplicate: float = Field(default=90.0, gt=0, le=100)


class GroupSettings(Table):
    """`[[execute.groups]]`: a group crosses its LLMs with its embedding models."""

    llms: tuple[str, ...] = Field(min_length=1)
    embeddings: tuple[str, ...] = Field(min_length=1)

    @field_validator("embeddings")
    @classmethod
    def _are_models(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if NO_RETRIEVAL in value:
            raise ValueError(f"{NO_RETRIEVAL!r} is no embedding model; --closed-book asks without retrieval")
        return value


class IndexSettings(Table):
    """`[execute.index]`: how text is chunked and which stores a question sees."""

    scope: Literal["document", "corpus"] = "document"
    chunk_size: int = Field(default=1000, ge=50)
    chunk_overlap: int = Field(default=150, ge=0)


class ExecuteSettings(Table):
    """`[execute]`: the matrix of systems under test."""

    run: str = "main"
    technique: str = Field(default="all", min_length=1)
    k: int = Field(default=4, ge=1)
    reply_format: Literal["json", "text"] = "json"
    refusals: tuple[str, ...] = Field(default=REFUSAL_PHRASES, min_length=1)
    groups: tuple[GroupSettings, ...] = (
        GroupSettings(llms=("embedded:rules", "embedded:eager"), embeddings=("embedded:wordllama", "embedded:hashing")),
    )
    index: IndexSettings = IndexSettings()
    retry_failed: bool = False
    closed_book: bool = False

    @property
    def is_control(self) -> bool:
        """Whether these are the settings of a closed-book control, as `Settings.control` makes them."""
        return all(group.embeddings == (NO_RETRIEVAL,) for group in self.groups)

    @field_validator("run")
    @classmethod
    def _is_no_control(cls, value: str) -> str:
        if value.endswith(CLOSED_BOOK_SUFFIX):
            raise ValueError(
                f"{CLOSED_BOOK_SUFFIX!r} ends the name of a run's control; name the run, and --closed-book"
            )
        return value

    @model_validator(mode="after")
    def _usable(self) -> ExecuteSettings:
        """What would stop the stage is told before the stages before it are paid for."""
        if not self.groups:
            raise ValueError("groups is empty; name at least one group of llms and embeddings")
        if not all(phrase.strip() for phrase in self.refusals):
            raise ValueError("refusals holds an empty phrase")
        if self.index.chunk_overlap >= self.index.chunk_size:
            raise ValueError(
                f"chunk_overlap {self.index.chunk_overlap} must be below {self.index.chunk_size} (chunk_size)"
            )
        return self


class JudgeSettings(Table):
    """`[judge]`: the oracle."""

    model: str = "embedded:judge"
    pass_mean: float = Field(default=0.5, ge=0, le=1)
    repeats: int = Field(default=1, ge=1)
    retry_failed: bool = False

    @field_validator("repeats")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("an even number has no majority; use an odd one")
        return value


class AuditSettings(Table):
    """`[audit]`: the panel that votes on the oracle's verdicts, and how many of them it sees."""

    panel: tuple[str, ...] = Field(
        default=("embedded:vote-rules", "embedded:vote-words", "embedded:vote-values", "embedded:vote-vectors"),
        min_length=1,
    )
    min_votes: int = Field(default=2, ge=1)
    confidence: float = Field(default=0.95, gt=0, lt=1)
    margin: float = Field(default=0.05, gt=0, lt=1)
    include_passes: bool = False
    retry_failed: bool = False

    @model_validator(mode="after")
    def _can_decide(self) -> AuditSettings:
        if len(set(self.panel)) < len(self.panel):
            raise ValueError("panel names a model twice; each member has one vote")
        if self.min_votes > len(self.panel):
            raise ValueError(f"min_votes is {self.min_votes}, and the panel has {len(self.panel)} member(s); lower it")
        return self


class LimitsSettings(Table):
    """`[limits]`: where a run stops by itself. 0 means no limit."""

    max_cost: float = Field(default=0.0, ge=0)
    max_calls: int = Field(default=0, ge=0)


class ProviderSettings(Table):
    """`[providers.NAME]`: how hard one provider may be pressed."""

    concurrency: int = Field(default=8, ge=1)
    requests_per_minute: int = Field(default=0, ge=0)
    timeout_seconds: float = Field(default=120.0, gt=0)
    retries: int = Field(default=5, ge=0)
    max_wait_seconds: float = Field(default=60.0, gt=0)


class ModelSettings(Table):
    """`[models."provider:name"]`: what one model needs; what is absent is not sent."""

    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    temperature: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    reply_format: Literal["json", "text"] | None = None
    structured: Literal["json_schema", "json_object", "prompt"] = "json_object"
    context_window: int | None = Field(default=None, ge=256)
    dimensions: int | None = Field(default=None, ge=1)
    batch_size: int = Field(default=128, ge=1)
    prompt_price: float | None = Field(default=None, ge=0)
    completion_price: float | None = Field(default=None, ge=0)
    extra: dict[str, Any] = {}

    @model_validator(mode="after")
    def _no_secrets(self) -> ModelSettings:
        """These settings are written into manifests and rows, where no key may land."""
        mend = "holds a key or password; name the environment variable that holds it in api_key_env"
        if self.base_url and ("@" in self.base_url.partition("?")[0] or _SECRET.search(self.base_url)):
            raise ValueError(f"base_url {mend}")
        if any(_SECRET.search(name) for name in _names_in(self.extra)):
            raise ValueError(f"extra {mend}")
        if self.api_key_env is not None and not re.fullmatch(r"[A-Za-z_]\w*", self.api_key_env, re.ASCII):
            raise ValueError("api_key_env is no name of an environment variable; it never holds the key itself")
        return self


def _names_in(tree: Any) -> Iterator[str]:
    """Every key of nested tables and lists."""
    if isinstance(tree, dict):
        yield from tree
    for value in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _names_in(value)


class Settings(Table):
    """Everything in `ragtester.toml`."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    documents: DocumentsSettings = DocumentsSettings()
    reading: ReadingSettings = ReadingSettings()
    cases: CasesSettings = CasesSettings()
    execute: ExecuteSettings = ExecuteSettings()
    judge: JudgeSettings = JudgeSettings()
    audit: AuditSettings = AuditSettings()
    limits: LimitsSettings = LimitsSettings()
    providers: dict[str, ProviderSettings] = {}
    models: dict[str, ModelSettings] = {}

    def model(self, name: str) -> ModelSettings:
        """The settings of a model, or the defaults."""
        return self.models.get(name, ModelSettings())

    def control(self) -> Settings:
        """Settings of the closed-book control: every LLM once, no embedding model, under a run name of its own."""
        llms = tuple(dict.fromkeys(llm for group in self.execute.groups for llm in group.llms))
        # Built without validation: the two names that it puts in are refused in a user's settings.
        group = GroupSettings.model_construct(llms=llms, embeddings=(NO_RETRIEVAL,))
        update = {"run": self.execute.run + CLOSED_BOOK_SUFFIX, "groups": (group,), "closed_book": False}
        return self.model_copy(update={"execute": self.execute.model_copy(update=update)})

    def provider(self, name: str) -> ProviderSettings:
        """The settings of a provider, or the defaults."""
        return self.providers.get(name, ProviderSettings())


def load_settings(folder: Path, overrides: tuple[str, ...] = ()) -> Settings:
    """Read `folder/ragtester.toml` (defaults where it is absent) and apply `table.key=value` overrides."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; 'ragtester init {folder}' makes a workspace")
    path = folder / FILE_NAME
    data: dict[str, Any] = {}
    if path.exists() or path.is_symlink():
        if not path.is_file():
            raise UsageError(f"{path}: is not a file; settings stand in a text file of this name")
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{path}: not valid TOML: {error}") from error
    for override in overrides:
        _apply(data, override)
    return parse_settings(data, str(path))


def parse_settings(data: dict[str, Any], where: str) -> Settings:
    """Check a settings tree; raises UsageError naming every fault at once."""
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        faults = [_explain(dict(item)) for item in error.errors()]
        raise UsageError(f"{where}: " + "; ".join(faults)) from error


def _apply(data: dict[str, Any], override: str) -> None:
    name, found, text = override.partition("=")
    keys = _split_keys(name.strip())
    if not found or len(keys) < 2:
        raise UsageError(f"--set {override!r}: write table.key=value, for example --set execute.k=6")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    here = data
    for key in keys[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            raise UsageError(f"--set {override!r}: {key} is not a table")
    here[keys[-1]] = value


def toml_text(text: str) -> str:
    """`text` as a TOML string; JSON writes strings as TOML does, except that it leaves DEL as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _split_keys(name: str) -> list[str]:
    """Split a dotted key as TOML does, so that quoted parts may hold dots and colons."""
    try:
        tree: Any = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        return [part for part in name.split(".") if part]
    keys = []
    while isinstance(tree, dict):
        key, tree = next(iter(tree.items()))
        keys.append(key)
    return keys


def _explain(item: dict[str, Any]) -> str:
    location = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(item["loc"][-1]), _known_keys(item["loc"][:-1]), n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"unknown setting {location!r}{hint}"
    message = item["msg"].removeprefix("Value error, ")
    if item["loc"][0] == "models":
        return f"{location}: {message}"  # what was given may hold a key
    return f"{location}: {message} (given: {item['input']!r})"


def _known_keys(path: tuple[Any, ...]) -> list[str]:
    """Keys that are allowed at `path` of the settings tree."""
    table: Any = Settings
    for part in path:
        if isinstance(table, type) and issubclass(table, BaseModel):
            field = table.model_fields.get(str(part))
            table = field.annotation if field else None
        elif get_args(table):
            table = next((arg for arg in get_args(table) if isinstance(arg, type) and issubclass(arg, BaseModel)), None)
        if table is not None and get_args(table) and get_args(table)[0] is str:
            continue
    if table is not None and get_args(table):
        table = next((arg for arg in get_args(table) if isinstance(arg, type) and issubclass(arg, BaseModel)), None)
    return list(table.model_fields) if isinstance(table, type) and issubclass(table, BaseModel) else []
