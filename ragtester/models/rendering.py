"""From a request record to the messages that a chat model gets: LangChain messages from the strict prompt files."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ragtester.prompts import Prompt, load_prompt
from ragtester.records import Record
from ragtester.tasks import AnswerQuestion, Task

# Each module has `values(request) -> dict[str, str]`: the slots of the task's prompt.
MODULES = {
    "write_document": "ragtester.models.rendering_document",
    "write_cases": "ragtester.models.rendering_cases",
    "answer_question": "ragtester.models.rendering_answer",
    "answer_question.closed": "ragtester.models.rendering_answer",
    "answer_question.conflicts": "ragtester.models.rendering_answer",
    "judge_answer": "ragtester.models.rendering_judge",
    "vote_verdict": "ragtester.models.rendering_judge",
    "rewrite_query": "ragtester.models.rendering_rewrite",
    "rank_passages": "ragtester.models.rendering_rank",
    "trace_claims": "ragtester.models.rendering_claims",
    "split_answer": "ragtester.models.rendering_split",
    "check_claim": "ragtester.models.rendering_check",
    "stress_question.under_specified": "ragtester.models.rendering_stress",
    "stress_question.paraphrase": "ragtester.models.rendering_stress",
    "stress_question.wrong_premise": "ragtester.models.rendering_stress",
}
REPAIR = (
    "Your last reply could not be used: {fault}. Reply again to the request above, in exactly the form that was asked "
    "for and with nothing around it."
)


class Renderer:
    """Loads each prompt once; renders requests."""

    def __init__(self, prompts_dir: Path | None) -> None:
        self._load = lru_cache(maxsize=None)(lambda task, variant: load_prompt(task, prompts_dir, variant))

    def render(self, task: Task[Any, Any], request: Record) -> tuple[str, str]:
        """System and user message. Raises UsageError for a prompt file with an unknown slot."""
        values: dict[str, str] = import_module(MODULES[task.name]).values(request)
        return self.prompt(task, request).render(values)

    def prompt(self, task: Task[Any, Any], request: Record | None = None) -> Prompt:
        """The unrendered prompt of a task; plain-text answers have words of their own."""
        variant = "text" if isinstance(request, AnswerQuestion) and request.reply_format == "text" else ""
        loaded: Prompt = self._load(task.name, variant)
        return loaded

    def sha256(self, task: Task[Any, Any]) -> str:
        """Hash of everything that words a request of this task: its prompt files, all variants, and the repair."""
        parts = [self.prompt(task).sha256, REPAIR]
        if task.request is AnswerQuestion:
            parts.append(self._load(task.name, "text").sha256)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
