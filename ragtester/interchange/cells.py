"""Reading the values of one record: each is taken out by name, of the type that is wanted, and what is left is told."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
from typing import Any

from pydantic import ValidationError

from ragtester.access import tags
from ragtester.interchange.items import FILE_PREFIXES, USER_TAGS, Account, Own
from ragtester.text.normalise import clean

# A spreadsheet computes a cell that begins like this; the wide forms count in East Asian versions.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_TRUE, _FALSE = ("true", "yes", "pass", "passed", "1"), ("false", "no", "fail", "failed", "0")
_SHORTENED = re.compile(r"['\"]\s+\.\.\.\s+['\"]")
_SIDE_BY_SIDE = re.compile(r"['\"]\s+r?['\"]")
LARGEST_LITERAL = 1 << 22


def is_formula(text: str) -> bool:
    """Whether a spreadsheet might compute the text."""
    return text.lstrip().startswith(_FORMULA) or text.startswith(("\t", "\r"))


def literal(text: str) -> Any:
    """A list or object written as JSON or as Python writes it; anything else gives None. Nothing is evaluated."""
    if len(text) > LARGEST_LITERAL or not text.startswith(("[", "{")):
        return None
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return None if runs_together(text) else value


def runs_together(text: str) -> bool:
    """Whether texts stand side by side without a comma, as numpy writes an array: Python would join them to one."""
    if not _SIDE_BY_SIDE.search(text):
        return False
    before = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and before == tokenize.STRING:
                return True
            before = before if token.type == tokenize.NL else token.type
    except (tokenize.TokenError, IndentationError):
        return False
    return False


class Fields:
    """The fields of one record. What is taken is gone; `done` counts the rest as dropped."""

    def __init__(self, where: str, data: dict[str, Any], account: Account) -> None:
        self.where, self.account = where, account
        self.data = {str(name).strip(): value for name, value in data.items()}

    def take(self, *names: str) -> Any:
        """The first of the fields that says anything, as it stands; None where there is none."""
        for name in names:
            value = self.data.pop(name, None)
            if _says(value):
                return value
        return None

    def text(self, *names: str) -> str:
        """A text, without white space around it; numbers become texts."""
        value = self.take(*names)
        if value is None:
            return ""
        if isinstance(value, bool):
            value = str(value).lower()
        if not isinstance(value, str | int | float):
            self.fault(f"{names[0]}: a text is wanted, not {_type(value)}")
            return ""
        return self.cleaned(str(value)).strip()

    def texts(self, *names: str) -> tuple[str, ...] | None:
        """A list of texts: as JSON has it, written as JSON or by Python's str(), or one text alone. None: not given."""
        value = self.take(*names)
        if value is None:
            return None
        if isinstance(value, str):
            bare = value.strip()
            value = self._parsed(names[0], bare) if bare.startswith("[") else [value]
        if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
            return tuple(cleaned for one in value if (cleaned := self.cleaned(one)).strip())
        if value is not None:
            self.fault(f"{names[0]}: a list of texts is wanted, not {_type(value)}")
        return None

    def tags(self) -> tuple[str, ...] | None:
        """What the user who asks may see: a list, or words with spaces, commas or semicolons between. None: not given.

        An empty list is a user without tags.
        """
        for name in (USER_TAGS, "user_acl"):
            value = self.data.pop(name, None)
            if isinstance(value, str) and (bare := value.strip()):
                value = literal(bare) if bare.startswith("[") else re.split(r"[\s,;]+", bare.strip(",;"))
            elif value != [] and not _says(value):
                continue
            try:
                return tags(_texts_alone(value))
            except ValueError as error:
                self.fault(f"{name}: {error}")
                return None
        return None

    def _parsed(self, name: str, text: str) -> Any:
        value = literal(text)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return value
        if value is None and runs_together(text):
            self.fault(f"{name}: an array of numpy, whose texts run together; save lists as JSON (to_json)")
        elif value is None and _SHORTENED.search(text):
            self.fault(f"{name}: a shortened array of numpy, whose texts are lost; save lists as JSON (to_json)")
        elif value is None:
            # One text that begins with a bracket, such as "[1] See the manual".
            return [text]
        else:
            self.fault(f"{name}: a list of texts is wanted, not {_type(value)}")
        return None

    def number(self, *names: str) -> float | None:
        """A finite number, also with a decimal comma; NaN counts as not given."""
        value = self.take(*names)
        if value is None:
            return None
        number = as_number(value)
        if number is None:
            self.fault(f"{names[0]}: a number is wanted, not {_shown(value)}")
            return None
        return number if math.isfinite(number) else None

    def count(self, *names: str) -> int | None:
        """A whole number of at least 0."""
        number = self.number(*names)
        if number is None:
            return None
        if number < 0 or number != int(number):
            self.fault(f"{names[0]}: a whole number is wanted, not {number}")
            return None
        return int(number)

    def flag(self, *names: str) -> bool | None:
        """True or false; None where it is not given."""
        value = self.take(*names)
        if value is None or isinstance(value, bool):
            return value
        word = str(value).strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        self.fault(f"{names[0]}: true or false is wanted, not {_shown(value)}")
        return None

    def own(self, value: Any) -> Own:
        """ragtester's own block of metadata, checked."""
        try:
            own = Own.model_validate(value)
        except ValidationError as error:
            told = error.errors()[0]
            self.fault(f"ragtester.{'.'.join(str(part) for part in told['loc'])}: {told['msg']}")
            return Own()
        words = tuple(self.cleaned(word) for word in own.keywords)
        return own.model_copy(update={"keywords": tuple(word for word in words if word.strip())})

    def fault(self, message: str) -> None:
        """Note something that must be mended in this record."""
        self.account.fault(self.where, message)

    def cleaned(self, text: str) -> str:
        """A text that can be stored and shown; what is taken out of it is told."""
        plain = clean(text)
        if len(plain) != len(text.replace("\r\n", "\n")):
            self.account.note("control characters or halves of surrogate pairs were taken out of a text")
        return plain

    def done(self, prefix: str = "") -> None:
        """Count what is left as dropped, by name."""
        for name, value in self.data.items():
            if _says(value):
                refers = isinstance(value, str) and value.startswith(FILE_PREFIXES)
                told = " (a reference to a file, never followed)" if refers else ""
                self.account.drop(f"{prefix}{name or '(column without a name)'}{told}")


def as_number(value: Any) -> float | None:
    """A JSON number or its text, also with a decimal comma; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        text = value.strip()
        if text.count(",") == 1 and "." not in text:
            text = text.replace(",", ".")
        try:
            return float(text)
        except ValueError:
            return None
    return None


def _says(value: Any) -> bool:
    """Whether a value says anything: null, NaN, and what is empty do not."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, float):
        return not math.isnan(value)
    return value is not None and value not in ([], {})


def _texts_alone(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("a list of tags is wanted, as in tenant:acme role:support")
    return value


def _type(value: Any) -> str:
    names = {"dict": "an object", "list": "a list", "str": "a text", "bool": "true or false", "tuple": "a list"}
    return names.get(type(value).__name__, "a number")


def _shown(value: Any) -> str:
    return ascii(str(value)[:40])
