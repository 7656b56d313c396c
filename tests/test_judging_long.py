"""The embedded judge on long answers: our own labelled pairs, and damage that must never raise the rating."""

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from ragtester.models.embedded.judging import judge_answer
from ragtester.models.embedded.judging_clauses import turned_clauses
from ragtester.models.embedded.judging_long import nearness
from ragtester.models.embedded.judging_statements import read
from ragtester.models.embedded.vectors import embed_texts
from ragtester.tasks import JudgeAnswer, Passage
from ragtester.text.overlap import rouge_l, stem_f1
from ragtester.text.sentences import sentences
from ragtester.verdict import VALUES

DATA = Path(__file__).parent / "data" / "judge_long_pairs.jsonl"
ROWS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
PADDING = (
    " It is important to note that every situation is different. Always consult a qualified professional before you "
    "make any decision. I hope this information is helpful, and please let me know if you have further questions!"
)


@cache
def mean(place: int, answer: str) -> float:
    """Mean of the five ratings of an answer to question `place`; without keywords, they follow completeness."""
    row = ROWS[place]
    reply = judge_answer(
        JudgeAnswer(
            language="en",
            question=row["question"],
            expected_answer=row["reference"],
            keywords=(),
            evidence=tuple(Passage(label=str(n), text=text) for n, text in enumerate(row["evidence"])),
            answer=answer,
            refuses=None,
            answerable=True,
        ),
        embed_texts,
    )
    parts = (reply.faithfulness, reply.relevance, reply.completeness, reply.completeness, reply.clarity)
    return sum(VALUES[part.rating] for part in parts) / 5


def correlation(score: Callable[[int, str], float], *, without_false: bool = False) -> float:
    """Pearson's r of differences with the labels, each pair taken both ways round, so that both means are 0."""
    pairs = [
        (score(place, row["answers"][pair[0]]) - score(place, row["answers"][pair[1]]), label)
        for place, row in enumerate(ROWS)
        for pair, label in row["preferences"].items()
        if not (without_false and set(pair) & set(row["false"]))
    ]
    dot = sum(difference * label for difference, label in pairs)
    return float(dot / (sum(one * one for one, _ in pairs) * sum(label * label for _, label in pairs)) ** 0.5)


def test_long_answers_are_told_apart_better_than_by_counting_words() -> None:
    """46 questions of our own with three answers each, labelled before any measure was run on them."""
    assert sum(len(row["preferences"]) for row in ROWS) >= 108
    judge, fair = correlation(mean), correlation(mean, without_false=True)
    assert judge >= 0.45
    assert fair >= 0.6
    for plain in (stem_f1, rouge_l):

        def count(place: int, answer: str, plain: Callable[[str, str, str], float] = plain) -> float:
            return plain(answer, ROWS[place]["reference"], "en")

        assert judge > correlation(count) + 0.25
        assert fair > correlation(count, without_false=True) + 0.1


def best() -> list[tuple[int, str]]:
    """The answer of each question that is preferred to both others, where it has some length."""
    found = []
    for place, row in enumerate(ROWS):
        gain = dict.fromkeys(row["answers"], 0.0)
        for pair, label in row["preferences"].items():
            gain[pair[0]] += label
            gain[pair[1]] -= label
        answer = row["answers"][max(gain, key=lambda name: gain[name])]
        if len(sentences(answer, "en")) >= 4:
            found.append((place, answer))
    return found


def shuffled(answer: str, place: int) -> str:
    parts = sentences(answer, "en")
    random.Random(place).shuffle(parts)
    return "\n".join(parts)


def replaced(answer: str, place: int) -> str:
    """A third of the sentences replaced by sentences that answer another question."""
    parts = sentences(answer, "en")
    others = sentences(ROWS[(place + 5) % len(ROWS)]["answers"]["B"], "en")
    for number, at in enumerate(random.Random(place).sample(range(len(parts)), max(1, len(parts) // 3))):
        parts[at] = others[number % len(others)]
    return "\n".join(parts)


def shortened(answer: str, share: float) -> str:
    return answer[: int(len(answer) * share)].rsplit(" ", 1)[0]


@pytest.mark.parametrize("damage", ["shuffled", "cut to 70 %", "cut to 40 %", "padded", "a third replaced"])
def test_damage_never_raises_the_rating_of_a_good_answer(damage: str) -> None:
    damaged = {
        "shuffled": shuffled,
        "cut to 70 %": lambda answer, _: shortened(answer, 0.7),
        "cut to 40 %": lambda answer, _: shortened(answer, 0.4),
        "padded": lambda answer, _: answer + PADDING,
        "a third replaced": replaced,
    }[damage]
    changes = [mean(place, damaged(answer, place)) - mean(place, answer) for place, answer in best()]
    assert len(changes) >= 30
    assert max(changes) < 1e-9
    if damage != "shuffled":
        assert sum(changes) / len(changes) < -0.05


def test_the_more_is_cut_away_the_lower_the_rating_on_average() -> None:
    whole, most, less = (
        sum(mean(place, shortened(f"{answer} .", share)) for place, answer in best()) for share in (1.0, 0.7, 0.4)
    )
    assert less < most - 0.05 * len(best())
    assert most < whole - 0.05 * len(best())


def test_nearness_is_what_is_said_beyond_the_question() -> None:
    asked = read("How can I remove limescale from a kettle?", "en", embed_texts)
    expected = read("Boil vinegar in it, or citric acid, and rinse.", "en", embed_texts)
    echo = read(
        "To remove limescale from a kettle is a question of removing the kettle's limescale.", "en", embed_texts
    )
    right = read("Lemon or vinegar, boiled and then rinsed away.", "en", embed_texts)
    near, far = nearness(right, expected, asked), nearness(echo, expected, asked)
    assert near is not None
    assert far is not None
    assert near > far + 0.3
    assert nearness(expected, expected, asked) == 1
    assert nearness(read("Boil vinegar.", "en", None), expected, asked) is None


def test_numbers_of_list_items_and_citations_are_no_values() -> None:
    body = read("1. Open the valve [2].\n2. Wait 5 minutes [1, 3], see passage 4.\n3) Close it.", "en", None)
    assert [(float(one.value), one.unit) for one in body.quantities] == [(300.0, "s")]
    assert read("12. März 2019", "de", None).quantities[0].kind == "date"


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("A mutual fund trades on an exchange all day, an ETF is priced once a day after the close.", True),
        ("An ETF does not trade on an exchange all day.", True),
        ("While a mutual fund is priced once a day after the close, an ETF trades on an exchange all day.", False),
        ("All day long you can deal in ETFs on an exchange.", False),
    ],
)
def test_expected_clauses_said_of_another_subject_or_denied_are_contradictions(answer: str, found: bool) -> None:
    asked = read("What is the difference between an ETF and a mutual fund?", "en", None)
    expected = read(
        "An ETF trades on an exchange all day, while a mutual fund is priced once a day after the close.", "en", None
    )
    assert bool(turned_clauses(read(answer, "en", None), expected, asked)) == found
