"""How much of one text occurs in another, by stems."""

from __future__ import annotations

from collections import Counter

from ragtester.text.stems import stems


def lexical_overlap(question: str, evidence: str, language: str) -> float:
    """Share (0 to 1) of the question's distinct content stems that occur in the evidence; 0 without such stems."""
    asked = set(stems(question, language))
    return len(asked & set(stems(evidence, language))) / len(asked) if asked else 0.0


def stem_f1(first: str, second: str, language: str) -> float:
    """F1 (0 to 1) of the two texts' content stems as multisets (the token F1 of SQuAD, on stems)."""
    one, two = Counter(stems(first, language)), Counter(stems(second, language))
    shared = sum((one & two).values())
    total = sum(one.values()) + sum(two.values())
    return 2 * shared / total if total else 0.0


def rouge_l(candidate: str, reference: str, language: str) -> float:
    """ROUGE-L F1 (Lin 2004): longest common subsequence of stems, stop words kept; 0 to 1."""
    one = stems(candidate, language, keep_stop_words=True)
    two = stems(reference, language, keep_stop_words=True)
    if not one or not two:
        return 0.0
    return 2 * _common_subsequence(one, two) / (len(one) + len(two))


def _common_subsequence(one: list[str], two: list[str]) -> int:
    """Length of the longest common subsequence, O(len(one) × len(two)) time and one row of memory."""
    row = [0] * (len(two) + 1)
    for left in one:
        before = 0
        for column, right in enumerate(two, start=1):
            before, row[column] = row[column], before + 1 if left == right else max(row[column], row[column - 1])
    return row[-1]
