# ruff: noqa: E501, ISC004 - a table of patterns, a language a row
"""Patterns of abstention over folded text: what denies knowledge or information, in some thirty languages.

They look for a negation together with a verb of knowing or saying, or with a word for information. They are no list
of sentences, and none of them decides alone (see `refusal`).
"""

from __future__ import annotations

import re

_SOURCE_EN = (
    r"(?:document|manual|text|context|passage|section|excerpt|source|material|handbook|guide|page|report|evidence|"
    r"information|content|data|file|chapter|it|they|this|these|i)s?"
)
_INFO_EN = (
    r"(?:information|info|mention|details?|data|indication|references?|evidence|answer|statement|specification|"
    r"description|specifics|clue|record|context|content|basis|passages?|sections?)"
)
_SAID_EN = (
    r"(?:mention|specif|state|stating|indicat|disclos|describ|address|discuss|defin|reveal|elaborat|document|clarif|answer)"
    r"(?:y|ies|e|es|s|ed|d|ied|ing)?"
)
_PATTERNS = (
    # English
    r"\b(?:do not|don't|does not|doesn't|did not|cannot|can't|couldn't|could not) (?:\w+ )?(?:know|tell|say|answer|"
    r"determine|find|identify|provide|confirm|establish|locate)\b",
    r"\b(?:not able|unable|impossible|not possible) to (?:\w+ )?(?:answer|say|tell|determine|find|provide|confirm|know|"
    r"identify|locate|establish)\b",
    rf"\b(?:insufficient|inadequate|not enough|not sufficient|not any|no|lacks?|lacking|without|isn't any|isn't enough)"
    rf" (?:\w+ ){{0,3}}{_INFO_EN}\b",
    rf"\b(?:not|n't|never|nowhere|nor)\b (?:\w+ ){{0,2}}{_SAID_EN}\b",
    rf"\b(?:not|never|nowhere) (?:\w+ )?(?:{_SAID_EN}|given|provided|found|included|covered|known|available|listed|"
    rf"contained|stated|present|clear|answerable|part of) (?:\w+ )?(?:in|by|from|within|anywhere) "
    rf"(?:\w+ ){{0,3}}{_SOURCE_EN}\b",
    rf"\b{_SOURCE_EN} (?:\w+ ){{0,2}}(?:(?:do|does|did)(?: not|n't)|never) (?:\w+ )?(?:contain|provide|give|include|"
    rf"cover|offer|list|say|have|go into)\b",
    rf"\b(?:nothing|no mention|no word)\b.{{0,40}}\b(?:{_SOURCE_EN}|about|on)\b",
    rf"\b{_SOURCE_EN} (?:is|are) (?:silent|unclear|insufficient|not sufficient|not enough)\b",
    rf"\b{_SOURCE_EN} (?:says?|contains?|gives?|provides?|offers?) (?:nothing|no)\b",
    r"\b(?:not|isn't) (?:given|provided|covered|available|answered|known|specified|stated|mentioned)$",
    r"\b(?:no idea|not sure|not certain|not aware|no answer|beyond (?:the scope|my knowledge)|outside the scope)\b",
    r"^(?:it is |it's |that is )?(?:unknown|unclear|unanswerable|undetermined|n/a|not applicable|no information|unspecified)$",
    # German
    r"\b(?:weiss|weiß|wissen) (?:\w+ )?(?:das |es |leider )?nicht\b|\bnicht bekannt\b|\bkeine ahnung\b|^unbekannt$|\bk\. ?a\b",
    r"\b(?:keine?r?n?|nicht genug|nicht genügend|nicht ausreichend\w*|unzureichende?|zu wenig|ohne|fehlende) "
    r"(?:\w+ ){0,3}(?:information\w*|angabe\w*|hinweis\w*|daten|auskunft|aussage\w*|antwort|erwähnung|details?)\b",
    r"\b(?:dazu|darüber|hierzu|davon|hierüber)\b.{0,40}\b(?:nichts|nicht|keine?)\b",
    r"\b(?:steht|findet sich|finde ich|gibt|enthält|sagt|nennt|erwähnt)\b.{0,60}\b(?:nichts|keine (?:angaben?|information\w*))\b",
    r"\bnicht (?:\w+ )?(?:beantwort\w*|erwähn\w*|angegeben|genannt|beschrieb\w*|aufgeführt|hervor|ersichtlich|zu entnehmen|"
    r"spezifiziert|festgelegt|enthalten|sagen|feststellen|bestimmen)\b",
    r"\b(?:dokument|handbuch|text|abschnitt\w*|kontext|quelle\w*|unterlagen?)\b.{0,40}\b(?:nennt|erwähnt|enthält|sagt|gibt|"
    r"beschreibt)\b.{0,60}\bnicht\b",
    # French
    r"\b(?:ne|n) ?'?(?:le )?(?:sais|sait|savons|peux|peut|pouvons|dispose|disposons|trouve|connais)\b.{0,20}\bpas\b",
    r"\b(?:aucune?|pas (?:assez |suffisamment )?d[e'] ?|manque d[e'] ?|sans) ?(?:\w+ )?(?:information|informations|mention|"
    r"indication|renseignement\w*|donnée\w*|précision|réponse|détail\w*)\b|\binformations? insuffisantes?\b",
    r"\b(?:n'est|ne sont|n'a|n'ont|n'y|ne)\b.{0,20}\b(?:pas|jamais|nulle part|rien)\b.{0,30}(?:mentionn|précis|indiqu|spécifi|"
    r"fourni|dit|décri|donn|trouv|permet|contien|figur)\w*",
    r"\bne (?:mentionne|précise|indique|spécifie|fournit|dit|décrit|donne|contient|permet)\w* (?:pas|rien|aucun\w*)\b",
    # Spanish, Portuguese, Italian
    r"\bno (?:lo )?(?:sé|sabemos|puedo|se puede|es posible|dispongo|tengo|encuentro)\b",
    r"\b(?:no (?:hay|existe|contiene|tengo|se (?:menciona|especifica|indica|proporciona|encuentra|dice|describe|detalla)\w*|"
    r"menciona|especifica|indica|proporciona|dice|ofrece|aparece|figura|da información)|información insuficiente|"
    r"sin información|ninguna (?:información|mención))\b",
    r"\bnão (?:sei|sabemos|posso|é possível|há|existe|contém|consta|menciona|especifica|indica|diz|fornece|foi mencionad|"
    r"encontr|tenho|dispon|está (?:indicad|especificad|mencionad))\w*|\binformaç(?:ão|ões) (?:é |são )?insuficientes?\b|"
    r"\bnenhuma (?:informação|menção)\b",
    r"\bnon (?:lo )?(?:so|sappiamo|posso|è possibile|ci sono|c'è|contiene|menziona|specifica|indica|dice|fornisce|viene|"
    r"è (?:indicat|specificat|menzionat|riportat)|dispongo|ho|trovo|risulta)\w*|\binformazioni insufficienti\b|"
    r"\bnessuna (?:informazione|menzione|indicazione)\b",
    # Dutch, Swedish, Danish, Norwegian, Finnish
    r"\bweet (?:het |dat |ik )*niet\b|\b(?:geen|onvoldoende|te weinig|niet genoeg) (?:\w+ )?(?:informatie|gegevens|vermelding|"
    r"antwoord|details)\b|\bniet (?:\w+ )?(?:vermeld|genoemd|beschreven|beantwoord\w*|aangegeven|bepaald|gespecificeerd|bekend)\b|"
    r"\b(?:staat|vermeldt|zegt|bevat)\b.{0,40}\b(?:niets|niet|geen)\b",
    r"\bvet (?:det )?(?:jag )?(?:det )?inte\b|\bved (?:det |jeg )*ikke\b|\bvet (?:det |jeg )*ikke\b|\bveit ikkje\b",
    r"\b(?:ingen|inga|inget|otillräcklig\w*|utilstrækkelig\w*|utilstrekkelig\w*|ikke nok|inte tillräckligt med|tillräcklig) "
    r"(?:\w+ )?(?:information\w*|informasjon\w*|oplysning\w*|opplysning\w*|uppgift\w*|data|svar)\b",
    r"\b(?:nämns|anges|framgår|står|nævnes|fremgår|angives|nevnes|oppgis|beskrivs|beskrives)\b.{0,30}\b(?:inte|ikke|ikkje|inget|"
    r"intet|ingenting)\b|\b(?:inte|ikke) (?:\w+ )?(?:nämn\w*|angiv\w*|nævn\w*|nevn\w*|besvar\w*|svara\w*|oppgitt|beskrev\w*)\b",
    r"\ben (?:tiedä|osaa|voi|löydä)\b|\bei (?:\w+ )?(?:mainit\w*|kerro\w*|sisällä|löydy|ole (?:mainittu|kerrottu|tietoa|riittävästi)|"
    r"ilmene|tiedossa|tietoa)\b",
    # Slavic
    r"\bnie (?:wiem|wiadomo|mogę|można|ma (?:\w+ )?(?:informacji|danych|wzmianki)|zawiera|podan\w*|wspomin\w*|określ\w*|podaje|znam|"
    r"mam)\b|\b(?:brak|niewystarczając\w*|za mało) (?:\w+ )?(?:informacj\w*|danych|odpowiedzi)\b",
    r"\bne(?:vím|víme|mohu|lze|ní (?:\w+ )?(?:uveden\w*|zmíněn\w*|známo|popsán\w*|k dispozici)|obsahuje|uvádí|zmiňuje)\b|"
    r"\b(?:nedostatek|nedostatečné|žádné|chybí) (?:\w+ )?(?:informac\w*|údaj\w*)\b|\bneviem\b|\bnie je (?:uveden\w*|známe)\b",
    r"\bне (?:\w+ )?(?:знаю|знаем|известно|могу|указан\w*|упомина\w*|сказано|содерж\w*|говорит\w*|приведен\w*|привод\w*|описан\w*|"
    r"найден\w*|удалось|уточня\w*|хватает|представляется)|\b(?:нет|недостаточно|отсутств\w*|никак\w*) (?:\w+ ){0,2}"
    r"(?:информаци\w*|данных|сведени\w*|упоминани\w*|ответа)",
    r"\bне (?:\w+ )?(?:знаю|відомо|можу|вказан\w*|зазначен\w*|згаду\w*|містит\w*|сказано|описан\w*)|\b(?:немає|недостатньо|бракує|відсутн\w*)"
    r" (?:\w+ ){0,2}(?:інформаці\w*|даних|відомост\w*)",
    # Turkish, Hungarian, Romanian, Greek, Indonesian, Vietnamese
    r"\b(?:bilmiyorum|bilinmiyor|belirtilmemiş\w*|belirtilmiyor|bahsedilmi\w*|bulunmamakta\w*|bulunmuyor|yer almıyor|yer almamakta\w*|"
    r"cevaplanamaz|yanıtlayam\w*|cevaplayam\w*)\b|\b(?:yeterli )?bilgi (?:yok|bulunm\w*|verilm\w*|içermi\w*|yetersiz)",
    r"\bnem (?:\w+ )?(?:tudom|tudjuk|tudni|derül ki|szerepel|említ\w*|található|tartalmaz\w*|válaszolható|ismert)\b|\bnincs (?:\w+ ){0,3}"
    r"(?:információ\w*|adat\w*|szó)\b|\belégtelen információ",
    r"\bnu (?:știu|stiu|pot|se (?:menționează|precizează|specifică|poate)|este (?:menționat|specificat|precizat)\w*|există (?:\w+ )?"
    r"(?:informați\w*|date)|conține|menționează|precizează|specifică)|\binformații insuficiente\b",
    r"δεν (?:\w+ )?(?:γνωρίζω|ξέρω|αναφέρ\w*|υπάρχ\w*|περιέχ\w*|μπορώ|παρέχ\w*|διευκρινίζ\w*|προκύπτει)|(?:ανεπαρκείς|καμία) πληροφορ\w*",
    r"\b(?:tidak|tak|belum) (?:\w+ )?(?:tahu|diketahui|disebutkan|dijelaskan|dapat (?:menjawab|menemukan|dijawab)|ada (?:informasi|"
    r"keterangan)|menyebutkan|memuat|cukup informasi|tercantum)\b|\b(?:maklumat|informasi) (?:\w+ )?tidak (?:cukup|mencukupi|tersedia)\b",
    r"\bkhông (?:\w+ )?(?:biết|rõ|đề cập|nói|có (?:thông tin|đủ)|thể trả lời|tìm thấy|nêu|được nêu|được đề cập)|\bthiếu thông tin",
    # Chinese, Japanese, Korean
    r"(?:我|我们)?不(?:知道|清楚|确定|確定|明确|明確)|(?:没有|沒有|并未|並未|未|无法|無法|不能|没|缺乏|无|無)[^,。，]{0,12}(?:提及|提到|说明|說明|信息|资讯|資訊|"
    r"資料|资料|回答|找到|确定|確定|指出|记载|記載|描述|规定|规范|相关内容|答案|给出|提供)|(?:信息|资料|資訊|資料)(?:不足|不够|不夠)|未知",
    r"(?:わかりません|分かりません|わからない|分からない|知りません|不明(?:です)?$|答えられません|回答できません|判断できません)|(?:記載|情報|記述|言及|説明|回答|データ|"
    r"規定|明記)[^。、]{0,12}(?:ありません|ない|なく|されていません|されていない|見つかりません|不足|不十分|できません|存在しません|含まれていません)",
    r"(?:모르겠|모릅니다|모른다|알 수 없|답할 수 없|확인할 수 없|대답할 수 없)|(?:정보|언급|내용|설명|기재|명시)[^.,]{0,12}(?:없|부족|않|못)|불충분",
    # Arabic, Hebrew, Persian, Hindi, Urdu, Bengali, Thai
    r"لا (?:أعرف|اعرف|أعلم|اعلم|يذكر|تذكر|يحدد|يوجد|توجد|يمكن|تتوفر|تتوافر|يحتوي|تحتوي|يتضمن|أستطيع|نعرف)|لم (?:يذكر|يُذكر|يتم ذكر|يرد|يحدد)|"
    r"(?:معلومات غير كافية|غير (?:مذكور|معروف|محدد|متوفر|كاف)\w*)|ليس(?:ت)? (?:هناك|لدي|لدينا)",
    r"(?:לא|אינני|איני) (?:\w+ )?(?:יודע\w*|ידוע|מוזכר\w*|מצוין|צוין|נאמר|כתוב|ניתן|נמצא\w*|מופיע\w*)|אין (?:\w+ ){0,2}(?:מידע|אזכור|תשובה|פרטים)|"
    r"(?:המסמך|המדריך|הטקסט) (?:אינו|לא)|מידע לא מספיק",
    r"(?:نمی ?دانم|نمیدانم|مشخص نیست|ذکر نشده|اطلاعات(?:ی)? (?:کافی )?(?:نیست|وجود ندارد|ندارم)|نیامده|گفته نشده|معلوم نیست)",
    r"(?:नहीं|नही) (?:\S+ )?(?:पता|जानत\S*|मालूम|दिया|दी|बताया|बताई|मिल\S*|है|उल्लेख|किया|सकत\S*)|(?:पता|मालूम|जानकारी|उल्लेख) (?:\S+ ){0,3}(?:नहीं|अपर्याप्त)",
    r"(?:معلوم نہیں|نہیں جانت|ذکر نہیں|معلومات (?:ناکافی|نہیں|موجود نہیں))|(?:জানি না|জানা নেই|উল্লেখ (?:নেই|করা হয়নি)|তথ্য (?:নেই|অপর্যাপ্ত))",
    r"ไม่(?:ทราบ|รู้|มีข้อมูล|ได้ระบุ|ระบุ|ได้กล่าว|พบข้อมูล|เพียงพอ|สามารถตอบ|สามารถระบุ|ปรากฏ)|ข้อมูลไม่เพียงพอ",
)
ABSTAINING = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))

# "Does not contain" denies knowledge only of a source or of information: "the tank does not contain water" asserts.
CONTAINING = re.compile(
    r"contien|contén|contém|contiene|conține|bevat|zawiera|obsahuje|содерж|містит|tartalmaz|περιέχ|يحتوي|تحتوي|يتضمن"
)
SOURCE_OR_INFORMATION = re.compile(
    r"document|dokument|документ|έγγραφ|مستند|وثيقة|texte?\b|texto|testo|tekst|textul|szöveg|текст|κείμεν|نص|"
    r"context|kontext|kontekst|контекст|سياق|secci|secç|sezion|section|secțiun|раздел|розділ|passage|extrait|fragment|отрыв|фрагмент|"
    r"brano|trecho|fuente|fonte|bron\b|sursa|źródł|zdroj|forrás|источник|джерел|πηγή|مصدر|manual|manuel|manuale|handleiding|podręcznik|"
    r"příručk|kézikönyv|руководств|посібник|инструкци|εγχειρίδι|دليل|material|материал|informa|информаци|інформаці|információ|"
    r"πληροφορί|معلومات|сведени|відомост|данны|даних|gegevens|danych|údaj|adat|donnée|datos|dados|renseignement|respuesta|resposta|"
    r"risposta|réponse|antwoord|odpowied|odpověď|válasz|răspuns|ответ|відповід|απάντησ|إجابة|menci|menz|menção|mention|vermelding|"
    r"wzmiank|zmínk|упоминан|згадк|indica|указани"
)

CONTRAST = re.compile(
    r";|,? \b(?:but|however|nevertheless|nonetheless|although|though|still|yet|aber|jedoch|allerdings|dennoch|mais|cependant|"
    r"toutefois|pero|sin embargo|aunque|ma|però|tuttavia|mas|porém|contudo|maar|echter|men|mutta|ale|jednak|avšak|но|однако|але|"
    r"ancak|ama|fakat|de viszont|dar|însă|αλλά|όμως|tetapi|namun|tapi|nhưng|tuy nhiên|لكن|ولكن|אבל|אך|اما|ولی|लेकिन|परन्तु|لیکن|কিন্তু)\b|"
    r"[,，、]?(?:但是|但|然而|不过|不過)|(?:しかし|けれども|ですが、|ますが、|んが、)|(?:하지만|그러나|지만 )|แต่"
)

HEDGE = re.compile(
    r"\b(?:probably|most likely|likely|perhaps|maybe|presumably|i (?:would )?(?:guess|assume|think|believe|suppose)|my (?:best )?guess|"
    r"typically|usually|generally speaking|it (?:may|might|could) be|wahrscheinlich|vermutlich|vielleicht|wohl|üblicherweise|ich (?:denke|"
    r"glaube|nehme an)|probablement|peut-être|sans doute|je (?:pense|crois)|généralement|probablemente|quizás?|tal vez|creo que|"
    r"supongo|seguramente|provavelmente|talvez|acho que|probabilmente|forse|penso che|credo che|waarschijnlijk|misschien|vermoedelijk|"
    r"antagligen|kanske|formentlig|måske|sannsynligvis|kanskje|luultavasti|ehkä|prawdopodobnie|chyba|pravděpodobně|asi|вероятно|возможно|"
    r"наверное|скорее всего|ймовірно|можливо|muhtemelen|belki|valószínűleg|talán|probabil|poate că|πιθανώς|ίσως|mungkin|có lẽ|có thể là|"
    r"ربما|على الأرجح|כנראה|אולי|احتمالا|شاید|शायद|संभवतः)\b|可能是|也许|也許|大概|或许|或許|应该是|應該是|おそらく|たぶん|多分|でしょう|아마|อาจจะ|น่าจะ"
)

COURTESY = re.compile(
    r"^(?:(?:i'm|i am|we are|we're) (?:very |so )?sorry.{0,20}|sorry|apologies|my apologies|unfortunately|thank(?:s| you).*|please (?:\w+ ){0,2}"
    r"(?:consult|refer|contact|check|see|provide|ask|let|rephrase|supply|share|give|specify|feel)\b.*|(?:you|one) (?:may|might|could|should|can) "
    r"(?:\w+ )?(?:consult|refer|contact|check|ask|provide|want|need|wish)\b.*|(?:let me know|feel free|if you (?:have|can|need|provide)|i recommend "
    r"(?:consulting|contacting|checking)|for (?:more|further) (?:information|details)|i would need|more (?:information|context) (?:is|would be))\b.*|"
    r"(?:es )?tut mir leid|leider|entschuldigung|bitte (?:\w+ )*(?:wenden|fragen|prüfen|konsultieren)\b.*|désolée?|je suis désolée?|malheureusement|"
    r"veuillez\b.*|lo siento|lo lamento|lamentablemente|por favor\b.*|desculpe|lamento|infelizmente|mi dispiace|purtroppo|sorry|helaas|tyvärr|"
    r"desværre|dessverre|beklager|valitettavasti|przykro mi|niestety|przepraszam|omlouvám se|bohužel|извините|к сожалению|на жаль|вибачте|üzgünüm|"
    r"maalesef|sajnálom|sajnos|îmi pare rău|din păcate|λυπάμαι|δυστυχώς|maaf\b.*|xin lỗi|抱歉|很抱歉|对不起|對不起|申し訳ありません|すみません|죄송합니다|آسف|عذرا|"
    r"מצטער|متاسفم|खेद है|ขออภัย|(?:the |this |these |that )?(?:provided |given |retrieved )?(?:document|manual|text|context|passages?|sections?|"
    r"excerpts?|sources?|material|it) (?:only |mainly |just )?(?:covers?|describes?|discuss(?:es)?|focus(?:es)?|deals?|addresses|concerns?|talks?)\b.*|"
    r"(?:das |dieses |der )?(?:dokument|handbuch|text|kontext) (?:behandelt|beschreibt)\b.*|(?:answer|antwort|réponse|respuesta|based on (?:the )?"
    r"[\w ]{0,40}))$"
)
# A remark after a comma that reads as a claim of its own: it holds a finite verb.
CLAIM = re.compile(
    r"\b(?:is|are|was|were|has|have|will|must|should|equals|means|ist|sind|war|waren|hat|haben|beträgt|wird|est|sont|était|a été|es|son|"
    r"era|está|è|sono|é|são|está|wordt|zijn|är|er|on|jest|są|je|jsou|является|составляет)\b|是|为|です|である|입니다"
)
EXPLAINS = re.compile(
    r"^(?:about|on|regarding|concerning|what|how|who|when|where|why|which|whether|if|as|since|because|so|for|given|that|nor|and|or|"
    r"based|according|due|including|weil|da|denn|ob|wie|was|welche\w*|car|parce|puisque|porque|ya que|pois|perché|poiché|omdat|want|"
    r"потому|так как)\b"
)
