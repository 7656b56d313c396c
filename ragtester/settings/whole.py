"""All settings in one tree."""

from __future__ import annotations

from pydantic import Field

from ragtester.records import CLOSED_BOOK_SUFFIX, NO_RETRIEVAL
from ragtester.settings.execute import ExecuteSettings, GroupSettings
from ragtester.settings.layers import (
    AdversarialSettings,
    ClaimsAuditSettings,
    CoverageAuditSettings,
    DriftSettings,
    GateSettings,
    TargetSettings,
)
from ragtester.settings.models import ModelSettings, ProviderSettings
from ragtester.settings.stages import (
    AccessSettings,
    AuditSettings,
    CasesSettings,
    DocumentsSettings,
    JudgeSettings,
    LimitsSettings,
    ReadingSettings,
    RetrievalAuditSettings,
    WorkspaceSettings,
)
from ragtester.settings.table import Table


class Settings(Table):
    """Everything in `ragtester.toml`."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    documents: DocumentsSettings = DocumentsSettings()
    reading: ReadingSettings = ReadingSettings()
    cases: CasesSettings = CasesSettings()
    execute: ExecuteSettings = ExecuteSettings()
    judge: JudgeSettings = JudgeSettings()
    audit: AuditSettings = AuditSettings()
    audit_retrieval: RetrievalAuditSettings = RetrievalAuditSettings()
    audit_claims: ClaimsAuditSettings = ClaimsAuditSettings()
    audit_coverage: CoverageAuditSettings = CoverageAuditSettings()
    adversarial: AdversarialSettings = AdversarialSettings()
    drift: DriftSettings = DriftSettings()
    gates: dict[str, GateSettings] = Field(default_factory=dict)
    target: TargetSettings = TargetSettings()
    access: AccessSettings = AccessSettings()
    limits: LimitsSettings = LimitsSettings()
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    models: dict[str, ModelSettings] = Field(default_factory=dict)

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
