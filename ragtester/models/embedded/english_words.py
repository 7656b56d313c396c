# ruff: noqa: E501, SIM905 - word lists
"""What the English patterns know of words: verbs and the questions they lead to, nouns that say nothing alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

PREPOSITIONS = frozenset(
    "of for in from to with on under at by between without into within through via inside per as than about".split()
)
BANNED_IN_SUBJECT = frozenset(
    """this that these those it its they their them he she we our us you your i my which who whose what when where how
    why there here such one ones some other another others same above below following latter former next previous
    either neither any many few most several only also not if while although though because since or so then thus hence
    example examples figure figures table tables chapter chapters section sections paragraph page appendix listing
    paper document manual guide text book article author authors reason problem idea thing things way ways case cases
    similar recent specific difference differences result results note step point fact question answer part rest above-mentioned first second
    third fourth last both be been being is are was were has have had must shall should may can will see please version
    more less whereas once until unless despite given due during after before if themselves itself time times goal aim something anything everything nothing nobody everybody somebody yes no let lets i.e. e.g. etc""".split()
)
GENERIC = frozenset(
    """user users people developer developers system systems package packages program programs file files method methods
    function functions command commands data information value values line lines name names list lists software project
    code process option options tool tools work everyone someone application applications implementation object
    objects parameter parameters argument arguments change changes type types purpose requirements rationale notes
    directory directories item items number numbers set main new default time approach feature features solution
    algorithm technique research results community team factors relevant certain specific additional general new other
    different various major important particular current main key basic simple typical normal common date dates patch
    patches step steps part parts side sides top bottom end start beginning way ways possible special good better best""".split()
)
ADVERBS = frozenset(
    "just instead also then now always still only even often never ever too again once therefore thus each both".split()
)
IMPERATIVES = frozenset(
    """set get make add see open install use run start create put let try go do change note copy type build check ensure
    remember keep click select choose enter press follow give take call ask read write edit remove delete find look
    consider include specify define start starting using by""".split()
)
ATTRIBUTES = (
    "purpose|name|value|size|length|width|height|depth|goal|aim|role|number|maximum|minimum|location|format|type|owner"
    "|author|cost|price|weight|capacity|duration|objective|function|task|advantage|disadvantage|benefit|drawback|colour"
    "|color|speed|temperature|pressure|voltage|power|limit|range|period|interval|deadline|address|language|licence"
    "|license|origin|source|default|definition|meaning|target|scope|budget|fee|rate|frequency|diameter|thickness"
    "|thickness|requirement|responsibility|contents|content|structure|base|root|successor|predecessor|leader|head"
    "|director|chair|manager|maintainer|supplier|manufacturer|material|tolerance|lifetime|lifespan|distance|share"
)
PLACED = "located|stored|kept|placed|installed|found|saved|put|situated|housed|held|defined|listed|documented"
PARTICIPLES = frozenset(
    """written made given taken built sent kept held found known shown done drawn chosen driven broken begun bought brought
    created developed designed written installed removed deleted added changed modified configured set generated produced
    used maintained owned managed controlled determined defined specified provided supported updated upgraded uploaded
    downloaded compiled tested checked verified validated stored loaded run executed started stopped called invoked
    printed displayed rendered obtained retrieved fetched copied moved renamed edited customised customized extended
    achieved accomplished reduced increased improved avoided prevented solved fixed resolved reported published released
    founded introduced established invented discovered launched opened closed approved adopted accepted rejected cleaned
    inspected replaced repaired measured calculated computed estimated recorded monitored connected attached mounted
    encoded decoded converted translated identified distinguished selected enabled disabled activated signed encrypted
    declared confirmed relieved counted lowered raised refunded withdrawn described stated tightened washed cooled heated
    thrown wiped rinsed paid told decided demanded charged discarded shifted entered collected emptied ordered booked
    cancelled taught chaired supervised funded financed elected appointed insured treated transported
    registered listed organised organized grouped handled processed performed carried completed initiated triggered
    submitted requested ordered delivered shipped served cut split divided packaged imported exported linked""".split()
)
BE_PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("named", r"(?:called|named|known as|also known as|referred to as) (?P<v>[^ ,]+(?: [^ ,]+){0,4}$)"),
        ("purpose", r"(?:used|intended|designed|meant|reserved) (?P<v>(?:to [a-z]+|for|as) .+)"),
        ("necessary", r"(?:required|needed|necessary|essential|indispensable) (?P<v>(?:for|to|in order to) .+)"),
        ("based", r"(?:based|built) (?P<v>(?:on|upon|around) .+)"),
        (
            "composed",
            r"(?:made up of|built out of|built up from|composed of|divided into|split into|grouped into|organi[sz]ed into) (?P<v>.+)",
        ),
        ("written_in", r"(?:written|implemented|programmed) (?P<v>in [A-Z]\S*.*)"),
        ("charge", r"(?:responsible|in charge) (?P<v>(?:for|of) .+)"),
        ("comparable", r"(?:similar|equivalent|identical|analogous|comparable) (?P<v>to .+)"),
        ("limited", r"(?:limited|restricted|confined) (?P<v>to .+)"),
        ("obtain", r"available (?P<v>(?:from|at|via|under|through|on) .+)"),
        ("belongs", r"part (?P<v>of .+)"),
        ("cause", r"(?:caused by|due to|the result of|a result of) (?P<v>.+)"),
        ("derived", r"(?:derived|inherited|taken|obtained) (?P<v>from .+)"),
        ("users", r"used by (?P<v>(?!default|\w+ing\b).+)"),
        ("depends", r"(?:dependent|conditional) (?P<v>on .+)"),
    )
)


@dataclass(frozen=True)
class Verb:
    """`ask`: the question, with slots; `key`: what a keyword query calls it; `noun`: its forms are nouns too."""

    third: str
    ask: str
    key: str
    needs: str = ""
    noun: bool = False


# base (or base+third where irregular) | flags | question | words of a keyword query.
# A flag "n": the forms are nouns as well; ">word": the word that must follow.
_VERBS = """
contain||What can be found in {S}?|contents
include||What {do} {S} cover?|what it covers
comprise||What makes up {S}?|components
provide||What {do} {S} offer?|what is on offer
offer|n|What can be had from {S}?|services
require||What {do} {S} need?|prerequisites
need|n|What {do} {S} call for?|prerequisites
allow||What {do} {S} make possible?|possibilities
enable||What {do} {S} make possible?|possibilities
permit|n|What {do} {S} make possible?|possibilities
let||What {do} {S} make possible?|possibilities
support|n|What can {S} cope with?|supported features
use|n|What {do} {S} rely on?|underlying technique
employ||What {do} {S} make use of?|underlying technique
return|n|What {do} {S} give back?|outcome returned
create||What comes into being through {S}?|outcome
generate||What {do} {S} yield?|outcome
produce|n|What {do} {S} yield?|outcome
define||What {do} {S} lay down?|what is laid down
specify||What {do} {S} lay down?|what is laid down
describe||What {do} {S} explain?|topic explained
explain||What {do} {S} make clear?|topic
determine||What {do} {S} decide?|what is decided
control|n|What {do} {S} govern?|what is governed
store|n|What {do} {S} keep?|what is kept
hold|n|What {do} {S} keep?|what is kept
accept||What {do} {S} take in?|accepted input
prevent||What {do} {S} keep from happening?|what is averted
avoid||What {do} {S} keep clear of?|what is averted
cause|n|What {do} {S} lead to?|effect
ensure||What {do} {S} make sure of?|guarantee
guarantee|n|What {do} {S} make sure of?|assurance
indicate||What {do} {S} tell you?|meaning
represent||What {do} {S} stand for?|meaning
denote||What {do} {S} stand for?|meaning
mean||What {do} {S} imply?|meaning
perform||What job {do} {S} carry out?|job
manage||What {do} {S} look after?|responsibilities
handle|n|What {do} {S} take care of?|responsibilities
affect||What {do} {S} have a bearing on?|influence
influence|n|What {do} {S} have a bearing on?|effect
depend|>on|What {do} {S} hinge on?|deciding factor
rely|>on|What {do} {S} build upon?|basis
consist|>of|What {is} {S} made up of?|components
refer|>to|What {do} {S} point at?|meaning
belong|>to|What {is} {S} a part of?|where it belongs
lead|>to|What {do} {S} result in?|consequence
correspond|>to|What {do} {S} match?|counterpart
stand|>for|What is meant by {S}?|meaning
replace||What {do} {S} take the place of?|what was there before
display|n|What {do} {S} bring up on the screen?|what is shown
show|n|What {do} {S} make visible?|what becomes visible
remove||What {do} {S} get rid of?|what is taken away
implement|n|What {do} {S} put into practice?|what is put into practice
apply|>to|What {do} {S} concern?|scope
reduce||What {do} {S} cut down?|savings
increase|n|What {do} {S} raise?|effect
improve||What {do} {S} make better?|benefit
record|n|What {do} {S} take down?|what is noted down
help|n|What {do} {S} assist with?|assistance
identify||What {do} {S} single out?|what is singled out
cover|n|What {do} {S} deal with?|topics
combine||What {do} {S} bring together?|ingredients
convert||What {do} {S} turn into something else?|conversion
transform|n|What {do} {S} turn into something else?|transformation
compile||What {do} {S} put together?|what is put together
install||What {do} {S} set up?|what is set up
check|n|What {do} {S} look at?|what is looked at
verify||What {do} {S} make sure of?|what is confirmed
receive||What {do} {S} get?|input
run|n|What {do} {S} start?|what is started
execute||What {do} {S} start?|what is started
begin|>with|What comes at the start of {S}?|start
start|n>with|What comes at the beginning of {S}?|beginning
end|n>with|What comes last in {S}?|ending
focus|>on|What {do} {S} put first?|emphasis
serve|>as|What purpose {do} {S} fulfil?|purpose
act|n>as|What part {do} {S} play?|role
function|n>as|What part {do} {S} play?|role
work|n>with|What {do} {S} get along with?|compatibility
have||What {do} {S} have?|
take|n|What {do} {S} call for?|
cost|n||
move|n||
serve|||
go|||
bring|||
make|||
give|||
keep|||
send|||
follow|||
lie|>at||
measure|n||
weigh|||
pay|n||
carry|||
answer|n||
open|n||
close|n||
leave|n||
arrive|||
travel|n||
transmit|||
report|n||
save|||
reach|n||
demand|n||
rise|n||
fall|n||
drop|n||
cool|||
charge|n||
burn|n||
heat|n||
add|||
climb|n||
sink|||
last||How long {do} {S} go on?|
"""
# Verbs that only say how a value belongs to its subject; "n": the forms are nouns as well.
_PLAIN = """appear become behave break-n build-n call-n change-n collect come connect continue count-n decide declare deliver
differ draw-n drive-n eat enter exceed exist expire extend fail feed-n fill find finish-n fit-n flow-n gain-n get grow
hang happen know lack-n land-n learn lose maintain mark-n meet miss name-n occur occupy operate own owe pass-n plan-n
play-n point-n possess press-n protect publish push-n put raise rank-n read recommend refuse release-n remain rent-n
repair-n request-n reserve-n respond retain return-n rotate say see seem sell separate set-n share-n shut sing sit sleep-n
spread-n state-n stay-n stop-n submit supply-n switch-n tell tighten turn-n unlock update-n visit-n wait-n watch-n write
yield-n overwrite double-n bring appoint award-n hire host-n house-n join link-n pack-n park-n pump-n ride-n ship-n
sign-n sound-n store-n train-n transport-n treat-n weigh attract buy cancel claim-n complete contribute deal-n deduct
deposit-n discover employ estimate-n evaporate expect finance-n grant-n inspect invest issue-n lead-n lend lift-n manage
notify obtain order-n prescribe rely replace resume search-n select sink-n stretch-n suffer surround survive vary withdraw"""
# Of these, verbs whose object may be asked for as it stands.
_TRANSITIVE = frozenset(
    """lose gain maintain mark operate own owe protect publish raise recommend retain sell separate share
supply unlock update yield overwrite attract buy discover employ finance grant inspect issue lend lift obtain prescribe
resume surround double name carry follow bring give make send add report measure demand charge open close""".split()
)
_PAST = """had:have came:come used:use reached:reach gave:give fell:fall rose:rise took:take began:begin failed:fail saved:save
counted:count lasted:last opened:open closed:close cost:cost paid:pay sold:sell won:win grew:grow went:go left:leave met:meet
stood:stand held:hold became:become started:start ended:end moved:move needed:need required:require contained:contain
received:receive produced:produce measured:measure spent:spend weighed:weigh carried:carry offered:offer planned:plan"""
_THIRD = {"have": "has"}


def _third(base: str) -> str:
    if base in _THIRD:
        return _THIRD[base]
    if base.endswith(("s", "x", "ch", "sh", "o")):
        return base + "es"
    return base[:-1] + "ies" if base.endswith("y") and base[-2] not in "aeiou" else base + "s"


def _read() -> dict[str, Verb]:
    verbs = {}
    for row in _VERBS.strip().splitlines():
        base, flags, ask, key = row.split("|")
        noun, _, needs = flags.partition(">")
        asked = "" if base in ("have", "take", "last") else ask
        verbs[base] = Verb(_third(base), asked, key, needs, bool(noun))
    for word in _PLAIN.split():
        base, _, flag = word.partition("-")
        verbs.setdefault(base, Verb(_third(base), "", "", "", bool(flag)))
    for base in _TRANSITIVE:
        if not verbs[base].ask and not verbs[base].needs:
            verbs[base] = replace(verbs[base], ask=f"What {{do}} {{S}} {base}?", key=f"{base}: what")
    return verbs


VERBS = _read()
# surface form -> base and whether it is the plural form
VERB_FORMS = {verb.third: (base, False) for base, verb in VERBS.items()} | {base: (base, True) for base in VERBS}
PAST_FORMS = dict(pair.split(":") for pair in _PAST.split())
