"""Units of measurement: their spellings, and the factor to a base unit.

Factors are exact definitions of the SI brochure and of the international yard and pound agreement.
"""

from __future__ import annotations

from decimal import Decimal

# One line a base unit: base unit, then "factor spelling spelling ..." parted by "|". Symbols keep their case.
_TABLE = """
m: 1 m metre metres meter meters mètre mètres metro metros metri Metern 米 公尺 メートル 미터 м метр метров |
   1000 km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetros chilometri 公里 千米 км |
   0.01 cm centimetre centimetres centimeter centimeters zentimeter centimètres centímetros centimetri 厘米 см |
   0.001 mm millimetre millimetres millimeter millimeters millimètres milímetros millimetri 毫米 мм |
   0.000001 µm μm um micrometre micrometres micrometer micrometers micron microns mikrometer |
   0.000000001 nm nanometre nanometres nanometer nanometers | 0.0254 inch inches zoll pouces pulgadas pollici |
   0.3048 ft foot feet fuß | 0.9144 yd yard yards | 1609.344 mile miles mi | 1852 nmi
m2: 1 m² m2 sqm 平方米 | 0.0001 cm² cm2 | 0.000001 mm² mm2 | 1000000 km² km2 | 10000 ha hectare hectares hektar |
   0.09290304 ft² ft2 sqft
l: 1 l L litre litres liter liters litros litri 升 リットル л | 0.001 ml mL 毫升 |
   0.001 millilitre millilitres milliliter milliliters |
   0.01 cl | 0.1 dl | 1000 m³ m3 cbm | 0.001 cm³ cm3 cc | 3.785411784 gallon gallons gal
kg: 1 kg kilogram kilograms kilogramme kilogrammes kilogramm kilogramos chilogrammi kilo kilos 公斤 千克 キログラム кг |
   0.001 g gram grams gramme grammes gramm gramos grammi 克 グラム | 0.000001 mg milligram milligrams milligramm 毫克 |
   0.000000001 µg μg microgram micrograms | 1000 t tonne tonnes tonnen toneladas tonnellate 吨 |
   0.45359237 lb lbs pound pounds | 0.028349523125 oz ounce ounces
s: 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi 秒 초 секунд |
   0.001 ms millisecond milliseconds millisekunden | 0.000001 µs μs microsecond microseconds | 0.000000001 ns |
   60 min mins minute minutes minuten minuto minutos minuti 分 分钟 分間 분 минут |
   3600 h hr hrs hour hours stunde stunden std heure heures hora horas ora ore 小时 小時 時間 시간 часов часа |
   86400 day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen 天 日間 일 дней |
   604800 week weeks woche wochen semaine semaines semana semanas settimana settimane weken 周 週間 недель
month: 1 month months monat monate monaten mois mes meses mese mesi maand maanden 个月 か月 개월 месяцев |
   12 year years yr yrs jahr jahre jahren an ans année années año años ano anos anno anni jaar 年 年間 년 лет |
   120 decade decades | 1200 century centuries
°C: 1 °C ℃ celsius | 1 K kelvin
Pa: 1 Pa pascal | 1000 kPa | 1000000 MPa | 100 hPa mbar millibar | 100000 bar bars | 6894.757293168 psi |
   101325 atm
W: 1 W watt watts 瓦 ワット | 1000 kW kilowatt kilowatts 千瓦 | 1000000 MW megawatt megawatts | 0.001 mW milliwatt |
   1000000000 GW | 745.69987158227 hp horsepower | 735.49875 PS
J: 1 J joule joules | 1000 kJ | 1000000 MJ | 3600 Wh | 3600000 kWh | 3600000000 MWh | 4.184 cal | 4184 kcal
V: 1 V volt volts 伏 ボルト | 1000 kV | 0.001 mV millivolt millivolts
A: 1 A ampere amperes amp amps ampère ampères | 0.001 mA milliampere milliamps
Ah: 1 Ah | 0.001 mAh
Hz: 1 Hz hertz | 1000 kHz | 1000000 MHz | 1000000000 GHz
rpm: 1 rpm r/min U/min min-1
N: 1 N newton newtons | 1000 kN
Nm: 1 Nm N·m
m/s: 1 m/s | 0.27777777777777777778 km/h kph kmh | 0.44704 mph | 0.51444444444444444444 knot knots kn
B: 1 B byte bytes | 1000 kB KB kilobyte kilobytes | 1000000 MB megabyte megabytes | 1000000000 GB gigabyte gigabytes |
   1000000000000 TB terabyte terabytes | 1024 KiB | 1048576 MiB | 1073741824 GiB
bit/s: 1 bit/s bps | 1000 kbit/s kbps | 1000000 Mbit/s Mbps | 1000000000 Gbit/s Gbps
ohm: 1 Ω Ω ohm ohms | 1000 kΩ | 1000000 MΩ
deg: 1 ° degree degrees grad degré degrés grados gradi 度
dB: 1 dB dB(A) decibel decibels dezibel
lx: 1 lx lux
lm: 1 lm lumen lumens
px: 1 px pixel pixels
ppm: 1 ppm
dpi: 1 dpi
page: 1 page pages seite seiten página páginas 页 ページ
%: 1 % ％ percent pct prozent pourcent percento procent 퍼센트 | 0.1 ‰
EUR: 1 € EUR euro euros
USD: 1 $ USD US$ dollar dollars
GBP: 1 £ GBP
JPY: 1 ¥ JPY yen 円
CNY: 1 CNY RMB yuan 元
CHF: 1 CHF franken
INR: 1 ₹ INR rupee rupees
"""
MONEY = frozenset({"EUR", "USD", "GBP", "JPY", "CNY", "CHF", "INR"})


def _read() -> dict[str, tuple[str, Decimal]]:
    units: dict[str, tuple[str, Decimal]] = {}
    for line in _TABLE.replace("|\n  ", "|").strip().splitlines():
        base, _, rest = line.partition(": ")
        for group in rest.split("|"):
            factor, *spellings = group.split()
            units.update({spelling: (base, Decimal(factor)) for spelling in spellings})
    return units


_UNITS = _read()
_FOLDED = {spelling.casefold(): unit for spelling, unit in reversed(_UNITS.items()) if len(spelling) > 2}
SPELLINGS = tuple(sorted(_UNITS, key=lambda spelling: (-len(spelling), spelling)))


def to_base(value: Decimal, spelling: str) -> tuple[Decimal, str] | None:
    """A value in its base unit; None where the spelling is no unit. Temperatures come in °C."""
    if spelling.casefold().endswith(("°f", "℉", "fahrenheit")):
        return ((value - 32) * 5 / 9, "°C")
    if spelling.casefold().endswith(" celsius") or spelling == "° C":
        return (value, "°C")
    if spelling in ("K", "kelvin", "Kelvin"):
        return (value - Decimal("273.15"), "°C")
    found = _UNITS.get(spelling) or _FOLDED.get(spelling.casefold())
    return (value * found[1], found[0]) if found else None


PHRASES = {"per cent": "%", "pour cent": "%", "por ciento": "%", "por cento": "%", "per cento": "%"}
_DEGREES = ("°", "degrees", "degree", "deg", "Grad", "grad", "degrés", "grados", "gradi", "graus", "graden", "grader")
# Spellings of two words, which come before the single ones.
LONG_SPELLINGS = (
    "°F",
    "℉",
    "Fahrenheit",
    "° C",
    *PHRASES,
    *(f"{degrees} {scale}" for degrees in _DEGREES for scale in ("Celsius", "celsius", "Fahrenheit", "fahrenheit")),
)
