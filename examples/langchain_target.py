"""A LangChain Runnable as the system under test: `[target] name = "langchain:langchain_target:chain"`.

A chain of one's own gives `answer` and `context` (a list of Documents) in the same way; `create_retrieval_chain` does.
With `[target] input = "input"` it is invoked with `{"input": question, "tags": [...]}`.
"""

from __future__ import annotations

from typing import Any

import python_target
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough


def retrieve(given: dict[str, Any]) -> list[Document]:
    """The paragraphs that share words with the question."""
    found = python_target.ask(given["input"])["chunks"]
    return [
        Document(page_content=one["text"], metadata={"source": one["document"], "score": one["score"]}, id=one["id"])
        for one in found
    ]


def generate(given: dict[str, Any]) -> str:
    """A model would be called here; this one repeats the first sentence of the first paragraph."""
    return str(given["context"][0].page_content.partition(". ")[0]) if given["context"] else "I don't know."


chain = RunnablePassthrough.assign(context=RunnableLambda(retrieve)).assign(answer=RunnableLambda(generate))
