"""Question templates, a table a language. Slots: {S} subject, {N} subject without article, {P} predicate,
{C} condition, {X} action, {A} attribute, {U} counted things, {is} {do} {m} the verb's forms.

A wh template whose second word is {is}, {do} or {m} also gives the indirect question of a scenario.
"""

from __future__ import annotations

from ragtester.models.embedded.question_words_other import OTHERS

Templates = dict[str, dict[str, tuple[str, ...]]]

EN: Templates = {
    "definition": {
        "wh": ("What {is} {S}?", "How would you explain what {S} {is}?", "What kind of thing {is} {S}?"),
        "keyword": ("{N} meaning", "{N} explained in brief", "{N} definition"),
        "scenario": (
            "A newcomer stumbles over the expression {Q}. How do you explain it?",
            "Somebody on the team has never heard of {Q}. What do you tell them it means?",
        ),
    },
    "person": {
        "wh": ("Who is {S}?", "What is {S} by profession?"),
        "keyword": ("{N} profession",),
        "scenario": ("You are to introduce {S} to an audience. What do you say?",),
    },
    "who": {
        "wh": ("Who looks after {S}?", "Who is in charge of {S}?"),
        "keyword": ("{N} person in charge",),
        "scenario": (
            "Something is unclear about {S}. Whom do you ask?",
            "A list of contacts lacks an entry for {S}. Whom do you put down?",
        ),
    },
    "reverse": {
        "wh": ("What is the name of {D}?", "What do you call {D}?"),
        "keyword": ("name for {D}", "term for {D}"),
        "scenario": ("You are looking for {D}. Under which name do you search?",),
    },
    "named": {
        "wh": ("What name {do} {S} go by?", "Which term stands for {S}?"),
        "keyword": ("{N} usual term", "{N} proper name"),
        "scenario": ("You have to mention {S} in a report. Which term do you write?",),
    },
    "purpose": {
        "wh": ("What purpose {do} {S} serve?", "What {is} {S} good for?", "What is the point of {S}?"),
        "keyword": ("{N} purpose", "{N} intended role"),
        "scenario": (
            "A colleague comes across {S} and wonders about the purpose. What do you answer?",
            "A trainee asks why anyone would want {S}. What is a good answer?",
        ),
    },
    "necessary": {
        "wh": ("What makes {S} indispensable?", "For what can you not do without {S}?"),
        "keyword": ("why {N} cannot be left out",),
        "scenario": ("A colleague would like to do without {S}. What would no longer work?",),
    },
    "where": {
        "wh": ("In which place {is} {S} to be looked for?", "Where do you look for {S}?"),
        "keyword": ("{N} location", "{N} whereabouts"),
        "scenario": ("You are searching for {S}. Where do you look first?",),
    },
    "where_must": {
        "wh": ("Where {do} {S} have to go?", "What is the right place for {S}?"),
        "keyword": ("{N} prescribed location", "right place for {N}"),
        "scenario": ("You are tidying up and come to {S}. What is the right place?",),
    },
    "based": {
        "wh": ("What {do} {S} build on?", "What is the foundation of {S}?"),
        "keyword": ("{N} foundation",),
        "scenario": (),
    },
    "composed": {
        "wh": ("Which parts {do} {S} have?", "What are the components of {S}?"),
        "keyword": ("{N} components",),
        "scenario": (),
    },
    "written_in": {
        "wh": ("Which language {is} {S} coded in?",),
        "keyword": ("{N} programming language",),
        "scenario": (),
    },
    "charge": {
        "wh": ("What job {do} {S} have?", "What {do} {S} have to look after?"),
        "keyword": ("{N} duties",),
        "scenario": (),
    },
    "comparable": {
        "wh": ("What {do} {S} resemble?", "What can {S} be likened to?"),
        "keyword": ("{N} counterpart",),
        "scenario": (),
    },
    "limited": {
        "wh": ("How far {do} {S} go?", "What bounds are set to {S}?"),
        "keyword": ("{N} bounds",),
        "scenario": (),
    },
    "obtain": {
        "wh": ("Where can somebody get hold of {S}?", "How can one get {S}?"),
        "keyword": ("where to get {N}",),
        "scenario": ("A colleague would like to have {S}. Where do you send them?",),
    },
    "belongs": {
        "wh": ("To what larger whole {do} {S} belong?", "What {do} {S} belong to?"),
        "keyword": ("what {N} belongs to",),
        "scenario": (),
    },
    "cause": {
        "wh": ("What lies behind {S}?", "What brings {S} about?"),
        "keyword": ("cause behind {N}",),
        "scenario": (),
    },
    "derived": {
        "wh": ("Where {do} {S} come from?", "What is the origin of {S}?"),
        "keyword": ("{N} origin",),
        "scenario": (),
    },
    "users": {
        "wh": ("Who or what makes use of {S}?", "Who or what relies on {S}?"),
        "keyword": ("who needs {N}",),
        "scenario": (),
    },
    "depends": {
        "wh": ("What {do} {S} hinge on?",),
        "keyword": ("{N} deciding factor",),
        "scenario": (),
    },
    "when": {
        "wh": (
            "When {is} {S} {P}?",
            "At what point in time {is} {S} {P}?",
            "On which date {is} {S} {P}, exactly?",
        ),
        "keyword": ("{N} {P} date", "date {N} {P}"),
        "scenario": ("You are drawing up a timeline. Which date do you enter for when {S} {is} {P}?",),
    },
    "agent": {
        "wh": ("By whom or by what {m} {S} {P}?", "Through whom or what {m} {S} {P}?"),
        "keyword": ("{N} {P} by whom or what",),
        "scenario": (),
    },
    "how": {
        "wh": ("How {m} {S} {P}?", "In what way {m} {S} {P}?"),
        "keyword": ("{N} {P} method",),
        "scenario": (),
    },
    "count": {
        "wh": ("How many {U} {do} {S} {V}?", "What is the number of {U} in {S}?"),
        "keyword": ("{N} number of {U}",),
        "scenario": (),
    },
    "duration": {
        "wh": ("How long {do} {S} take?", "How much time {do} {S} call for?"),
        "keyword": ("{N} duration",),
        "scenario": (),
    },
    "value_when": {
        "wh": ("{W} {m} {S} {P}?", "For the record: {w_} {m} {S} {P}?"),
        "keyword": ("{N} {P} {w_}",),
        "scenario": (
            "A figure is missing in a report: {w_} {m} {S} {P}?",
            "Somebody at the counter asks: {w_} {m} {S} {P}?",
            "You are drawing up a summary sheet and need one more figure: {w_} {m} {S} {P}?",
        ),
    },
    "price": {
        "wh": ("What price has to be paid for {S}{q}?", "How much money is needed for {S}{q}?"),
        "keyword": ("{N} price",),
        "scenario": (
            "You are drawing up a budget. What amount do you enter for {S}{q}?",
            "A visitor at the counter asks for the price of {S}{q}. What do you say?",
        ),
    },
    "side": {
        "wh": ("What is the {A} of {S}?", "What {A} {do} {S} have?"),
        "keyword": ("{N} {A}",),
        "scenario": ("A form asks for the {A} of {S}. What do you enter?",),
    },
    "value_of": {
        "wh": ("What is {S}?", "How much {is} {S}?", "What figure applies to {S}?"),
        "keyword": ("{N} figure", "{N} how much"),
        "scenario": (
            "A form has a field for {S}. What do you enter?",
            "A figure is missing in a report: how much {is} {S}?",
        ),
    },
    "attribute": {
        "wh": ("What {is} the {A} of {S}?", "What is known about the {A} of {S}?"),
        "keyword": ("{N} {A}",),
        "scenario": (
            "During a review somebody asks about the {A} of {S}. What would you reply?",
            "A form has a field for the {A} of {S}. What do you enter?",
        ),
    },
    "rule": {
        "wh": ("What rule applies to {S}?", "What is demanded of {S}?", "What obligation comes with {S}?"),
        "keyword": ("obligations for {N}", "{N} rule"),
        "scenario": ("You are writing a checklist and come to {S}. Which rule do you write down?",),
    },
    "when_must": {
        "wh": ("When {m} {S} {P}?", "Under which circumstances {m} {S} {P}?"),
        "keyword": ("{N} {P} timing",),
        "scenario": (),
    },
    "forbidden": {
        "wh": ("What is off limits for {S}?", "What is ruled out for {S}?"),
        "keyword": ("{N} prohibition", "what is ruled out for {N}"),
        "scenario": ("You are writing a list of mistakes to avoid and come to {S}. What do you warn of?",),
    },
    "allowed": {
        "wh": ("What may happen to {S}?",),
        "keyword": ("{N} permitted treatment",),
        "scenario": (),
    },
    "ability": {
        "wh": ("What {is} {S} capable of?", "What {is} {S} able to do?"),
        "keyword": ("{N} capabilities",),
        "scenario": (),
    },
    "treated": {
        "wh": ("What happens to {S}?", "What becomes of {S}?"),
        "keyword": ("{N} treatment", "what becomes of {N}"),
        "scenario": ("A new colleague asks what becomes of {S}. What do you answer?",),
    },
    "happened": {
        "wh": ("What happened to {S}?", "What became of {S}?"),
        "keyword": ("{N} history", "what became of {N}"),
        "scenario": ("A newcomer asks what became of {S}. What do you answer?",),
    },
    "usable": {
        "wh": ("What can be done with {S}?", "What can people do with {S}?"),
        "keyword": ("{N} ways of handling",),
        "scenario": ("A newcomer asks what can be done with {S}. What do you answer?",),
    },
    "present": {
        "wh": ("What does one come across in {S}?", "What is to be expected in {S}?"),
        "keyword": ("{N} contents",),
        "scenario": ("You are looking around in {S}. What do you come across?",),
    },
    "absent": {
        "wh": ("What has no place in {S}?", "What must be kept out of {S}?"),
        "keyword": ("{N} what is ruled out",),
        "scenario": ("You are tidying up {S}. What has no place there?",),
    },
    "interval": {
        "wh": ("How often {m} {S} {P}?", "At what intervals {m} {S} {P}?"),
        "keyword": ("{N} {P} interval",),
        "scenario": (),
    },
    "within": {
        "wh": ("How soon {m} {S} {P}?", "How much time is left until {S} {m} {P}?"),
        "keyword": ("{N} {P} time allowed",),
        "scenario": (),
    },
    "share": {
        "wh": ("What share {R}?", "What proportion {R}?"),
        "keyword": (),
        "scenario": ("A figure is missing from a report: what proportion {R}?",),
    },
    "default": {
        "wh": (
            "How {do} {S} behave unless told otherwise?",
            "What holds for {S} as long as nobody changes the settings?",
        ),
        "keyword": ("{N} out-of-the-box behaviour",),
        "scenario": ("Nobody has touched the settings. What is to be expected of {S}?",),
    },
    "holds_for": {
        "wh": ("What holds for {C}?", "What applies to {C}?"),
        "keyword": ("{C}: what applies",),
        "scenario": ("A visitor asks what applies to {C}. What do you say?",),
    },
    "cell": {
        "wh": ("What is stated as the {A} of “{S}”?", "Which entry for {A} is there with “{S}”?"),
        "keyword": ("{S} {A} value stated", "{A} stated with {S}"),
        "scenario": (
            "A form has a field “{A}” for “{S}”. What do you enter?",
            "Somebody copies the figures of “{S}” and has left out the {A}. What is missing?",
        ),
    },
    "entry": {
        "wh": ("What do you need to know about “{S}”?", "How would you describe “{S}”?"),
        "keyword": ("{S} short description", "{S} in brief"),
        "scenario": ("A newcomer asks what there is to say about “{S}”. What do you answer?",),
    },
    "members": {
        "wh": ("Which items make up {S}?", "What is on the list of {S}?"),
        "keyword": ("{N} complete list",),
        "scenario": ("You are making a checklist for {S}. Which points go on it?",),
    },
    "consequence": {
        "wh": ("What happens {w} {C}?", "What is the consequence {w} {C}?"),
        "keyword": ("{C}: consequence", "{C}: effect"),
        "scenario": ("Suppose {C}. What happens in that situation?", "Imagine that {C}. What follows?"),
    },
    "what_to_do": {
        "wh": ("What should you do {w} {C}?", "What is the advice {w} {C}?"),
        "keyword": ("{C}: what to do", "advice {w} {C}"),
        "scenario": ("Suppose {C}. What is the right thing to do?", "Imagine that {C}. How do you proceed?"),
    },
    "how_to": {
        "wh": ("How do you {X}?", "How does one {X}?", "What does it take to {X}?"),
        "keyword": ("how to {X}", "way to {X}"),
        "scenario": ("You want to {X}. How do you go about it?", "A colleague has to {X}. What do you suggest?"),
    },
    "reason": {
        "wh": ("Why {m} {S} {P}?", "For what reason {m} {S} {P}?"),
        "keyword": ("reason why {S} {m} {P}",),
        "scenario": ("A colleague asks why {S} {m} {P}. What is the explanation?",),
    },
    "inv_price": {
        "wh": ("How much {do} {S} cost?", "What price has to be paid for {S}?"),
        "keyword": ("{N} price", "cost of {N}"),
        "scenario": ("You are drawing up a budget that includes {S}. Which price do you enter?",),
    },
    "inv_inventor": {
        "wh": ("Who came up with the idea of {S}?", "Who was the first to think of {S}?"),
        "keyword": ("{N} inventor", "original author of {N}"),
        "scenario": ("You are giving a talk and want to credit the inventor of {S}. Whom do you name?",),
    },
    "inv_year": {
        "wh": ("In which year {is} {S} first introduced?", "Since which year have people been working with {S}?"),
        "keyword": ("{N} year of introduction",),
        "scenario": ("You are drawing up a timeline. For which year do you note the introduction of {S}?",),
    },
    "inv_size": {
        "wh": ("How large may {S} become at most?", "What is the upper limit for the size of {S}?"),
        "keyword": ("{N} maximum size in megabytes",),
        "scenario": ("A disk is filling up because of {S}. From which size on is an alarm raised?",),
    },
    "inv_backup": {
        "wh": ("How often {m} {S} backed up?",),
        "keyword": ("{N} backup interval",),
        "scenario": ("A disk has been lost together with {S}. How old can the last backup be?",),
    },
    "inv_cipher": {
        "wh": ("Which cipher {m} {S} encrypted with?",),
        "keyword": ("{N} encryption algorithm",),
        "scenario": ("A security officer looks at {S}. Which encryption algorithm should they find?",),
    },
    "inv_keeping": {
        "wh": ("For how many days do old copies of {S} have to be kept?",),
        "keyword": ("{N} retention period in days",),
        "scenario": ("You would like to delete old copies of {S}. After how many days is that allowed?",),
    },
    "inv_memory": {
        "wh": ("How much memory {do} {S} take up?",),
        "keyword": ("{N} memory footprint",),
        "scenario": ("A machine with little memory has to cope with {S}. How many megabytes must be free?",),
    },
    "inv_timeout": {
        "wh": ("After how many seconds {do} {S} give up?",),
        "keyword": ("{N} timeout in seconds",),
        "scenario": ("Nothing seems to happen with {S}. After how many seconds is there a timeout?",),
    },
    "inv_error": {
        "wh": ("Which error code stands for a failure of {S}?",),
        "keyword": ("{N} error codes",),
        "scenario": ("A log shows that {S} failed. Which error code do you expect to see there?",),
    },
    "inv_withdrawal": {
        "wh": ("On what date will {S} be withdrawn?", "When does support for {S} end?"),
        "keyword": ("{N} end-of-life date",),
        "scenario": ("You are planning for the coming years and rely on {S}. Until when is that safe?",),
    },
    "inv_support": {
        "wh": ("Which telephone number do you call for help with {S}?",),
        "keyword": ("{N} support hotline number",),
        "scenario": ("Something is wrong with {S} on a Sunday. Which hotline number do you call?",),
    },
    "inv_certificate": {
        "wh": ("Which body has certified {S}?", "Which certificate has been granted for {S}?"),
        "keyword": ("{N} certificate",),
        "scenario": ("A customer wants proof of quality for {S}. Which certificate can you show?",),
    },
    "inv_patent": {
        "wh": ("Who holds the patent on {S}?",),
        "keyword": ("{N} patent holder",),
        "scenario": ("A lawyer asks about {S}. Under which patent number is it registered?",),
    },
    "inv_audit": {
        "wh": ("How often {m} {S} audited by an outside body?",),
        "keyword": ("{N} audit interval",),
        "scenario": ("An outside audit of {S} has just ended. How long is it until the next one?",),
    },
    "inv_journal": {
        "wh": ("In which journal {is} {S} first described?",),
        "keyword": ("{N} first description in a journal",),
        "scenario": ("You want to cite the very first description of {S}. Which journal do you name?",),
    },
    "inv_users": {
        "wh": ("How many people around the world use {S}?",),
        "keyword": ("{N} number of users worldwide",),
        "scenario": ("A slide needs a figure: how many people around the world use {S}?",),
    },
    "inv_award": {
        "wh": ("Which award {is} {S} given?",),
        "keyword": ("{N} award won",),
        "scenario": ("A speech is to praise {S}. Which award do you mention?",),
    },
    "inv_sponsor": {
        "wh": ("Which company sponsors {S}?",),
        "keyword": ("{N} main sponsor",),
        "scenario": ("A poster is to thank the main sponsor of {S}. Which name goes on it?",),
    },
    "inv_standard": {
        "wh": ("Which ISO standard governs {S}?",),
        "keyword": ("{N} ISO standard number",),
        "scenario": ("A certifier asks which ISO standard governs {S}. Which number do you give?",),
    },
    "inv_supplier": {
        "wh": ("Which company supplies {S}?",),
        "keyword": ("{N} supplier name",),
        "scenario": ("A replacement for {S} has to be ordered. Which supplier do you turn to?",),
    },
    "inv_training": {
        "wh": ("How many hours of training does it take to master {S}?",),
        "keyword": ("{N} hours of training",),
        "scenario": ("You are planning a course on {S}. How many hours of training are called for?",),
    },
}
# Frames for kinds without a scenario of their own; {i} is the indirect question.
EN_SPEECH = (
    "A new colleague asks: “{q}” What do you answer?",
    "Somebody raises a hand in training: “{q}” What is the right answer?",
    "During a review the question comes up: “{q}” What would you reply?",
)
EN_FRAMES = (
    "A new colleague asks {i}. What do you answer?",
    "During a review somebody wonders {i}. What would you reply?",
    "A trainee is unsure {i}. What is the right answer?",
    "Before going on, an engineer has to find out {i}. What is the answer?",
)
TEMPLATES: dict[str, Templates] = {"en": EN, **OTHERS}
FRAMES: dict[str, tuple[str, ...]] = {"en": EN_FRAMES}
SPEECH: dict[str, tuple[str, ...]] = {"en": EN_SPEECH}
