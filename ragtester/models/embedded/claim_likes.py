"""Tables of words: which exclude one another, which say the opposite, which say about the same."""

from __future__ import annotations

# Words of which one excludes the others: another weekday is another fact.
EXCLUDING = """
monday tuesday wednesday thursday friday saturday sunday |
january february march april may june july august september october november december |
montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags freitags samstags
sonntags |
januar februar märz april mai juni juli august september oktober november dezember |
lundi mardi mercredi jeudi vendredi samedi dimanche |
janvier février mars avril mai juin juillet août septembre octobre novembre décembre |
lunes martes miércoles jueves viernes sábado domingo |
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre |
lunedì martedì mercoledì giovedì venerdì sabato domenica |
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre |
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag |
segunda terça quarta quinta sexta sábado domingo |
red green blue yellow black white orange brown purple pink grey | rot grün blau gelb schwarz weiß orange braun grau |
rouge vert bleu jaune noir blanc gris | rojo verde azul amarillo negro blanco gris |
spring summer autumn winter | frühling sommer herbst winter | north south east west | nord süd ost west |
first second third fourth fifth sixth | daily weekly monthly yearly quarterly annually |
täglich wöchentlich monatlich jährlich vierteljährlich | steel aluminium plastic wood brass copper
"""
MORE_OPPOSITES = """
outward inward | outside in inside | außerhalb innerhalb in | mandatory optional | enabled off | activated off |
disabled on | deactivated on | minimum maximum | lowest highest | smallest largest | shortest longest | slowest
fastest | shorter longer | lighter heavier | earlier later | succeed precede | free chargeable | heat cool | gain lose
| welcome unwelcome banned | male female | hoch niedrig gering | hohe niedrige geringe | höher niedriger tiefer |
länger kürzer | schneller langsamer | kalt warm heiß | trocken nass feucht | voll leer | hinten vorne vorn | innen
außen | vorher nachher | aktiviert deaktiviert | eingeschaltet ausgeschaltet | links rechts | steigen sinken fallen |
öffnet schließt | erster letzter | früher später | geöffnet geschlossen | ouverts fermés | haut bas | chaud froid |
allumé éteint | activé désactivé | inclus exclu | supérieur inférieur | dessus dessous | premier dernier | abierto
cerrado | alto bajo | frío caliente | encendido apagado | primero último | aperto chiuso | prima dopo | caldo freddo |
acceso spento | obbligatorio facoltativo | obligatoire facultatif | obligatorio opcional | verpflichtend freiwillig |
open gesloten dicht | voor na | warm koud | aan uit | links rechts | aberto fechado | antes depois | quente frio |
открыт закрыт | до после | выше ниже
"""
LIKE = """
hire rent | last final | delete remove erase | keep store retain | receive get obtain | employee staff worker | begin
start commence | end finish | cost price | need require | buy purchase | permit allow | show display | repair fix mend
| clean wash | replace exchange swap substitute change | pick collect fetch | refund reimburse repay | lamp light bulb
| switch turn | illness sickness sick disease | certificate attestation | contain hold include comprise | older age |
refill top replenish | enable activate switch turn | disable deactivate switch turn | error fault malfunction | device
unit appliance | deliver supply | operate run | weekly week | monthly month | yearly annual year annually | kosten
preis | benutzen verwenden nutzen gebrauchen | ersetzen austauschen wechseln erneuern | beginnen starten anfangen |
enden aufhören | reinigen säubern putzen | enthalten beinhalten umfassen | bezahlen zahlen | kostenlos umsonst gratis
unentgeltlich | gerät apparat | fehler störung defekt | erlaubt gestattet zulässig | aufstellen stehen | erhalten
bekommen | fahren reisen | gratuit gratuitement | commencer débuter | coûter prix | utiliser employer | usar utilizar
| costar precio | empezar comenzar |
doctor physician | phone telephone | car vehicle automobile | bike bicycle | child kid | guest visitor | customer client
| shop store | building house | fee charge price cost | salary wage pay | reply respond answer | send ship dispatch |
close shut | broken damaged defective faulty | throw discard dispose | attach fasten | choose select pick |
ask request |
tell inform notify | leave depart | road street | trip journey | large big | small little | quick fast rapid | holiday
vacation | attend participate | hurt harm injure | maximum most | minimum least | approximately roughly about around |
auto fahrzeug wagen pkw | laden geschäft | schließen zumachen | wohnung appartement | reservieren buchen | abgeben
zurückgeben | gebühr preis kosten entgelt | informieren melden mitteilen benachrichtigen | handy mobiltelefon telefon |
benötigen brauchen | notwendig erforderlich nötig | mitarbeiter angestellte beschäftigte | urlaub ferien | kaputt defekt
beschädigt | ungefähr etwa rund | betreten hineingehen | prix tarif coût | voiture véhicule | médecin docteur |
nécessaire
requis obligatoire | démarrer commencer | envoyer expédier | magasin boutique | coche auto vehículo | precio coste
tarifa |
médico doctor | iniciar comenzar empezar | tienda comercio | enviar mandar | prezzo costo tariffa | gratis gratuito |
auto macchina veicolo | iniziare cominciare | kosten prijs tarief | gratis kosteloos | auto wagen voertuig | beginnen
starten
"""

# English adjectives with their opposites; -er and -est are made.
ADJECTIVES = """
loud quiet | coarse fine | thick thin | rough smooth | strong weak | heavy light | young old new | near far | deep
shallow | narrow wide | hard soft | big small | large small | bright dark | clean dirty | rich poor | tight loose |
sharp blunt | high low | long short | fast slow | warm cold | hot cold | early late | cheap dear | easy hard difficult
| safe unsafe
"""
