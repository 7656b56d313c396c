# ruff: noqa: E501 - one row a line

"""Question templates of the languages other than English. `{S}` stands in the nominative; `{Q}` is the subject in
quotation marks, where the language would inflect it. `one|many` picks by the verb's number."""

from __future__ import annotations

Table = dict[str, dict[str, tuple[str, ...]]]


def _rows(text: str) -> Table:
    """Lines `kind ; wh / wh ; keyword ; scenario`."""
    table: Table = {}
    for line in text.strip().splitlines():
        kind, *parts = (part.strip() for part in line.split(";"))
        styles = [tuple(option.strip() for option in part.split(" // ") if option.strip()) for part in parts]
        table[kind] = dict(zip(("wh", "keyword", "scenario"), styles, strict=False))
    return table


OTHERS: dict[str, Table] = {
    "de": _rows("""
cell ; Was ist bei „{S}“ unter „{A}“ angegeben? // Welche Angabe steht bei „{S}“ unter „{A}“? ; {S} {A} Angabe // Angabe {A} bei {S} ; In einem Formular fehlt bei „{S}“ das Feld „{A}“. Was trägst du ein?
entry ; Was sollte man über „{S}“ wissen? ; {S} kurze Beschreibung ; Eine neue Kollegin fragt nach „{S}“. Was antwortest du?
definition ; Was versteht man unter {Q}? // Wie lässt sich {Q} erklären? ; {N} Bedeutung // {N} Erklärung ; Jemand im Team hat noch nie von {Q} gehört. Wie erklärst du den Begriff?
purpose ; Welchen Zweck [erfüllt|erfüllen] {S}? // Wozu [ist|sind] {S} gut? ; {N} Zweck // {N} Einsatzgebiet ; Eine Kollegin stößt auf {Q} und fragt nach dem Zweck. Was antwortest du?
composed ; Was gehört alles zu {Q}? // Was findet man in {Q}? ; {N} Bestandteile // {N} Inhalt ; Ein neuer Kollege fragt, was alles zu {Q} gehört. Was sagst du ihm?
allows ; Was wird durch {Q} möglich? ; {N} Möglichkeiten ; Eine Kollegin fragt, was {Q} ihr bringt. Was antwortest du?
requires ; Was ist für {Q} nötig? // Was braucht man für {Q}? ; {N} Voraussetzungen ; Du bereitest {Q} vor. Woran musst du denken?
amount ; Wie hoch ist {S}? // Welchen Wert hat {S}? ; {N} Höhe // {N} Wert ; Für eine Übersicht fehlt noch ein Wert: Wie hoch ist {S}?
named ; Unter welchem anderen Namen kennt man {Q}? // Wie heißt der Fachbegriff für {Q}? ; {N} anderer Name ; Du suchst etwas über {Q} und findest nichts. Unter welchem anderen Namen suchst du?
treated ; Was geschieht mit {Q}? // Was wird mit {Q} gemacht? ; {N} Behandlung ; Eine neue Kollegin fragt, was mit {Q} geschieht. Was antwortest du?
happened ; Was ist mit {Q} geschehen? ; {N} Geschichte ; Eine neue Kollegin fragt, was einst mit {Q} geschah. Was antwortest du?
rule ; Welche Vorschrift gilt für {Q}? // Was ist bei {Q} zu beachten? ; {N} Vorschrift // {N} Regel ; Bei einer Prüfung geht es um {Q}. Welche Vorschrift gilt?
interval ; In welchen Abständen {is} {S} {P}? // Wie oft {is} {S} {P}? ; {N} Intervall ; In einem Kalender fehlt ein Eintrag: Wie oft {is} {S} {P}?
within ; In welcher Frist {is} {S} {b} {P}? ; {N} Frist ; Für einen Ablaufplan fehlt die Frist: In welcher Zeit {is} {S} {b} {P}?
price ; Wie hoch ist der Preis für {Q} {b}? // Was ist für {Q} {b} zu bezahlen? ; {N} Preis ; Für eine Abrechnung fehlt ein Betrag: Was {is} {S} {b}?
lasting ; Wie lange {is} {S}? // Von wann bis wann {is} {S}? ; {N} Dauer ; Für einen Kalender fehlt eine Angabe: Wie lange {is} {S}?
at_time ; Zu welcher Stunde {is} {S} {b} {P}? ; {N} Uhrzeit ; Für einen Aushang fehlt die Uhrzeit: Wann {is} {S} {b} {P}?
until ; Bis wann {is} {S} {b} {P}? ; {N} {P} bis wann ; Für einen Aushang fehlt eine Angabe: Bis wann {is} {S} {b} {P}?
after_time ; Nach welcher Zeit {is} {S} {b} {P}? ; {N} nach welcher Zeit ; Eine Nachbarin möchte wissen: Nach welcher Zeit {is} {S} {b} {P}?
members ; Wie viele {P} {is} {S}? ; {N} Anzahl {P} ; Für ein Formular fehlt eine Zahl: Wie viele {P} {is} {S}?
share ; Wie viel Prozent {R}? ; ; Für einen Bericht wird eine Zahl gesucht: Wie viel Prozent {R}?
year ; ; ; Für eine Zeittafel fehlt noch eine Jahreszahl: Wann {R}?
consequence ; Was geschieht, {w} {C}? // Welche Folge hat es, {w} {C}? ; ; Angenommen, man stellt fest, dass {C}. Was geschieht dann?
how_to ; Was ist zu tun, um {X}? // Wie geht man vor, um {X}? ; ; Eine Kollegin fragt, wie sie vorgehen soll, um {X}. Was rätst du?
inv_price ; Wie viel ist für {Q} zu bezahlen? ; {N} Preis ; Für ein Angebot fehlt noch etwas: Welcher Preis gilt für {Q}?
inv_phone ; Unter welcher Telefonnummer bekommt man Auskunft über {Q}? ; {N} Telefonnummer ; Am Wochenende gibt es Ärger mit {Q}. Welche Telefonnummer wählst du?
inv_audit ; In welchen Abständen wird {Q} von außen geprüft? ; {N} Prüfintervall ; Gerade ist die Prüfung von {Q} abgeschlossen. Wann steht die nächste an?
inv_staff ; Wie viele Beschäftigte kümmern sich um {Q}? ; {N} Zahl der Beschäftigten ; Du planst den Dienst für {Q}. Wie viele Beschäftigte braucht es?
inv_users ; Wie viele Menschen nutzen {Q} weltweit? ; {N} Zahl der Nutzer weltweit ; Für einen Vortrag fehlt eine Zahl: Wie viele Menschen nutzen {Q} weltweit?
inv_patent ; Wer hält das Patent auf {Q}? ; {N} Patentinhaber ; Eine Anwältin fragt nach {Q}. Unter welcher Patentnummer ist es eingetragen?
inv_insurer ; Bei welcher Gesellschaft ist {Q} versichert? ; {N} Versicherungsgesellschaft ; An {Q} ist ein Schaden entstanden. Welcher Versicherung meldest du ihn?
inv_award ; Welche Auszeichnung gab es für {Q}? ; {N} Auszeichnung ; Eine Rede soll {Q} loben. Welche Auszeichnung erwähnst du?
inv_sponsor ; Welche Firma tritt als Sponsor von {Q} auf? ; {N} Sponsor ; Ein Plakat soll dem Sponsor von {Q} danken. Welcher Name steht darauf?
"""),
    "fr": _rows("""
cell ; Qu'indique-t-on pour « {S} » à la rubrique « {A} » ? ; {S} {A} valeur indiquée ; Un formulaire comporte un champ « {A} » pour « {S} ». Que faut-il y inscrire ?
entry ; Que faut-il savoir au sujet de « {S} » ? ; {S} brève description ; Une nouvelle collègue s'interroge sur « {S} ». Que lui répondre ?
definition ; Que faut-il entendre par {Q} ? // Comment expliquer ce que signifie {Q} ? ; {N} signification // {N} explication ; Une nouvelle collègue n'a jamais entendu parler de {Q}. Comment lui expliquer ce terme ?
purpose ; À quoi [sert|servent] {S} ? // Quelle est l'utilité de {Q} ? ; {N} utilité // {N} finalité ; Un collègue se demande quelle est l'utilité de {Q}. Que lui répondre ?
composed ; Que trouve-t-on dans {S} ? // Quels éléments trouve-t-on dans {S} ? ; {N} contenu // {N} éléments ; Un nouveau collègue demande ce que l'on trouve dans {S}. Que lui répondre ?
allows ; Que [rend|rendent] possible {S} ? // Quel avantage apporte {Q} ? ; {N} avantage // {N} possibilités offertes ; Un collègue se demande ce qu'apporte {Q}. Que lui répondre ?
requires ; De quoi a-t-on besoin pour {S} ? ; {N} conditions préalables // {N} besoins ; Vous préparez {S}. De quoi avez-vous besoin ?
advice ; Quelle recommandation concerne {Q} ? // Que conseille-t-on à propos de {Q} ? ; {N} recommandation // {N} conseil ; Une équipe cherche des pistes d'amélioration au sujet de {Q}. Que lui recommande-t-on ?
treated ; Qu'advient-il de {Q} ? ; {N} traitement réservé ; Une nouvelle collègue demande ce qu'il advient de {Q}. Que lui répondre ?
happened ; Qu'est-il advenu de {Q} ? ; {N} historique ; Une nouvelle collègue demande ce qu'il est advenu de {Q}. Que lui répondre ?
rule ; Quelle obligation s'applique à {Q} ? // Quelle exigence concerne {Q} ? ; {N} obligation // {N} exigence ; Lors d'un contrôle, on examine {Q}. Quelle exigence faut-il vérifier ?
interval ; Quelle fréquence faut-il prévoir pour {Q} ? ; {N} fréquence ; Une échéance manque dans un calendrier. À quel rythme revient-elle pour {Q} ?
share ; Quel pourcentage {R} ? // Quelle proportion {R} ? ; ; Un chiffre manque dans un rapport : quel pourcentage {R} ?
count ; Combien de {R} ? ; ; Un chiffre manque dans un rapport : combien de {R} ?
year ; En quelle année est-ce que {R} ? ; ; Il manque une date dans une chronologie : en quelle année est-ce que {R} ?
consequence ; Que se passe-t-il {w} {C} ? // Quelle est la conséquence {w} {C} ? ; ; Imaginons que la question se pose : que faire ou attendre {w} {C} ?
how_to ; Que faut-il faire pour {X} ? // Par quel moyen peut-on {X} ? ; ; Un collègue souhaite {X}. Que lui conseiller ?
inv_price ; Combien faut-il payer pour {Q} ? ; {N} prix ; Un devis est en préparation. Quel prix faut-il inscrire pour {Q} ?
inv_phone ; À quel numéro de téléphone se renseigner sur {Q} ? ; {N} numéro de téléphone ; Un problème survient un dimanche avec {Q}. Quel numéro de téléphone composer ?
inv_audit ; À quelle fréquence un organisme externe contrôle-t-il {Q} ? ; {N} fréquence des audits ; Un audit externe de {Q} vient de se terminer. Quand aura lieu le prochain ?
inv_staff ; Combien de salariés s'occupent de {Q} ? ; {N} nombre de salariés ; Le planning de {Q} est à faire. Combien de salariés faut-il prévoir ?
inv_users ; Combien de personnes dans le monde ont recours à {Q} ? ; {N} nombre d'utilisateurs dans le monde ; Il manque un chiffre dans un exposé : combien de personnes dans le monde ont recours à {Q} ?
inv_patent ; Qui détient le brevet sur {Q} ? ; {N} titulaire du brevet ; Une avocate s'intéresse à {Q}. Sous quel numéro le brevet est-il enregistré ?
"""),
    "es": _rows("""
cell ; ¿Qué se indica para «{S}» en el apartado «{A}»? ; {S} {A} valor indicado ; Un formulario tiene un campo «{A}» para «{S}». ¿Qué se escribe?
entry ; ¿Qué conviene saber sobre «{S}»? ; {S} breve descripción ; Una compañera nueva pregunta por «{S}». ¿Qué le respondes?
definition ; ¿Qué se entiende por {Q}? // ¿Cómo se explica el término {Q}? ; {N} significado // {N} explicación ; Una compañera nueva no conoce {Q}. ¿Cómo se lo explicas?
purpose ; ¿Con qué fin se [emplea|emplean] {S}? // ¿Qué utilidad [tiene|tienen] {S}? ; {N} finalidad // {N} utilidad ; Un compañero pregunta por la utilidad de {Q}. ¿Qué le respondes?
composed ; ¿Qué elementos forman parte de {Q}? // ¿Qué se encuentra en {Q}? ; {N} elementos // {N} contenido ; Un compañero nuevo pregunta por el contenido de {Q}. ¿Qué le respondes?
allows ; ¿Qué [hace|hacen] posible {S}? // ¿Qué ventaja [ofrece|ofrecen] {S}? ; {N} ventaja ; Un compañero duda de la ventaja de {Q}. ¿Qué le respondes?
requires ; ¿Qué hace falta para {Q}? ; {N} condiciones previas ; Estás preparando {Q}. ¿Qué te hace falta?
treated ; ¿Qué ocurre con {Q}? // ¿Qué se hace con {Q}? ; {N} tratamiento ; Una compañera nueva pregunta qué ocurre con {Q}. ¿Qué le respondes?
happened ; ¿Qué ocurrió con {Q}? ; {N} historia ; Una compañera nueva pregunta qué ocurrió con {Q}. ¿Qué le respondes?
rule ; ¿Qué norma se aplica a {Q}? // ¿Qué exigencia recae sobre {Q}? ; {N} norma // {N} exigencia ; En una auditoría se examina {Q}. ¿Qué norma se comprueba?
share ; ¿Qué porcentaje {R}? // ¿Qué proporción {R}? ; ; Falta una cifra en un informe: ¿qué porcentaje {R}?
year ; ¿En qué año {R}? ; ; Falta una fecha en una cronología: ¿en qué año {R}?
consequence ; ¿Qué sucede {w} {C}? // ¿Qué consecuencia hay {w} {C}? ; ; Se plantea una duda: ¿qué sucede {w} {C}?
how_to ; ¿Qué hay que hacer para {X}? // ¿De qué manera se puede {X}? ; ; Una compañera quiere {X}. ¿Qué le aconsejas?
inv_price ; ¿Cuánto hay que pagar por {Q}? ; {N} precio ; Se prepara un presupuesto. ¿Qué precio se anota para {Q}?
inv_phone ; ¿A qué teléfono se llama para preguntar por {Q}? ; {N} número de teléfono ; Un domingo falla algo en {Q}. ¿A qué teléfono se llama?
inv_audit ; ¿Cada cuánto tiempo audita una entidad externa {Q}? ; {N} frecuencia de auditoría ; Acaba de terminar una auditoría de {Q}. ¿Cuándo toca la siguiente?
inv_staff ; ¿Cuántos empleados se ocupan de {Q}? ; {N} número de empleados ; Se planifican los turnos para {Q}. ¿Cuántos empleados hacen falta?
inv_users ; ¿Cuántas personas en el mundo usan {Q}? ; {N} número de usuarios en el mundo ; Falta una cifra en una charla: ¿cuántas personas en el mundo usan {Q}?
inv_patent ; ¿Quién tiene la patente de {Q}? ; {N} titular de la patente ; Una abogada pregunta por {Q}. ¿Con qué número está registrada la patente?
"""),
    "it": _rows("""
cell ; Che cosa è indicato per «{S}» alla voce «{A}»? ; {S} {A} valore indicato ; Un modulo ha un campo «{A}» per «{S}». Che cosa si scrive?
entry ; Che cosa bisogna sapere di «{S}»? ; {S} breve descrizione ; Una nuova collega chiede di «{S}». Che cosa rispondi?
definition ; Che cosa si intende per {Q}? // Come si spiega il termine {Q}? ; {N} significato // {N} spiegazione ; Una nuova collega non conosce {Q}. Come glielo spieghi?
purpose ; A quale scopo si [impiega|impiegano] {S}? // Che utilità [ha|hanno] {S}? ; {N} scopo // {N} utilità ; Un collega chiede a che scopo si usi {Q}. Che cosa rispondi?
composed ; Quali elementi fanno parte di {Q}? // Che cosa si trova in {Q}? ; {N} elementi // {N} contenuto ; Un nuovo collega chiede che cosa si trovi in {Q}. Che cosa rispondi?
allows ; Quale possibilità [offre|offrono] {S}? ; {N} possibilità offerte ; Un collega dubita dell'utilità di {Q}. Che cosa rispondi?
requires ; Di che cosa c'è bisogno per {Q}? ; {N} presupposti ; Stai preparando {Q}. Di che cosa hai bisogno?
treated ; Che cosa succede con {Q}? // Che cosa si fa con {Q}? ; {N} trattamento ; Una nuova collega chiede che cosa succeda con {Q}. Che cosa rispondi?
happened ; Che cosa è successo con {Q}? ; {N} storia ; Una nuova collega chiede che cosa sia successo con {Q}. Che cosa rispondi?
rule ; Quale regola vale per {Q}? // Quale obbligo riguarda {Q}? ; {N} regola // {N} obbligo ; Durante una verifica si esamina {Q}. Quale regola va controllata?
share ; Quale percentuale {R}? // Che quota {R}? ; ; In una relazione manca una cifra: quale percentuale {R}?
year ; In quale anno {R}? ; ; In una cronologia manca una data: in quale anno {R}?
consequence ; Che cosa succede {w} {C}? // Quale conseguenza si ha {w} {C}? ; ; Sorge un dubbio: che cosa succede {w} {C}?
how_to ; Che cosa bisogna fare per {X}? // In che modo si può {X}? ; ; Una collega vuole {X}. Che cosa le consigli?
inv_price ; Quanto bisogna pagare per {Q}? ; {N} prezzo ; Si prepara un preventivo. Quale prezzo va indicato per {Q}?
inv_phone ; A quale numero di telefono si chiedono informazioni su {Q}? ; {N} numero di telefono ; Di domenica c'è un problema con {Q}. Quale numero di telefono si chiama?
inv_audit ; Ogni quanto tempo un ente esterno controlla {Q}? ; {N} frequenza degli audit ; Un audit su {Q} è appena finito. Quando si terrà il prossimo?
inv_staff ; Quanti dipendenti si occupano di {Q}? ; {N} numero di dipendenti ; Si pianificano i turni per {Q}. Quanti dipendenti servono?
inv_users ; Quante persone nel mondo usano {Q}? ; {N} numero di utenti nel mondo ; In una presentazione manca una cifra: quante persone nel mondo usano {Q}?
inv_patent ; Chi detiene il brevetto su {Q}? ; {N} titolare del brevetto ; Un'avvocata chiede di {Q}. Con quale numero è registrato il brevetto?
"""),
    "pt": _rows("""
cell ; O que se indica para «{S}» na rubrica «{A}»? ; {S} {A} valor indicado ; Um formulário tem um campo «{A}» para «{S}». O que se escreve?
entry ; O que convém saber sobre «{S}»? ; {S} breve descrição ; Uma colega nova pergunta por «{S}». O que lhe responde?
definition ; O que se entende por {Q}? // Como se explica o termo {Q}? ; {N} significado // {N} explicação ; Uma colega nova não conhece {Q}. Como se explica o termo?
purpose ; Com que finalidade se [emprega|empregam] {S}? // Que utilidade [tem|têm] {S}? ; {N} finalidade // {N} utilidade ; Um colega pergunta pela utilidade de {Q}. O que responder?
composed ; Que elementos fazem parte de {Q}? // O que se encontra em {Q}? ; {N} elementos // {N} conteúdo ; Um colega novo pergunta pelo conteúdo de {Q}. O que responder?
allows ; O que [torna|tornam] possível {S}? // Que vantagem [oferece|oferecem] {S}? ; {N} vantagem ; Um colega duvida da vantagem de {Q}. O que responder?
requires ; O que é preciso para {Q}? ; {N} condições prévias ; Alguém está a preparar {Q}. O que é preciso?
treated ; O que acontece com {Q}? // O que se faz com {Q}? ; {N} tratamento ; Uma colega nova pergunta o que acontece com {Q}. O que responder?
happened ; O que aconteceu com {Q}? ; {N} história ; Uma colega nova pergunta o que aconteceu com {Q}. O que responder?
rule ; Que regra se aplica a {Q}? // Que exigência recai sobre {Q}? ; {N} regra // {N} exigência ; Numa auditoria examina-se {Q}. Que regra se verifica?
share ; Que percentagem {R}? // Que proporção {R}? ; ; Falta um número num relatório: que percentagem {R}?
year ; Em que ano {R}? ; ; Falta uma data numa cronologia: em que ano {R}?
consequence ; O que acontece {w} {C}? // Que consequência há {w} {C}? ; ; Surge uma dúvida: o que acontece {w} {C}?
how_to ; O que é preciso fazer para {X}? // De que maneira se pode {X}? ; ; Uma colega quer {X}. O que aconselhar?
inv_price ; Quanto é preciso pagar por {Q}? ; {N} preço ; Prepara-se um orçamento. Que preço se anota para {Q}?
inv_phone ; Para que telefone se liga para perguntar por {Q}? ; {N} número de telefone ; Num domingo surge um problema com {Q}. Para que telefone se liga?
inv_audit ; Com que frequência uma entidade externa audita {Q}? ; {N} frequência de auditoria ; Uma auditoria de {Q} acaba de terminar. Quando será a próxima?
inv_staff ; Quantos funcionários cuidam de {Q}? ; {N} número de funcionários ; Planeiam-se os turnos para {Q}. Quantos funcionários são precisos?
inv_users ; Quantas pessoas no mundo usam {Q}? ; {N} número de utilizadores no mundo ; Falta um número numa palestra: quantas pessoas no mundo usam {Q}?
inv_patent ; Quem detém a patente de {Q}? ; {N} titular da patente ; Uma advogada pergunta por {Q}. Com que número está registada a patente?
"""),
    "nl": _rows("""
cell ; Wat staat er bij ‘{S}’ onder ‘{A}’? ; {S} {A} vermelde waarde ; Een formulier heeft een veld ‘{A}’ voor ‘{S}’. Wat vul je in?
entry ; Wat moet je weten over ‘{S}’? ; {S} korte beschrijving ; Een nieuwe collega vraagt naar ‘{S}’. Wat antwoord je?
definition ; Wat wordt verstaan onder {Q}? // Hoe leg je {Q} uit? ; {N} betekenis // {N} uitleg ; Een nieuwe collega kent {Q} niet. Hoe leg je het begrip uit?
purpose ; Welk nut [heeft|hebben] {S}? // Waar [is|zijn] {S} goed voor? ; {N} nut ; Een collega vraagt naar het nut van {Q}. Wat antwoord je?
composed ; Wat hoort er allemaal bij {Q}? // Wat vind je in {Q}? ; {N} inhoud // {N} onderdelen ; Een nieuwe collega vraagt wat er bij {Q} hoort. Wat antwoord je?
allows ; Wat wordt door {Q} haalbaar? ; {N} voordelen ; Een collega twijfelt aan het nut van {Q}. Wat antwoord je?
requires ; Wat is er nodig voor {Q}? ; {N} voorwaarden ; Je bereidt {Q} voor. Wat heb je nodig?
treated ; Wat gebeurt er met {Q}? // Wat doet men met {Q}? ; {N} behandeling ; Een nieuwe collega vraagt wat er met {Q} gebeurt. Wat antwoord je?
happened ; Wat is er met {Q} gebeurd? ; {N} geschiedenis ; Een nieuwe collega vraagt wat er met {Q} is gebeurd. Wat antwoord je?
rule ; Welke regel geldt voor {Q}? // Waar moet je bij {Q} op letten? ; {N} regel // {N} voorschrift ; Bij een controle gaat het om {Q}. Welke regel geldt?
share ; Welk percentage {R}? // Welk deel {R}? ; ; In een rapport ontbreekt een getal: welk percentage {R}?
year ; In welk jaar {R}? ; ; In een tijdlijn ontbreekt een jaartal: in welk jaar {R}?
consequence ; Wat gebeurt er {w} {C}? // Wat is het gevolg {w} {C}? ; ; Er rijst een vraag: wat gebeurt er {w} {C}?
inv_price ; Hoeveel moet er voor {Q} worden betaald? ; {N} prijs ; Er wordt een offerte gemaakt. Welke prijs hoort bij {Q}?
inv_phone ; Welk telefoonnummer bel je voor vragen over {Q}? ; {N} telefoonnummer ; Op zondag is er een storing met {Q}. Welk telefoonnummer bel je?
inv_audit ; Hoe vaak wordt {Q} door een externe partij gecontroleerd? ; {N} controle-interval ; Een controle van {Q} is net afgerond. Wanneer volgt de volgende?
inv_staff ; Hoeveel medewerkers houden zich bezig met {Q}? ; {N} aantal medewerkers ; Je maakt het rooster voor {Q}. Hoeveel medewerkers zijn er nodig?
inv_users ; Hoeveel mensen gebruiken {Q} wereldwijd? ; {N} aantal gebruikers wereldwijd ; In een voordracht ontbreekt een getal: hoeveel mensen gebruiken {Q} wereldwijd?
inv_patent ; Wie bezit het patent op {Q}? ; {N} patenthouder ; Een advocaat vraagt naar {Q}. Onder welk nummer is het patent geregistreerd?
"""),
    "ru": _rows("""
cell ; Что указано для «{S}» в графе «{A}»? ; {S} {A} указанное значение ; В бланке есть графа «{A}» для «{S}». Что туда вписать?
entry ; Что нужно знать о пункте «{S}»? ; {S} краткое описание ; Новый коллега спрашивает про «{S}». Что вы ответите?
definition ; Что понимают под термином {Q}? // Как можно объяснить, что такое {S}? ; {S} значение термина // {S} определение ; Новый коллега впервые слышит о термине {Q}. Как вы его объясните?
purpose ; С какой целью [применяется|применяются] {S}? // Зачем [нужна вещь под названием|нужны] {Q}? ; {S} назначение ; Коллега спрашивает о назначении: {Q}. Что вы ответите?
allows ; Какую возможность [даёт|дают] {S}? // Какую пользу [приносит|приносят] {S}? ; {S} польза и возможности ; Коллега сомневается, какую пользу [приносит|приносят] {S}. Что вы ответите?
composed ; Что можно найти в {Q}? // Что находится внутри: {Q}? ; {S} содержимое ; Новый коллега спрашивает, что можно найти в {Q}. Что вы ответите?
requires ; В чём [нуждается|нуждаются] {S}? ; {S} необходимые условия ; Вы готовите план, в котором [упоминается|упоминаются] {S}. Что для этого понадобится?
rule ; Какое требование предъявляется к {Q}? // Какое правило действует для {Q}? ; {S} требование // {S} правило ; При проверке обращают внимание на {Q}. Какое правило действует?
year ; В каком году {R}? ; ; В хронологии не хватает даты: в каком году {R}?
how_to ; Что нужно предпринять, чтобы {X}? // Каким образом можно {X}? ; ; Коллега хочет {X}. Что вы посоветуете?
consequence ; Как поступить или чего ожидать, {w} {C}? // Что происходит, {w} {C}? ; ; Представьте: {C}. Что произойдёт или что следует предпринять?
inv_price ; Какова цена: {Q}? ; {S} цена ; Составляется смета, в которую [входит|входят] {S}. Какую цену указать?
inv_phone ; По какому телефону можно задать вопрос о том, что такое {S}? ; {S} номер телефона поддержки ; В воскресенье возникла неполадка: {Q}. По какому телефону звонить?
inv_audit ; Как часто проводится внешний аудит: {Q}? ; {S} периодичность аудита ; Только что завершился аудит: {Q}. Когда будет следующий?
inv_staff ; Сколько сотрудников отвечает за {Q}? ; {S} число сотрудников ; Составляется график работ: {Q}. Сколько сотрудников понадобится?
inv_users ; Сколько людей в мире знают о том, что такое {S}? ; {S} число пользователей в мире ; В докладе не хватает числа. Сколько людей в мире используют {Q}?
inv_patent ; Кому принадлежит патент на {Q}? ; {S} владелец патента ; Юрист интересуется: {Q}. Под каким номером зарегистрирован патент?
"""),
    "ja": _rows("""
cell ; 「{S}」の「{A}」には何と書かれていますか？ ; {S} {A} 記載された値は何か ; 用紙に「{S}」の「{A}」を書く欄があります。何と記入しますか？
entry ; 「{S}」とはどのようなものですか？ ; {S} についての短い説明がほしい ; 新しい同僚に「{S}」について尋ねられました。どう答えますか？
definition ; {S}とは、どのようなものですか？ // {S}とは何を指しますか？ ; {S} 意味 説明 ; 新しい同僚に{S}について聞かれました。どう説明しますか？
topic ; {S}はどのように扱われますか？ // {S}はどうなりますか？ ; {S} 扱い ; 新しい同僚に{S}の扱いを聞かれました。どう答えますか？
how_to ; {X}には、どうすればよいですか？ // {X}方法を教えてください。どうしますか？ ; {X} 手順 方法 ; 同僚が{X}つもりです。どのように助言しますか？
consequence ; {C}とき、どうなりますか、またはどうすべきですか？ ; {C}とき 結果 対応 ; {C}状況を想像してください。どう対応し、何が起こりますか？
inv_price ; {S}の価格はいくらですか？ ; {S} 価格 ; 見積書に{S}を載せます。価格をいくらと書けばよいですか？
inv_phone ; {S}についての問い合わせ先の電話番号は何番ですか？ ; {S} 電話番号 ; 日曜日に{S}で困りました。どの電話番号にかければよいですか？
inv_inventor ; {S}を最初に考え出したのは誰ですか？ ; {S} 考案者 ; 発表で{S}の考案者を紹介します。誰の名前を挙げますか？
inv_patent ; {S}の特許を持っているのは誰ですか？ ; {S} 特許 ; 弁護士に{S}の特許番号を聞かれました。何番ですか？
"""),
    "zh": _rows("""
cell ; “{S}”的“{A}”写的是什么？ ; {S} {A} 写的是多少 ; 表格里有“{S}”的“{A}”一栏。应该填什么？
entry ; 关于“{S}”需要知道什么？ ; {S} 简要说明是什么 ; 新同事问起“{S}”。你怎么回答？
definition ; {S}指的是什么？ // 怎样解释{S}？ ; {S} 含义 解释 ; 新同事不知道{S}。你会怎样向他说明？
consequence ; 假如{C}，会怎么样？ ; {C} 结果 ; 假设{C}。接下来会发生什么？
inv_price ; {S}的价格是多少？ ; {S} 价格 ; 你在做预算，其中包括{S}。价格应写多少？
inv_phone ; 咨询{S}应拨打哪个电话？ ; {S} 咨询电话 ; 周日{S}出了问题。应该拨打哪个电话？
inv_inventor ; 最早提出{S}的人是谁？ ; {S} 发明人 ; 你要介绍{S}的发明人。应该提到谁？
inv_patent ; {S}的专利属于谁？ ; {S} 专利 ; 律师询问{S}的专利。专利号是多少？
"""),
    "ko": _rows("""
cell ; ‘{S}’의 ‘{A}’은(는) 무엇이라고 적혀 있습니까? ; {S} {A} 적힌 값 ; 양식에 ‘{S}’의 ‘{A}’ 칸이 있습니다. 무엇을 적습니까?
entry ; ‘{S}’에 대해 무엇을 알아야 합니까? ; {S} 간단한 설명 ; 새 동료가 ‘{S}’에 대해 묻습니다. 어떻게 대답합니까?
definition ; {S}의 의미는 무엇인가요? // {S}에 대해 어떻게 설명할 수 있나요? ; {S} 의미 설명 ; 새 동료가 {S}에 대해 묻습니다. 어떻게 설명하겠습니까?
inv_price ; {S}의 가격은 얼마인가요? ; {S} 가격 ; 예산에 {S}을(를) 넣으려고 합니다. 가격을 얼마로 적어야 하나요?
inv_phone ; {S}에 대해 문의할 전화번호는 무엇인가요? ; {S} 전화번호 ; 일요일에 {S}에 문제가 생겼습니다. 어떤 전화번호로 걸어야 하나요?
inv_inventor ; {S}을(를) 처음 생각해 낸 사람은 누구인가요? ; {S} 발명자 ; 발표에서 {S}의 발명자를 소개합니다. 누구의 이름을 말해야 하나요?
inv_patent ; {S}의 특허는 누가 가지고 있나요? ; {S} 특허 ; 변호사가 {S}의 특허 번호를 묻습니다. 몇 번인가요?
"""),
}  # fmt: skip
