"""Settings: `ragtester.toml`, one table a stage. Unknown keys are refused with the nearest known one.

Keys and passwords are not settings: they come from the environment (and `.env`) and are never written anywhere.
"""

from __future__ import annotations

from ragtester.settings.execute import ExecuteSettings, GroupSettings
from ragtester.settings.layers import (
    GATE_LIMITS,
    AdversarialSettings,
    ClaimsAuditSettings,
    CoverageAuditSettings,
    DriftSettings,
    GateSettings,
    TargetSettings,
)
from ragtester.settings.loading import FILE_NAME, if_absent, load_settings, not_toml, parse_settings, toml_text
from ragtester.settings.models import ModelSettings, ProviderSettings
from ragtester.settings.retrieval import ArmSettings, IndexSettings, RetrievalSettings
from ragtester.settings.stages import (
    PROFILES,
    AccessRule,
    AccessSettings,
    AuditSettings,
    CasesSettings,
    DocumentsSettings,
    JudgeSettings,
    LimitsSettings,
    ReadingSettings,
    RetrievalAuditSettings,
    SharesSettings,
    WorkspaceSettings,
)
from ragtester.settings.table import Table
from ragtester.settings.whole import Settings

__all__ = [
    "FILE_NAME",
    "GATE_LIMITS",
    "PROFILES",
    "AccessRule",
    "AccessSettings",
    "AdversarialSettings",
    "ArmSettings",
    "AuditSettings",
    "CasesSettings",
    "ClaimsAuditSettings",
    "CoverageAuditSettings",
    "DocumentsSettings",
    "DriftSettings",
    "ExecuteSettings",
    "GateSettings",
    "GroupSettings",
    "IndexSettings",
    "JudgeSettings",
    "LimitsSettings",
    "ModelSettings",
    "ProviderSettings",
    "ReadingSettings",
    "RetrievalAuditSettings",
    "RetrievalSettings",
    "Settings",
    "SharesSettings",
    "Table",
    "TargetSettings",
    "WorkspaceSettings",
    "if_absent",
    "load_settings",
    "not_toml",
    "parse_settings",
    "toml_text",
]
