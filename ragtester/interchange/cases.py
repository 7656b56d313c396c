"""Items become cases of a technique. Pure: what cannot become one is told in the account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragtester.access import may_see, tags_of_user
from ragtester.documents.language import UNKNOWN, detect
from ragtester.interchange.formats import FormatName
from ragtester.interchange.items import Account, Item, parse_kind
from ragtester.interchange.placing import Place
from ragtester.provenance import row_key, sha256_text
from ragtester.records import Case, CaseType, Document, Evidence, Origin
from ragtester.spans import Pair, pages_of
from ragtester.text.overlap import lexical_overlap
from ragtester.text.refusal import is_refusal
from ragtester.workspace import slug

FOREIGN = "imported:"
LONGEST_WORD = 80


@dataclass
class CaseMaker:
    """Makes the cases of one import. Ids stay the same where a file is imported again."""

    technique: str
    format: FormatName
    refusals: tuple[str, ...]
    documents: Mapping[str, Document]
    account: Account
    user_tags: tuple[str, ...] | None = None
    """Tags of the users of all cases that say none themselves; None stands for their documents' tags."""
    _ids: set[str] = field(default_factory=set)
    _seen: dict[tuple[str, str, str, tuple[str, ...]], Case] = field(default_factory=dict)

    def make(self, item: Item, place: Place, text: str) -> tuple[Case | None, bool]:
        """The item's case, and whether it is a new one; None where the item can be none.

        `text` is that of the place's document. An item that repeats an earlier one gives that one's case.
        """
        document = place.document
        user_tags = item.own.user_tags
        if user_tags is None:
            user_tags = tags_of_user(document, self.user_tags)
        same = (document.id, item.question, item.expected_answer, user_tags)
        if same in self._seen:
            return self._seen[same], False
        language = _word(item.own.language) or self._language(item, document)
        type_, subtype = self._type(item, language)
        expected = item.expected_answer or (self.refusals[0] if type_ == "rejection" else "")
        if not expected:
            self.account.skip(item.where, "no expected answer: such a case cannot be judged")
            return None, False
        rejection = type_ == "rejection"
        if rejection and (place.spans or item.own.keywords):
            self.account.drop("contexts and keywords of cases that expect a refusal")
        spans = () if rejection else place.spans
        keywords = () if rejection else item.own.keywords
        origin = self._origin(item.own.origin)
        case = Case(
            id=self._id(item, document, expected),
            key=row_key(
                technique=self.technique,
                case=[item.question, expected, keywords, type_, subtype, item.own.style, language, spans],
                text=document.text_sha256,
                origin=origin.model_dump() if origin else None,
            ),
            document_id=document.id,
            document_sha256=document.sha256,
            technique=self.technique,
            type=type_,
            subtype=subtype,
            style=_word(item.own.style),
            language=language,
            question=item.question,
            expected_answer=expected,
            keywords=keywords,
            evidence=evidence(spans, document),
            sections=item.own.sections,
            origin=origin,
            user_tags=user_tags,
            flesch=item.own.flesch,
            lexical_overlap=_overlap(item.question, spans, text, language),
            model=_word(item.own.model) or f"{FOREIGN}{self.format}",
            prompt_sha256="",
        )
        if not may_see(document.tags, user_tags):
            self.account.note("a case's user may not see its document (access rules)")
        self._seen[same] = case
        return case, True

    def _type(self, item: Item, language: str) -> tuple[CaseType, str]:
        """The type that our own block or word says; else rejection where a refusal is wanted; else baseline."""
        if item.own.type:
            return item.own.type, _word(item.own.subtype)
        known, word = parse_kind(item.kind)
        refuses = item.refusal or is_refusal(item.expected_answer, self.refusals, language)
        return known or ("rejection" if refuses else "baseline"), _word(word)

    def _language(self, item: Item, document: Document) -> str:
        if document.language and document.language != UNKNOWN:
            return document.language
        return detect(f"{item.question}\n{item.expected_answer}")

    def _origin(self, origin: Origin | None) -> Origin | None:
        if origin is None:
            return None
        document = self.documents.get(origin.document_id)
        if document is None or not origin.start <= origin.end <= document.characters:
            self.account.drop("origin (its document is not in the suite)")
            return None
        return origin

    def _id(self, item: Item, document: Document, expected: str) -> str:
        """The name that the file gives to the item, or a hash of its content: the same in every import of it."""
        name = item.name.rpartition("/")[2].strip() or item.name.strip()
        digest = sha256_text("\0".join((item.question, expected)))
        own = slug(name) if name else f"q-{digest[:8]}"
        base = identity = f"{document.id}/{self.technique}/{own}"
        number = 2
        while identity in self._ids:
            identity, number = f"{base}-{number}", number + 1
        self._ids.add(identity)
        return identity


def evidence(spans: Iterable[Pair], document: Document) -> tuple[Evidence, ...]:
    """Spans with their pages."""
    return tuple(Evidence(start=a, end=b, pages=pages_of(a, b, document.page_starts)) for a, b in spans)


def _overlap(question: str, spans: Sequence[Pair], text: str, language: str) -> float | None:
    if not spans:
        return None
    return round(lexical_overlap(question, "\n".join(text[start:end] for start, end in spans), language), 4)


def _word(text: str) -> str:
    """A foreign word as one short line."""
    return " ".join(text.split())[:LONGEST_WORD]
