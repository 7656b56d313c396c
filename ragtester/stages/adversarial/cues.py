"""Words by which an answer denies a value, reports it as superseded, or tells its source from another. Data.

Over folded text. An answer may be in another language than the question (a translated document beside the right one),
so all languages are looked for at once.
"""

from __future__ import annotations

import re

_FILLERS = (
    r"(?:\W+(?:the|a|an|within|for|at|to|of|in|by|about|on|up|than|that|those|these|der|die|das|den|dem|des|von|bis|zu|"
    r"nach|innerhalb|mit|à|le|la|les|de|du|dans|un|une|l|d|earlier|old|older|former|previous|alten?|früheren?|bisherigen?|"
    r"anciens?|anciennes?|version|limit|figure|value|window|period|wert|frist))*\W*$"
)
DENIED_BEFORE = re.compile(
    r"\b(?:not|never|nicht|kein\w*|pas|non|nie|jamais|niet|geen|isn't|aren't|wasn't|instead of|rather than|"
    r"as opposed to|in place of|statt|anstatt|anstelle|au lieu|plutôt que?|replac\w+|supersed\w+|ersetz\w+|remplac\w+|"
    r"no longer|nicht mehr|nicht länger)" + _FILLERS
)
"""Directly before a value: it is denied, or another takes its place."""

CHANGED_FROM = re.compile(
    r"\b(?:rais|lower|chang|increas|reduc|extend|shorten|cut|mov|correct|amend|adjust|went|gesenkt|erhöht|geändert|"
    r"verkürzt|verlängert|korrigiert|pass|rédui|augment|port|corrig)\w*\b.*\b(?:from|von|de|d)\W*(?:(?:the|den)\W*)?$"
)
"""Before a value from which something was changed."""

DENIED_AFTER = re.compile(
    r"^\s*(?:[\w'-]+\s+){0,6}?(?:no longer|not any ?more|nicht mehr|ne (?:\w+ )?plus|n'(?:est|ont|a|sont) plus|"
    r"(?:do|does|did|is|are|was|were) not (?:\w+ )?(?:apply|hold|valid|binding|bind|in force|right|correct)|"
    r"(?:don't|doesn't|isn't|aren't) (?:\w+ )?(?:apply|hold|valid|right|correct|in force|binding)|"
    r"(?:gilt|gelten) (?:\w+ )?nicht|(?:was|is|were|are|been|now|since) (?:\w+ )?(?:superseded|replaced|withdrawn|"
    r"retracted|corrected|repealed|revoked|outdated|obsolete|void|wrong|incorrect|invalid|expired|cancell?ed)|"
    r"(?:ist|sind) (?:\w+ )?(?:überholt|veraltet|ersetzt|aufgehoben|ungültig|falsch)|wurden? (?:\w+ ){0,3}(?:ersetzt|"
    r"aufgehoben|zurückgezogen|geändert|korrigiert)|(?:est|été|sont) (?:\w+ )?(?:remplac|abrog|retir|annul|caduc|obsol|"
    r"périm|corrig|erron|dépass)\w*)"
)
"""After a value, in few words: it does not hold (any more)."""

SUPERSEDED = re.compile(
    r"\b(?:no longer|out of date|outdated|obsolete|superseded|formerly|previously|used to|until recently|withdrawn|"
    r"retracted|revoked|repealed|expired|invalid|void|not (?:yet )?(?:in force|binding|valid|adopted|signed|apply)|"
    r"unsigned|non-?binding|(?:was|been|is|were|are) replaced|incorrect\w*|wrong\w*|mistake\w*|error\w*|erroneous\w*|"
    r"ignor(?:e|es|ed|ing)|disregard\w*|inject\w*|malicious|(?:ask|tell|instruct|tri|want)(?:s|es|ed)? (?:\w+ )?(?:ai|"
    r"assistants?|language models?|models?|me|us)|planted|does not (?:apply|hold)|"
    r"nicht mehr|veraltet\w*|überholt\w*|früher|ehemals|vormals|bisher|aufgehoben\w*|zurückgezogen\w*|"
    r"ungültig\w*|falsch\w*|irrtüm\w*|ignorier\w*|missacht\w*|unverbindlich\w*|gilt nicht|gelten nicht|"
    r"ne (?:\w+ )?plus|n'(?:est|ont|a|sont) plus|périm\w*|caduc\w*|obsolète\w*|abrog\w*|retirée?s?|annul\w*|"
    r"(?:a|ont) été remplac\w*|erron\w*|auparavant|autrefois|anciennement|ne fait pas foi|dépassée?s?|"
    r"n'engage\w*)\b"
)
"""Anywhere around a value: it is reported as not holding, whether or not another one is given."""

TOLD_APART = re.compile(
    r"\b(?:old|older|earlier|previous|former|prior|draft\w*|propos\w*|was|were|until|up to 20\d\d|competit\w*|others?|"
    r"another|whereas|while|unlike|forum|translation|before that|initial\w*|original\w*|at first|"
    r"alte[nrs]?|ältere\w*|frühere\w*|vorige\w*|entwurf\w*|war|waren|andere\w*|während|dagegen|hingegen|zuvor|zunächst|"
    r"ursprünglich\w*|übersetzung|ancien\w*|précédent\w*|antérieur\w*|projet|était|étaient|autres?|tandis|alors que|"
    r"concurrent\w*|avant cela|initialement|traduction|anterior|precedente|vecchi\w*|oude)\b"
)
"""Around a value, where another one is given as the answer: it is set apart from it."""

JOINTS = re.compile(
    r"[;:()–—]|,|\s-\s|\b(?:and|but|or|while|whereas|though|although|however|instead of|rather than|not|to|by|und|aber|"
    r"oder|sondern|während|jedoch|statt|anstatt|nicht|et|mais|ou|tandis|alors que|au lieu|et non|y|pero|e|ma|en|maar)\b"
)
"""Where a sentence with two values may be cut between them."""
