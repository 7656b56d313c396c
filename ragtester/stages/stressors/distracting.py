"""Fixtures in which the right chunk really ranks fifth: distractors are added until it does, and measured."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from ragtester.records import StressorRank
from ragtester.stages.stressors.bench import Text
from ragtester.stages.stressors.excerpts import passage
from ragtester.stages.stressors.made import OTHER, Asked, Made, Maker, Ranks, Source, Unusable, fixture_of, rank_rows
from ragtester.stages.stressors.spots import Spot, find_spots
from ragtester.stages.stressors.targets import find_targets, says_value
from ragtester.text.keywords import keyword_match
from ragtester.text.languages import base
from ragtester.text.likeness import likeness

RANK = 5
# Questions that were put and not answered: they hold every word of the question and nothing of its answer.
TICKETS = {
    "en": (
        "Ticket 4071: {question} The request was passed on to the department in charge. No answer yet.",
        "From the minutes: a member asked: {question} The point was put off until the next meeting.",
        "Frequently asked: {question} See the document in force; this list gives no answers.",
        "Comment on the draft: {question} The wording of the section on this is still open.",
        "Letter to the office: {question} Please reply by post. Received and filed.",
        "Search log, most frequent query of the month: {question} Result opened: none.",
    ),
    "de": (
        "Anfrage 4071: {question} Die Anfrage wurde an die zuständige Stelle weitergeleitet. Eine Antwort steht aus.",
        "Aus dem Protokoll: Ein Mitglied fragt: {question} Der Punkt wird auf die nächste Sitzung vertagt.",
        "Häufig gefragt: {question} Siehe das geltende Dokument; diese Liste gibt keine Antworten.",
        "Anmerkung zum Entwurf: {question} Die Fassung des Abschnitts dazu ist noch offen.",
        "Schreiben an das Büro: {question} Bitte antworten Sie per Post. Eingegangen und abgelegt.",
        "Suchprotokoll, häufigste Anfrage des Monats: {question} Geöffnetes Ergebnis: keines.",
    ),
    "fr": (
        "Demande 4071 : {question} La demande a été transmise au service compétent. Pas encore de réponse.",
        "Extrait du procès-verbal : un membre demande : {question} Le point est reporté à la prochaine séance.",
        "Questions fréquentes : {question} Voir le document en vigueur ; cette liste ne donne pas de réponses.",
        "Remarque sur le projet : {question} La rédaction de ce passage n'est pas arrêtée.",
        "Lettre au bureau : {question} Merci de répondre par courrier. Reçue et classée.",
    ),
    "es": (
        "Consulta 4071: {question} La consulta se remitió al departamento responsable. Sin respuesta todavía.",
        "Del acta: un miembro pregunta: {question} El punto se aplaza hasta la próxima reunión.",
        "Preguntas frecuentes: {question} Véase el documento vigente; esta lista no da respuestas.",
        "Comentario al borrador: {question} La redacción de ese apartado sigue abierta.",
        "Carta a la oficina: {question} Se ruega respuesta por correo. Recibida y archivada.",
    ),
    "ru": (
        "Обращение 4071: {question} Обращение передано в ответственный отдел. Ответа пока нет.",
        "Из протокола: участник спросил: {question} Вопрос перенесён на следующее заседание.",
        "Частые вопросы: {question} См. действующий документ; этот список ответов не даёт.",
        "Замечание к черновику: {question} Формулировка этого раздела ещё не согласована.",
        "Письмо в контору: {question} Просим ответить почтой. Получено и подшито.",
    ),
    "ja": (
        "問い合わせ4071：{question} 担当部署に転送しました。回答はまだありません。",
        "議事録より、委員からの質問：{question} 次回の会議に持ち越しとします。",
        "よくある質問：{question} 現行の文書を参照してください。この一覧に回答はありません。",
        "草案への意見：{question} この節の文言はまだ決まっていません。",
        "事務局への手紙：{question} 郵送での返答を希望。受領し、保管済み。",
    ),
}  # fmt: skip
_ENDS = (".", "?", "!", "。", "？", "…")
_SAME = 90
_PASSAGES = 12


async def make_distractor_heavy(maker: Maker, source: Source) -> Made:
    """Documents that outrank the right chunk and answer nothing, so many that it is fifth under every embedding model.

    Passages of the corpus come first, then questions that were put and left open. Where the models cannot be brought
    together so, the right document is cut down to the passage of the evidence, and at last the open questions do it
    alone. Measured at K = 5 or that of the settings, where larger.
    """
    k = max(RANK, maker.k)
    cut = passage(source.text, source.evidence, maker.passage_limit, source.case.language)
    short = replace(source, gold=cut) if cut is not None else None
    ways = [(source, True), *([(short, True), (short, False)] if short is not None else [])]
    nearest: list[StressorRank] = []
    for there, borrowed in ways:
        ranks, chosen = await _piled(maker, there, k, borrowed=borrowed)
        gold = there.gold_text()
        rows = rank_rows(ranks, gold.id)
        if _is_fifth(ranks, gold.id):
            notes = {"distractors": str(len(chosen))}
            documents = {one.id: one.text for one in (gold, *chosen)}
            return Made(fixture_of(there, rows, Asked(k=k), notes), documents, rows)
        nearest = nearest or list(rows)
    found = ", ".join(f"{one.embedding} {one.gold or 'not found'}" for one in nearest)
    reason = f"the right chunk does not come to stand {RANK}th under every embedding model (nearest: {found})"
    raise Unusable("rank_not_reached", reason, tried=True, ranks=nearest)


async def _piled(maker: Maker, source: Source, k: int, *, borrowed: bool) -> tuple[Ranks, list[Text]]:
    """Distractors, one after the other, as long as each makes the right chunk sink and none makes it sixth."""
    gold = source.gold_text()
    ranks = await maker.measure(source, [gold], k=k)
    chosen: list[Text] = []
    if _past(ranks, gold.id):
        return ranks, chosen
    async for one in _candidates(maker, source, borrowed=borrowed):
        if _is_fifth(ranks, gold.id):
            break
        trial = await maker.measure(source, [gold, *chosen, one], k=k)
        if not _past(trial, gold.id) and _nearer(ranks, trial, gold.id):
            chosen.append(one)
            ranks = trial
    return ranks, chosen


async def _candidates(maker: Maker, source: Source, *, borrowed: bool) -> AsyncIterator[Text]:
    case, wanted = source.case, _targets(source)
    for name, text in (await maker.nearest(source, _PASSAGES)) if borrowed else ():
        if _answers(source, text, wanted) or text in source.gold.text:
            continue
        yield Text(f"{OTHER}/{name}", text)
    question = " ".join(case.question.split())
    question += "" if question.endswith(_ENDS) else "。" if base(case.language) == "ja" else "."
    for number, ticket in enumerate(TICKETS.get(base(case.language), ()), start=1):
        text = ticket.format(question=question)
        if not _answers(source, text, wanted):
            yield Text(f"{OTHER}/open-question-{number}", text)


def _targets(source: Source) -> list[Spot]:
    spots = find_spots(source.gold.text, source.case.language)
    groups = find_targets(spots, source.gold.evidence, source.case).answer
    return [spots.of(group)[0] for group in groups]


def _answers(source: Source, text: str, wanted: list[Spot]) -> bool:
    """Whether a passage could answer the question: it has the answer's value, all keywords, or the evidence itself."""
    case = source.case
    if wanted and says_value(text, case.language, wanted):
        return True
    if case.keywords and keyword_match(case.keywords, text, case.language)[0] == "true":
        return True
    return any(likeness(held, text) >= _SAME for held in source.gold.held())


def _is_fifth(ranks: Ranks, gold: str) -> bool:
    return bool(ranks) and all(found.get(gold) == RANK for found in ranks.values())


def _past(ranks: Ranks, gold: str) -> bool:
    """Whether the right chunk is sixth or worse anywhere."""
    return any((found.get(gold) or RANK + 1) > RANK for found in ranks.values())


def _nearer(before: Ranks, after: Ranks, gold: str) -> bool:
    """Whether the right chunk sank somewhere."""
    return any((after[name].get(gold) or 0) > (found.get(gold) or 0) for name, found in before.items())
