"""Names, stop words and conventions of languages, by ISO 639-1 code."""

from __future__ import annotations

from functools import lru_cache

from ragtester.text.normalise import fold, listed

_NAMES = dict(
    pair.split("=")
    for pair in listed(
        "af=Afrikaans am=Amharic an=Aragonese ar=Arabic as=Assamese az=Azerbaijani be=Belarusian bg=Bulgarian "
        "bn=Bengali br=Breton bs=Bosnian ca=Catalan cs=Czech cy=Welsh da=Danish de=German dz=Dzongkha el=Greek "
        "en=English eo=Esperanto es=Spanish et=Estonian eu=Basque fa=Persian fi=Finnish fo=Faroese fr=French "
        "ga=Irish gl=Galician gu=Gujarati he=Hebrew hi=Hindi hr=Croatian ht=Haitian hu=Hungarian hy=Armenian "
        "id=Indonesian is=Icelandic it=Italian ja=Japanese jv=Javanese ka=Georgian kk=Kazakh km=Khmer kn=Kannada "
        "ko=Korean ku=Kurdish ky=Kyrgyz la=Latin lb=Luxembourgish lo=Lao lt=Lithuanian lv=Latvian mg=Malagasy "
        "mk=Macedonian ml=Malayalam mn=Mongolian mr=Marathi ms=Malay mt=Maltese my=Burmese nb=Norwegian ne=Nepali "
        "nl=Dutch nn=Norwegian no=Norwegian oc=Occitan or=Odia pa=Punjabi pl=Polish ps=Pashto pt=Portuguese "
        "qu=Quechua ro=Romanian ru=Russian rw=Kinyarwanda se=Sami si=Sinhala sk=Slovak sl=Slovenian sq=Albanian "
        "sr=Serbian sv=Swedish sw=Swahili ta=Tamil te=Telugu th=Thai tl=Tagalog tr=Turkish ug=Uyghur uk=Ukrainian "
        "ur=Urdu vi=Vietnamese vo=Volapük wa=Walloon xh=Xhosa zh=Chinese zu=Zulu"
    )
)
_POINT_DECIMAL = frozenset(listed("en zh ja ko th he hi bn ur ta te mr gu kn ml pa si ne ms tl my km cy ga mt am sw"))
# The package's English list holds 1,333 words, among them fire, front, room, open, state and system: too many.
_ENGLISH = frozenset(
    listed("""a about again all also although am an and any are aren't as at be because been being both but by can
    can't could couldn't did didn't do does doesn't doing don't done each either else etc ever every for
    from further had hadn't has
    hasn't have haven't having he her here hers herself him himself his how however i i'd i'll i'm i've if in into is
    isn't it it's its itself just let let's like may me might mine much must my myself of once onto or other our ours
    ourselves own please quite rather same shall she should shouldn't since so some such than that that's the their
    theirs them themselves then there there's therefore these they they're this those though through thus to too upon
    us very via was wasn't we we're we've were weren't what what's when where whether which while who whom whose why
    will with within won't would wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves""")
)
# Words that carry an answer ("not", "no more than", numbers) although lists of stop words hold them.
_KEPT = frozenset(
    listed("""no not nor never none without nothing nobody neither cannot least most more less few fewer many
    above below under over before after until up down off on inside outside between per
    zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred
    thousand million billion first second third
    nicht kein keine keinen keiner keinem keines nie ohne vor nach unter oben unten nichts
    zwei drei vier fünf sechs sieben acht neun zehn elf zwölf mehr weniger
    pas non sans jamais aucun aucune rien ne avant après sous moins plus deux trois quatre cinq six sept huit neuf dix
    nunca sin ningún ninguna nada ni antes después menos más dos tres cuatro cinco seis siete ocho nueve diez
    não sem nunca nenhum nenhuma niet geen zonder nooit mai senza nessun nessuna""")
)


def base(code: str) -> str:
    """The two-letter part of a language code ("pt-BR" gives "pt")."""
    return code.replace("_", "-").split("-")[0].strip().lower()


def name(code: str) -> str:
    """English name of a language for prompts; an unknown code is given back as it is."""
    return _NAMES.get(base(code), code)


@lru_cache(maxsize=128)
def stop_words(code: str) -> frozenset[str]:
    """Folded stop words of a language; empty for an unknown one (English: a list of our own).

    Negations, directions and numbers are left out.
    """
    from stop_words import StopWordError, get_stop_words

    if base(code) == "en":
        return _ENGLISH - _KEPT
    try:
        listed = get_stop_words({"no": "nb", "nn": "nb"}.get(base(code), base(code)))
    except StopWordError:
        return frozenset()
    return frozenset(fold(word) for word in listed) - {fold(word) for word in _KEPT}


def decimal_comma(code: str) -> bool:
    """Whether the language writes 1.234,5 (True) or 1,234.5 (False); unknown codes are read as English."""
    return base(code) in _NAMES and base(code) not in _POINT_DECIMAL
