"""Rerank by a cross-encoder on the CPU: `flashrank:MODEL`, the extra `rerank`.

flashrank downloads a model whose folder it does not find. Nothing is downloaded here: the folder and its files are
looked for first, and where one is missing the message says where it belongs.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ragtester.errors import MissingPackageError, UsageError
from ragtester.functions import one_line
from ragtester.provenance import row_key, sha256_file, versions
from ragtester.rag.reranking import Scored, checked, failed
from ragtester.records import Chunk
from ragtester.settings.nearest import did_you_mean

PREFIX = "flashrank:"
FOLDER = "rerankers"
SETTING = "execute.retrieval.rerank"
TOKENIZER = ("config.json", "tokenizer_config.json", "special_tokens_map.json", "tokenizer.json")
# Query and passage together, in the model's tokens; the rest of a passage is not read.
MOST_TOKENS = 512


@dataclass(frozen=True)
class FlashReranker:
    """Scores every passage with the query, all of a query's passages in one batch, in a thread."""

    name: str
    ranker: Any
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def score(self, query: str, language: str, chunks: Sequence[Chunk]) -> Scored:  # noqa: ARG002
        """The model's probabilities that a passage answers the query, 0 to 1."""
        texts = [_encodable(chunk.text) for chunk in chunks]
        try:
            async with self._turn:
                result = await asyncio.to_thread(self._scores, _encodable(query), texts)
        except Exception as error:  # noqa: BLE001 - whatever the runtime raises costs this query only
            return failed(self.name, f"raised {one_line(error)}")
        return checked(self.name, result, len(chunks))

    def _scores(self, query: str, texts: list[str]) -> list[float]:
        """flashrank sorts the passages that it is given; their scores are taken back into the order of ours."""
        from flashrank import RerankRequest

        passages = [{"id": number, "text": text} for number, text in enumerate(texts)]
        ranked = self.ranker.rerank(RerankRequest(query=query, passages=passages))
        return [float(one["score"]) for one in sorted(ranked, key=lambda one: int(one["id"]))]


def make_flash(name: str, root: Path) -> FlashReranker:
    """Load the model from the workspace `root`. Raises MissingPackageError, and UsageError for a model that cannot."""
    folder = check_flash(name, root)
    from flashrank import Ranker

    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    try:
        ranker = Ranker(model_name=folder.name, cache_dir=str(folder.parent), max_length=MOST_TOKENS)
    except Exception as error:
        # The runtime has errors of its own for a file that is no model.
        message = f"{SETTING}: {name} cannot be loaded from {folder} ({one_line(error)}); put its files there anew"
        raise UsageError(message) from error
    finally:
        # It calls `logging.basicConfig(level=INFO)`: every HTTP request of any client would be logged from then on.
        logging.getLogger().handlers[:] = handlers
        logging.getLogger().setLevel(level)
    return FlashReranker(name, ranker)


def check_flash(name: str, root: Path) -> Path:
    """The model's folder, with every file that it needs. Raises MissingPackageError and UsageError."""
    if find_spec("flashrank") is None:
        raise MissingPackageError(f"{name} needs another package: pip install 'ragtester-pipeline[rerank]'")
    config = importlib.import_module("flashrank.Config")
    model = name.removeprefix(PREFIX)
    known = sorted(set(config.model_file_map) - set(config.listwise_rankers))
    if model not in known:
        hint = did_you_mean(model, known) or f"; known: {', '.join(known)}"
        raise UsageError(f"{SETTING}: flashrank has no model {model!r}{hint}")
    folder = root / FOLDER / model
    missing = [file for file in (config.model_file_map[model], *TOKENIZER) if not (folder / file).is_file()]
    if missing:
        raise UsageError(
            f"{SETTING}: {name}: put the model's files into {folder} (missing: {', '.join(missing)});"
            f" they are in {model}.zip of flashrank's models; none is downloaded"
        )
    return folder


def flash_sha256(name: str, root: Path) -> str:
    """Hash of the model's files and of flashrank's version: scores depend on them."""
    folder = check_flash(name, root)
    files = {file.name: sha256_file(file) for file in sorted(folder.iterdir()) if file.is_file()}
    return row_key(files=files, version=versions("flashrank").get("flashrank"))


def _encodable(text: str) -> str:
    """A lone surrogate cannot be tokenised; it stands for nothing a reader could see."""
    return text.encode("utf-8", "replace").decode("utf-8")
