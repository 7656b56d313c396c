"""Where contradictions are hidden: in how many questions, and the documents that hold more than their share. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragtester.records import AnswerCoverage
from ragtester.stages.coverage.figures import hidden_chunks, is_hiding
from ragtester.statistics import format_p
from ragtester.statistics.clusters import Cluster, find_cluster
from ragtester.tables.cells import counted

NAMED = 3
"""So many questions are named in a sentence at most."""


def cluster_sentences(rows: Sequence[AnswerCoverage]) -> Iterator[str]:
    """As sentences without their stop; nothing where no answer hides a contradiction.

    A question counts once among documents, however many systems hide something there: they are all asked the same.
    """
    looked = [row for row in rows if is_hiding(row) is not None]
    hiding = [row for row in looked if row.hidden]
    if not hiding:
        return
    documents = {row.case_id: row.document_id for row in looked}
    where = dict.fromkeys(row.case_id for row in hiding)
    found = find_cluster([((name,) if name else (), case in where) for case, name in documents.items()])
    named = f": {', '.join(sorted(where))}" if len(where) <= NAMED else ""
    several = len({name for name in documents.values() if name}) > 1
    none = "; no document holds more of them than chance would put there" if several and found is None else ""
    yield f"Contradictions are hidden in answers to {len(where)} of {counted(len(documents), 'question')}{named}{none}"
    if found is not None:
        yield _cluster(looked, found, len(hiding))
    chunk = next(iter(hidden_chunks(rows)))
    if chunk.answers > 1:
        yield f"{chunk.answers} of {len(hiding)} answers that hide one leave out the same chunk, {chunk.chunk_id}"


def _cluster(rows: Sequence[AnswerCoverage], cluster: Cluster, total: int) -> str:
    counts = {name: Counter(bool(row.hidden) for row in rows if row.document_id == name) for name in cluster.names}
    named = ", ".join(f"{name} ({one[True]} of {counted(one.total(), 'answer')})" for name, one in counts.items())
    inside = sum(one[True] for one in counts.values())
    verb = "concerns" if inside == 1 else "concern"
    documents = f"{counted(len(cluster.names), 'document')} of {cluster.candidates}"
    return f"{inside} of {counted(total, 'answer')} that hide one {verb} {documents}: {named} ({format_p(cluster.p)})"
