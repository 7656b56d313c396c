# ruff: noqa: E501 - one pattern a line

"""Patterns of the languages other than English: how a subject, its verb and what is said of it look."""

from __future__ import annotations

import re

_S = r"^(?P<s>[^,;:()]{3,60}?)"
_V = r"(?P<v>.{3,220})$"
_DE_SUBJECT = (
    r"(?P<S>(?:(?:Der|Die|Das|Ein|Eine|Jede|Jeder|Jedes) (?:[a-zäöüß]+e[nrs]? )?)?[A-ZÄÖÜ][\wäöüß-]+"
    r"(?: (?:des|der|am|im|in der|vom|von|für|mit|zum|zur) (?:[a-zäöüß]+ )?[A-ZÄÖÜ][\wäöüß-]+)?)"
)
Row = tuple[str, str, re.Pattern[str]]


def _rows(articles: str, table: str) -> tuple[Row, ...]:
    """Lines `kind | verbs | plural verbs`; `{a}` stands for the language's articles."""
    rows = []
    for line in table.strip().splitlines():
        kind, verbs, plural = (part.strip() for part in line.split("|||"))
        verbs = verbs.replace("{a}", articles)
        rows.append((kind, plural, re.compile(rf"{_S} (?P<verb>{verbs}) {_V}")))
    return tuple(rows)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PATTERNS: dict[str, tuple[Row, ...]] = {
    "de": _rows("ein|eine|der|die|das", r"""
        purpose ||| dien(?:t|en)(?= (?:zur|zum|der|als|dazu)\b)|(?:wird|werden)(?= (?:zum|zur|für) .*(?:verwendet|benutzt|eingesetzt|genutzt)\.$) ||| dienen|werden
        composed ||| bestehen aus|besteht aus|enthält|enthalten|umfasst|umfassen|beinhaltet|beinhalten |||
        allows ||| ermöglicht|ermöglichen|erlaubt|erlauben|gestattet |||
        requires ||| benötigt|benötigen|erfordert|erfordern|verlangt|verlangen |||
        amount ||| beträgt(?= [^.]*\d)|liegt bei(?= \d) |||
        rule ||| muss|müssen|darf|dürfen|soll|sollen |||
        definition ||| (?:ist|sind|bezeichnet|bedeutet|bezeichnen)(?= (?:{a})\b(?! (?:gute|guter|wichtige|Frage))) |||
        treated ||| (?:wird|werden)(?= .{12,}(?:t|en)\.$) |||
        happened ||| (?:wurde|wurden)(?= .{12,}(?:t|en)\.$) |||
        """),
    "fr": _rows("un|une|le|la|l['’]\\w+|des|les", r"""
        purpose ||| sert à|servent à|vise à|visent à|a pour (?:but|objectif) (?:de|d['’])|ont pour (?:but|objectif) (?:de|d['’]) ||| servent|visent|ont
        composed ||| comprend|comprennent|contient|contiennent|inclut|incluent|comporte|comportent|regroupe|regroupent|présente|présentent|propose|proposent|offre|offrent|se compose de|se composent de |||
        allows ||| permet(?: de)?|permettent(?: de)?|permettra(?: de)?|favorise|favorisent|facilite|facilitent ||| permettent|favorisent|facilitent
        requires ||| nécessite|nécessitent|exige|exigent|requiert|requièrent |||
        advice ||| devrait|devraient |||
        rule ||| doit|doivent|devra|devront |||
        definition ||| (?:est|sont|désigne|désignent|constitue|constituent)(?= (?:{a})\b(?! (?:atout|priorité|défi|bon|bonne|grand|grande|élément|facteur|enjeu|chose|des plus))) |||
        treated ||| (?:est|sont|sera|seront)(?= \w+(?:é|ée|és|ées)\b .{12}) |||
        happened ||| (?:a|ont) été(?= \w+(?:é|ée|és|ées)\b .{12}) |||
        """),
    "es": _rows("un|una|el|la|los|las", r"""
        purpose ||| sirve para|sirven para|se (?:utiliza|usa|emplea) para|se (?:utilizan|usan|emplean) para ||| sirven|se \w+n
        composed ||| contiene|contienen|incluye|incluyen|comprende|comprenden|consta de|constan de|se compone de |||
        allows ||| permite|permiten ||| permiten
        requires ||| requiere|requieren|necesita|necesitan|exige|exigen |||
        rule ||| debe|deben|deberá|deberán |||
        definition ||| (?:es|son)(?= (?:{a})\b) |||
        treated ||| (?:es|son|será|serán)(?= \w+[ai]d[oa]s?\b .{12}) |||
        happened ||| (?:fue|fueron)(?= \w+[ai]d[oa]s?\b .{12}) |||
        """),
    "it": _rows("un|una|uno|il|lo|la|i|gli|le", r"""
        purpose ||| serve (?:a|per)|servono (?:a|per)|(?:viene|è) (?:usat|utilizzat|impiegat)[oa] per|(?:vengono|sono) (?:usat|utilizzat|impiegat)[ie] per ||| servono|vengono|sono
        composed ||| contiene|contengono|comprende|comprendono|include|includono|è composto da|è composta da |||
        allows ||| consente(?: di)?|consentono(?: di)?|permette(?: di)?|permettono(?: di)? ||| consentono|permettono
        requires ||| richiede|richiedono|esige |||
        rule ||| deve|devono |||
        definition ||| (?:è|sono)(?= (?:{a})\b) |||
        treated ||| (?:viene|vengono|sarà|saranno)(?= \w+[aiu]t[oaie]\b .{12}) |||
        happened ||| (?:è stat[oa]|sono stat[ie]|venne|vennero)(?= \w+[aiu]t[oaie]\b .{12}) |||
        """),
    "pt": _rows("um|uma|o|a|os|as", r"""
        purpose ||| serve para|servem para|é (?:usad|utilizad)[oa] para|são (?:usad|utilizad)[oa]s para ||| servem|são
        composed ||| contém|contêm|inclui|incluem|compreende|compreendem|é composto por|é composta por |||
        allows ||| permite|permitem ||| permitem
        requires ||| requer|requerem|exige|exigem|necessita de |||
        rule ||| deve|devem|deverá|deverão |||
        definition ||| (?:é|são)(?= (?:{a})\b) |||
        treated ||| (?:é|são|será|serão)(?= \w+[ai]d[oa]s?\b .{12}) |||
        happened ||| (?:foi|foram)(?= \w+[ai]d[oa]s?\b .{12}) |||
        """),
    "nl": _rows("een|de|het", r"""
        purpose ||| (?:dient|dienen|wordt gebruikt|worden gebruikt)(?= (?:om|voor|als)\b) ||| dienen|worden
        composed ||| bevat|bevatten|omvat|omvatten|bestaat uit|bestaan uit |||
        allows ||| maakt het mogelijk(?: om)?|maken het mogelijk(?: om)? |||
        requires ||| vereist|vereisen |||
        rule ||| moet|moeten|mag|mogen |||
        definition ||| (?:is|zijn)(?= (?:{a})\b) |||
        treated ||| (?:wordt|worden)(?= .{12,}) |||
        happened ||| (?:werd|werden)(?= .{12,}) |||
        """),
    "ru": _rows("", r"""
        definition ||| (?:—|–|-) это|— |||
        purpose ||| (?:используется|используются|применяется|применяются|предназначен[аоы]?|служит|служат)(?= (?:для|чтобы)\b) ||| \w+ются|служат|предназначены
        allows ||| позволяет|позволяют ||| позволяют
        composed ||| содержит|содержат|включает(?: в себя)?|включают(?: в себя)?|состоит из|состоят из ||| содержат|включают|состоят
        requires ||| требует|требуют ||| требуют
        rule ||| должен|должна|должно|должны |||
        """),
}  # fmt: skip
# Sentences recognised as a whole. `r` is repeated in the question, `v` is hidden.
WHOLE: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    code: tuple((kind, re.compile(pattern)) for kind, pattern in rows)
    for code, rows in {
        "de": (
            ("share", r"^(?:Rund |Etwa |Fast )?(?P<v>\d[\d.,]*\s?(?:%|Prozent)) (?P<r>(?:der|des|aller|von) [^,;:]{10,110})\.$"),
            ("year", r"^(?:Im Jahre? |)(?P<v>(?:19|20)\d\d) (?P<r>(?:wurden?|entstand|begann|erschien|gründete|eröffnete)\b[^,;:]{10,90})\.$"),
            ("price", rf"^{_DE_SUBJECT} (?P<is>kostet|kosten) (?P<v>\d[\d.,]*(?: Euro| €| Franken)?)(?P<b>(?: im \w+| pro \w+| je \w+)?)(?=[,;.])"),
            ("lasting", rf"^{_DE_SUBJECT} (?P<is>dauert|dauern) (?P<v>(?:vom? |von )?\d.{{3,60}}?)(?=[,;]|\.$)"),
            ("at_time", rf"^{_DE_SUBJECT} (?P<is>[a-zäöü]+t|[a-zäöü]+en) (?P<b>(?:[^,;\d]{{3,40}} )?)um (?P<v>\d[\d:.]* Uhr)(?P<P>(?: [a-zäöüß]+(?:t|en))?)(?=[,;.]| und )"),
            ("until", rf"^{_DE_SUBJECT} (?P<is>[a-zäöü]+t|[a-zäöü]+en|wird|werden) (?P<b>(?:[^,;\d]{{3,40}} )?)bis (?P<v>(?:zum )?\d[^,;.]*?(?:Uhr|\d{{4}}))(?P<P>(?: [a-zäöüß]+(?:t|en))?)(?=[,;.])"),
            ("after_time", rf"^{_DE_SUBJECT} (?P<is>[a-zäöü]+t|[a-zäöü]+en|wird|werden) (?P<b>(?:[^,;\d]{{3,40}} )?)nach (?P<v>(?:\d+|zwei|drei|vier|fünf|sechs|acht|zehn) \w+)(?P<P>(?: [a-zäöüß]+(?:t|en))?)(?=[,;.])"),
            ("within", rf"^{_DE_SUBJECT} (?P<is>[a-zäöü]+t|[a-zäöü]+en|wird|werden) (?P<b>(?:[^,;\d]{{3,40}} )?)innerhalb (?:von )?(?P<v>(?:\d+|zwei|drei|vier|fünf|sechs|acht|zehn) \w+)(?P<P>(?: [a-zäöüß]+(?:t|en))?)(?=[,;.])"),
            ("members", rf"^{_DE_SUBJECT} (?P<is>hat|haben) (?P<v>\d+|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf) (?P<P>[A-ZÄÖÜ]\w+(?:en|er|e|s|n))(?=[,;.]| und )"),
            ("interval", r"^(?P<S>[^,;:()]{3,60}?) (?P<is>wird|werden|muss|müssen) (?P<v>(?:mindestens )?alle \d+ \w+|(?:mindestens )?einmal (?:im|pro) \w+|(?:halb)?jährlich|monatlich|täglich|wöchentlich) (?P<P>\w+(?:t|en)(?: werden)?)\.$"),
            ("within", r"^(?P<S>[^,;:()]{3,60}?) (?P<is>wird|werden|muss|müssen) (?P<v>innerhalb (?:von )?\w+ \w+|binnen \w+ \w+) (?P<P>\w+(?:t|en)(?: werden)?)\.$"),
            ("how_to", r"^Um (?P<x>[^,;:]{8,80} (?:zu \w+|\w+zu\w+)), (?P<v>[^;:]{15,150})\.$"),
            ("named", r"^(?P<S>[^,;:()]{3,50}?) (?:wird|werden) (?:auch |oft )?(?:als )?(?P<v>[^,;:]{3,40}) (?:genannt|bezeichnet)\.$"),
            ("consequence", r"^(?P<w>Wenn|Falls|Sobald) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "fr": (
            ("share", r"^(?:Environ |Près de |Plus de )?(?P<v>\d[\d,]*\s?%) (?P<r>(?:des|de la|du|d['’]) ?[^,;:]{10,110}?)(?:, (?:mais|alors|tandis|et|ce qui|dont|soit)[^;:]*)?\.$"),
            ("interval", r"^(?P<S>[^,;:()]{3,60}?) (?P<is>est|sont|doit être|doivent être) (?P<P>\w+(?:é|ée|és|ées)) (?P<v>(?:au moins )?(?:tous|toutes) les \d* ?\w+|chaque \w+|une fois par \w+)\.$"),
            ("share", r"^(?:[^,;:]{3,50}, )?(?:on peut conclure que )?\d[\d\s]* (?P<a>des \w+), soit (?P<v>\d[\d,]*\s?%), (?P<b>[^,;:]{8,90})\.$"),
            ("count", r"^(?:En tout, |Au total, |Environ )?(?P<v>\d[\d\s]*) (?P<r>(?!%|%)[a-zé]+s [^,;:]{10,110}?)(?:, (?:qui|dont|mais|ce qui)[^;:]*)?\.$"),
            ("year", r"^En (?P<v>(?:19|20)\d\d), (?P<r>(?!les? \w+ suivant|cette|ce )[^;:]{10,90}?)(?:, [^;:]{5,120})?\.$"),
            ("consequence", r"^(?P<w>Si|Lorsque|Quand) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
            ("how_to", r"^(?:Pour|Afin de) (?P<x>[a-zéèê]+(?:er|ir|re) [^,;:]{8,70}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "es": (
            ("share", r"^(?:El |Un )(?P<v>\d[\d,]*\s?%) (?P<r>(?:de|del|de los|de las) [^,;:]{10,110})\.$"),
            ("year", r"^En (?P<v>(?:19|20)\d\d), (?P<r>[^,;:]{10,90})\.$"),
            ("consequence", r"^(?P<w>Si|Cuando) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
            ("how_to", r"^Para (?P<x>[a-zñ]+(?:ar|er|ir) [^,;:]{8,70}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "it": (
            ("share", r"^(?:Il |L['’])(?P<v>\d[\d,]*\s?%) (?P<r>(?:dei|delle|degli|della|del) [^,;:]{10,110})\.$"),
            ("year", r"^Nel (?P<v>(?:19|20)\d\d),? (?P<r>[^,;:]{10,90})\.$"),
            ("consequence", r"^(?P<w>Se|Quando) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
            ("how_to", r"^Per (?P<x>[a-z]+(?:are|ere|ire|rre) [^,;:]{8,70}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "pt": (
            ("share", r"^(?P<v>\d[\d,]*\s?%) (?P<r>(?:dos|das|da|do) [^,;:]{10,110})\.$"),
            ("year", r"^Em (?P<v>(?:19|20)\d\d), (?P<r>[^,;:]{10,90})\.$"),
            ("consequence", r"^(?P<w>Se|Quando) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
            ("how_to", r"^Para (?P<x>[a-zç]+(?:ar|er|ir) [^,;:]{8,70}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "nl": (
            ("share", r"^(?:Ongeveer )?(?P<v>\d[\d,]*\s?(?:%|procent)) (?P<r>van [^,;:]{10,110})\.$"),
            ("year", r"^In (?P<v>(?:19|20)\d\d) (?P<r>(?:werd|werden|begon|verscheen|ontstond)\b[^,;:]{10,90})\.$"),
            ("consequence", r"^(?P<w>Als|Wanneer) (?P<c>[^,;:]{12,80}), (?P<v>[^;:]{15,150})\.$"),
        ),
        "ru": (
            ("year", r"^В (?P<v>(?:19|20)\d\d) году (?P<r>[^,;:]{10,90})\.$"),
            ("how_to", r"^(?:Для того,? чтобы|Чтобы) (?P<x>[^,;:]{10,80}), (?P<v>[^;:]{15,150})\.$"),
            ("consequence", r"^(?P<w>Если|Когда) (?P<c>[^,;:]{12,80}), (?:то )?(?P<v>[^;:]{15,150})\.$"),
        ),
        "ja": (
            ("how_to", r"^(?P<x>[^、。：:]{4,28}[うくぐすつぬぶむる])(?:ためには|には)、(?P<v>[^：:]{8,90})。$"),
            ("consequence", r"^(?P<c>(?!この|その|これ|それ|として|[をがはにでとのも、])[^、。：:]{5,32})(?:場合は|場合には|場合|と)、(?P<v>[^：:]{8,90})。$"),
            ("topic", r"^(?P<S>(?!これ|それ|この|その|ここ|次|デフォルト|また|しかし|つまり|そして|どちら)[^、。はがを：:（）「」]{4,24}(?<![にてでもとやの合]))は、?(?P<v>[^：:。]{10,80}(?:されます|できます|なります|ません|されています|しています))。$"),
            ("definition", r"^(?P<S>(?!これ|それ|この|その|ここ|次)[^、。は：:]{2,20})(?:とは|は)、?(?P<v>[^：:]{10,80}(?:こと|もの|値|機能|ツール|形式|ファイル|オプション|コマンド|ソフトウェア|プログラム|言語)(?:です|である|だ))。$"),
        ),
        "zh": (
            ("consequence", r"^如果(?P<c>(?!它|这)[^，。：]{4,28})，(?P<v>[^：]{6,80})。$"),
            ("definition", r"^(?P<S>(?!这|那|它|此|其)[^，。是：]{2,14})是(?P<v>一[种个项类款][^：]{6,80})。$"),
        ),
        "ko": (
            ("definition", r"^(?P<S>(?!이는|그는|이것|그것|여기)[^,.]{2,20})(?:은|는) (?P<v>[^:]{10,80}(?:이다|입니다))\.$"),
        ),
    }.items()
}  # fmt: skip
ARTICLES = {
    "de": re.compile(r"^(?:der|die|das|ein|eine|jeder|jede|jedes|alle) ", re.I),
    "fr": re.compile(r"^(?:le |la |les |un |une |des |l['’]|chaque )", re.I),
    "es": re.compile(r"^(?:el|la|los|las|un|una|unos|unas|cada) ", re.I),
    "it": re.compile(r"^(?:il |lo |la |i |gli |le |un |uno |una |l['’]|un['’]|ogni )", re.I),
    "pt": re.compile(r"^(?:o|a|os|as|um|uma|cada) ", re.I),
    "nl": re.compile(r"^(?:de|het|een|elke|elk|alle) ", re.I),
    "ru": re.compile(r"^(?!)"),
}
PRONOUNS = {
    "de": _set("""sein seine seinen seinem seiner ihre ihren ihrem ihrer ihr maßgeblich dies diese dieser dieses diesem diesen es er sie wir ich du ihr man das dort hier dabei damit dazu dafür
        darin jene jener was wer wie wo wenn falls beim im in am auf mit von nach bei für zur zum um als dadurch hierzu
        abbildung tabelle kapitel abschnitt beispiel folgende folgender folgendes der die dessen deren sich nicht auch
        nur zwar denn und ziel problem grund heute dann per zuständig verantwortlich erlaubt verboten ganz anderes andere anderer""") - _set("der die das"),
    "fr": _set("""ce cet cette ces cela ceci il elle ils elles on nous vous je tu ça celui celle ceux celles dont qui que
        quoi où si quand lorsque comme pour par en dans avec sur son sa ses leur leurs mon ma mes notre nos votre vos
        tableau figure section chapitre exemple suivant suivante suivants suivantes dernier première premier y ne c’est
        c'est objectif question résultat synthèse document plan aussi ainsi donc cependant y lequel autre autres celle-ci
        celui-ci tous toutes tout toute plusieurs certains certaines chacune chacun""") - _set("plan"),
    "es": _set("""esto esta este estos estas eso esa ese ello él ella ellos ellas nosotros yo se lo que quien donde cuando
        si como para por en con sobre su sus nuestro nuestra tabla figura sección capítulo ejemplo siguiente siguientes
        anterior otro otra también no objetivo problema"""),
    "it": _set("""questo questa questi queste quello quella ciò esso essa essi lui lei noi io si che chi dove quando se
        come per in con su suo sua suoi loro nostro tabella figura sezione capitolo esempio seguente seguenti precedente
        altro altra anche non ci vi obiettivo problema"""),
    "pt": _set("""isto isso este esta estes estas esse essa ele ela eles elas nós eu se que quem onde quando como para por
        em com sobre seu sua seus suas nosso nossa tabela figura seção secção capítulo exemplo seguinte seguintes anterior
        outro outra também não objetivo problema"""),
    "nl": _set("""dit dat deze die het er hij zij ze we wij ik je u men wat wie waar wanneer als in op met van voor bij om
        zijn haar hun ons onze tabel figuur paragraaf hoofdstuk voorbeeld volgende vorige andere ook niet doel probleem
        hier daar""") - _set("het"),
    "ru": _set("""это этот эта эти этого этой он она оно они мы вы я ты его её их наш ваш который которая которые что кто
        где когда если как для при в на с по из у о к тот та те такой такие такая там здесь тут также и а но не один
        одна пример рисунок таблица раздел глава следующий следующая следующие данный данная данные первый первая первое вторая второй второе третий третья последний
        последняя большинство некоторые другой другие все проблема вам чтобы после перед хотя каждый цель"""),
}  # fmt: skip
# May stand inside a subject, but not open it.
PREPOSITIONS = {
    "de": _set("beim im in am auf mit von nach bei für zur zum um als durch ohne gegen unter über zu per aus vor"),
    "fr": _set("comme pour par en dans avec sur son sa ses leur leurs à"),
    "es": _set("como para por en con sobre su sus"),
    "it": _set("come per in con su suo sua suoi loro"),
    "pt": _set("como para por em com sobre seu sua seus suas"),
    "nl": _set("als in op met van voor bij om zijn haar hun"),
    "ru": _set("как для при в на с по из у о к и"),
}
# What a condition may not say, for it points at a sentence before it.
POINTERS = {
    "de": _set("es er sie dies das dieser diese dieses dabei so"),
    "fr": _set("il elle ils elles ce cela ceci lui leur possible nécessaire celui celle ceux"),
    "es": _set("él ella ellos ellas ello eso esto así lo"),
    "it": _set("esso essa essi esse lui lei ciò così lo possibile necessario"),
    "pt": _set("ele ela eles elas isso isto assim possível necessário"),
    "nl": _set("het hij zij ze dit dat die zo"),
    "ru": _set("это он она оно они его её их им ему ей так вдруг"),
}
BACKWARD = {
    "de": re.compile(r"\b(?:dies|diese[rmns]?|oben|unten|folgende[rmns]?|hier|dort|vorherige[rmns]?|wir|ich|unser\w*)\b", re.I),
    "fr": re.compile(r"\b(?:ceci|cela|ce|cet|cette|ces|ci-dessus|ci-dessous|suivante?s?|précédente?s?|nous|notre|nos|je|"
                     r"celui-ci|celle-ci|ceux-ci|ici)\b", re.I),
    "es": re.compile(r"\b(?:esto|estos|estas?|este|ese|esa|arriba|abajo|siguientes?|anterior(?:es)?|nosotros|aquí)\b", re.I),
    "it": re.compile(r"\b(?:questo|questa|questi|queste|ciò|seguenti?|precedenti?|noi|qui)\b", re.I),
    "pt": re.compile(r"\b(?:isto|isso|este|esta|estes|estas|esse|essa|acima|abaixo|seguintes?|anterior(?:es)?|nós|aqui)\b",
                     re.I),
    "nl": re.compile(r"\b(?:dit|deze|hierboven|hieronder|volgende|vorige|wij|we|hier)\b", re.I),
    "ru": re.compile(r"\b(?:это(?:т|й|го|му|м)|эта|эту|эти(?:х|м)?|следующ\w+|предыдущ\w+|данн(?:ый|ая|ое|ом|ого)"
                     r"|мы|нам|нас|наш\w*|здесь)\b", re.I),
    "ja": re.compile(r"この|その|これ|それ|上記|下記|以下|次の|前述|ここで|前の|図\d|表\d|項\d"),
    "zh": re.compile(r"这|那个|上述|以下|如下|下面|上面|该|图\d|表\d"),
    "ko": re.compile(r"(?:^|\s)(?:이|그|저|위|아래|다음)\s|이것|그것"),
}  # fmt: skip
OPENINGS = {
    "de": re.compile(r"^(?:Außerdem|Allerdings|Zudem|Dabei|Daher|Jedoch|Grundsätzlich|In der Regel|Insgesamt),? ", re.I),
    "fr": re.compile(r"^(?:En effet|Par ailleurs|De plus|Ainsi|Cependant|Toutefois|En général|En conséquence|Également"
                     r"|De toute évidence|Finalement|Enfin|Aussi|D['’]ailleurs), ", re.I),
    "es": re.compile(r"^(?:Además|Sin embargo|Por lo tanto|En general|Por ejemplo|Asimismo), ", re.I),
    "it": re.compile(r"^(?:Inoltre|Tuttavia|Pertanto|In generale|Per esempio|Infatti|Infine), ", re.I),
    "pt": re.compile(r"^(?:Além disso|No entanto|Portanto|Em geral|Por exemplo|Assim), ", re.I),
    "nl": re.compile(r"^(?:Daarnaast|Bovendien|Echter|Over het algemeen|Bijvoorbeeld),? ", re.I),
    "ru": re.compile(r"^(?:Однако|Кроме того|Также|Поэтому|Таким образом|Например|Обычно|Вообще|Следовательно),? ", re.I),
}  # fmt: skip
# How two questions become one, and frames for the pair.
JOINING: dict[str, tuple[str, tuple[str, ...]]] = {
    "en": ("and", ("A new colleague asks two things at once: {q}", "Two points are open in a review: {q}")),
    "de": ("und", ("Eine Kollegin fragt zweierlei: {q}",)),
    "fr": ("et", ("Une collègue pose deux questions : {q}",)),
    "es": ("y", ()),
    "it": ("e", ("Una collega chiede due cose: {q}",)),
    "pt": ("e", ("Uma colega pergunta duas coisas: {q}",)),
    "nl": ("en", ("Een collega vraagt twee dingen: {q}",)),
    "ru": ("и", ("Коллега спрашивает о двух вещах: {q}",)),
}
VALUE_LABELS = {
    "ja": "数値", "zh": "数值多少", "ko": "값", "pl": "jaka wartość", "sv": "vilket värde", "da": "hvilken værdi",
    "nb": "hvilken verdi", "no": "hvilken verdi", "cs": "jaká hodnota", "ro": "ce valoare", "tr": "hangi değer",
    "hu": "milyen érték", "fi": "mikä arvo", "uk": "яке значення", "el": "ποια τιμή", "ca": "quin valor",
    "ar": "القيمة",
}  # fmt: skip
