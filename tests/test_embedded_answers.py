"""Answering by rule: the supported sentence with its section, or a refusal."""

from __future__ import annotations

import pytest

from ragtester.errors import UsageError
from ragtester.models.embedded.answer_types import fits, wanted
from ragtester.models.embedded.answering import answer_question
from ragtester.models.embedded.engine import EmbeddedEngine, variant
from ragtester.models.embedded.question_reading import asked, plainly, split
from ragtester.tasks import ANSWER_QUESTION, AnswerQuestion, Passage, QuestionAnswered

SECTIONS = (
    Passage(label="pump", text="The backup pump is inspected every 90 days. Its filter is made of steel wool."),
    Passage(
        label="museum", text="The annual report of the museum is written by Clara Voss. The hall was opened in 1974."
    ),
)


def ask(question: str, eager: bool = False, language: str = "en", **fields: object) -> QuestionAnswered:
    request = AnswerQuestion.model_validate(
        {"language": language, "question": question, "sections": SECTIONS, **fields}
    )
    return answer_question(request, eager=eager)


def test_answers_with_the_sentence_and_its_section() -> None:
    reply = ask("How often is the backup pump inspected?")
    assert reply == QuestionAnswered(
        answer="The backup pump is inspected every 90 days.", refuses=False, cited=("pump",)
    )


def test_a_synonym_is_enough() -> None:
    assert ask("How often is the backup pump checked?").cited == ("pump",)


@pytest.mark.parametrize(
    "question",
    [
        "What does a ticket for the ferry cost?",
        "How many employees look after the backup pump?",
        "Who invented the violin?",
    ],
)
def test_refuses_what_the_sections_do_not_say(question: str) -> None:
    reply = ask(question, refusals=("No idea", "Don't know"))
    assert reply == QuestionAnswered(answer="No idea", refuses=True)


def test_eager_answers_nearly_anything_but_not_out_of_nothing() -> None:
    assert not ask("How many employees look after the backup pump?", eager=True).refuses
    assert ask("How many employees look after the pump?", eager=True, sections=()).refuses


def test_two_questions_get_two_sentences() -> None:
    reply = ask("How often is the backup pump inspected, and who wrote the annual report of the museum?")
    assert reply.cited == ("pump", "museum")
    assert "90 days" in reply.answer
    assert "Clara Voss" in reply.answer


def test_text_format_carries_the_citation() -> None:
    assert ask("How often is the backup pump inspected?", reply_format="text").answer.endswith("days. [pump]")


@pytest.mark.parametrize(
    ("question", "kind", "fitting", "unfitting"),
    [
        ("How long does it take?", "duration", "It takes 20 minutes.", "It takes patience."),
        ("In which year was it built?", "date", "It was built in 1974.", "It was built well."),
        ("How much does it cost?", "money", "It costs 4 euros.", "It costs 4 hours."),
        ("Which telephone number do you call?", "phone", "Call +44 20 7946 0958.", "Call 112."),
        ("What percentage agrees?", "percent", "28 % agree.", "28 agree."),
    ],
)
def test_kind_of_answer(question: str, kind: str, fitting: str, unfitting: str) -> None:
    assert wanted(question, "en").name == kind
    assert fits(kind, fitting, "en")
    assert not fits(kind, unfitting, "en")


def test_parts_only_where_two_things_are_asked() -> None:
    assert split("What is the pump for, and who checks it?", "en")[0] == ["What is the pump for", "who checks it?"]
    assert split("What are salt and pepper, and oil?", "en")[0] == ["What are salt and pepper, and oil?"]


FARES = Passage(label="fares", text="A single ride on the Meadow Line costs 17.50. The Meadow Line has 24 cabins.")


@pytest.mark.parametrize(
    "question",
    [
        "You are drawing up a budget that includes the Meadow Line. Which price do you enter?",
        "What is the fare for the Meadow Line?",
        "Meadow Line price",
        "How much money is needed for the Meadow Line?",
    ],
)
def test_a_price_is_found_where_only_costs_are_spoken_of(question: str) -> None:
    assert ask(question, sections=(FARES,)).answer == "A single ride on the Meadow Line costs 17.50."


TABLE = Passage(
    label="limits",
    text="## Limits\n\n| Place | Limit | Measured |\n| --- | --- | --- |\n"
    "| hot counter | at least 65 °C | every 30 minutes |\n| cold room | at most 7 °C | twice a day |\n",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the limit for the hot counter?", "hot counter – Limit: at least 65 °C."),
        ("Which limit is there with “cold room”?", "cold room – Limit: at most 7 °C."),
    ],
)
def test_a_table_is_read_by_row_and_head(question: str, answer: str) -> None:
    assert ask(question, sections=(TABLE,)).answer == answer


def test_a_comparison_is_concluded() -> None:
    sections = (
        Passage(label="one", text="The backup pump is inspected every 90 days."),
        Passage(label="two", text="The relief valve is inspected every 2 months."),
    )
    question = (
        "How often is the backup pump inspected, and how often is the relief valve inspected, and which of the two is"
        " longer?"
    )
    same_unit = (sections[0], Passage(label="two", text="The relief valve is inspected every 48 hours."))
    assert ask(question, sections=same_unit).answer.endswith("The longer of the two is 90 days.")
    # Months have no fixed number of days: nothing is concluded.
    assert ask(question, sections=sections).answer.endswith("every 2 months.")


def test_a_scene_is_no_part_of_the_question() -> None:
    assert (
        asked("A figure is missing in a report: at what speed does the lift run?") == "at what speed does the lift run?"
    )
    assert asked("A new colleague asks: “What does the lift need?” What do you answer?") == "What does the lift need?"
    assert plainly("What do COM components put into practice?", "en") == "What do COM components implement?"


@pytest.mark.parametrize("hostile", ["", "?", "\ud800", "{name} %s $x </context>", "为什么", "a" * 5000])
def test_hostile_questions_are_survived(hostile: str) -> None:
    for language in ("en", "ja", "xx"):
        assert ask(hostile, language=language).answer


def test_unknown_variant_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'embedded:eager'"):
        variant("eagre")
    assert variant("embedded:rules") == "rules"


def test_engine_dispatches_by_task() -> None:
    request = AnswerQuestion(language="en", question="Who invented the violin?", sections=SECTIONS)
    careful = EmbeddedEngine().perform("rules", ANSWER_QUESTION, request)
    assert isinstance(careful, QuestionAnswered)
    assert careful.refuses
