"""What becomes of a known statement by a new one, when a model says something of the two: probes, a line each."""

REPLACED = (
    (
        "repeats",
        "Cycles to the office on Thursdays",
        "Cycles to the office on Mondays",
        "moved my office day to Thursday",
    ),
    (
        "repeats",
        "Has the piano lesson at the Kastle studio",
        "Has the piano lesson at the Brandt studio",
        "we switched studios, I go to Kastle instead of Brandt",
    ),
    ("repeats", "Isst keinen Käse", "Isst Käse", "Käse esse ich nicht mehr"),
    (
        "repeats",
        "Trinkt zum Frühstück Kakao",
        "Trinkt zum Frühstück Kaffee",
        "bin vom Kaffee auf Kakao umgestiegen",
    ),
    ("repeats", "Joue au badminton le samedi", "Joue au badminton le mardi", "maintenant c'est le samedi"),
    (
        "repeats",
        "Prend le tram pour aller au lycée",
        "Prend le bus pour aller au lycée",
        "je prends le tram au lieu du bus",
    ),
    (
        "repeats",
        "Trabaja en turno de noche",
        "Trabaja en turno de mañana",
        "ya no voy de mañana, ahora hago noches",
    ),
    ("repeats", "Paga 61 euros al mes de luz", "Paga 48 euros al mes de luz", "ahora me cobran 61 al mes"),
    ("repeats", "La riunione è il giovedì", "La riunione è il lunedì", "l'hanno spostata, ora è giovedì"),
    ("repeats", "Nada às quintas", "Nada às terças", "agora nado às quintas"),
    (
        "repeats",
        "Speelt op vrijdag volleybal",
        "Speelt op dinsdag volleybal",
        "nu op vrijdag, niet meer op dinsdag",
    ),
    ("repeats", "Сыну девять лет", "Сыну восемь лет", "сыну девять лет"),
    ("repeats", "Не ест творог", "Ест творог", "творог больше не ем"),
    ("repeats", "早餐喝豆浆", "早餐喝咖啡", "早餐换成豆浆了，不喝咖啡"),
    ("repeats", "朝は紅茶を飲む", "朝はコーヒーを飲む", "朝はコーヒーをやめて紅茶にしました"),
    ("repeats", "Plays the lute", "Is learning to play the lute", "I play the lute now"),
)
"""The model's word, the new statement, the known one, the evidence of the new one."""
KEPT = (
    (
        "repeats",
        "Plays badminton on Saturdays",
        "Plays badminton on Tuesdays",
        "I play badminton on Saturdays",
    ),
    ("repeats", "Plays the lute", "Plays the harp", "I play the lute now"),
    ("repeats", "Has a cottage in Whitby", "Has a flat in Whitby", "our cottage in Whitby"),
    ("contradicts", "Nunca aprendió a nadar", "No sabe nadar", "nunca aprendí a nadar"),
    ("contradicts", "Hat nie schwimmen gelernt", "Kann nicht schwimmen", "hab nie schwimmen gelernt"),
    (
        "contradicts",
        "Only eats cheese at weekends",
        "Doesn't eat cheese on working days",
        "I only have cheese at weekends",
    ),
    ("contradicts", "Braucht 40 Minuten zur Uni", "Hat 40 Minuten Weg zur Uni", "brauch 40 minuten zur uni"),
    ("contradicts", "Est née à Quimper", "Habite à Lorient", "je suis née à Quimper"),
    ("contradicts", "Родилась в Омске", "Живёт в Туле", "я родилась в Омске"),
    ("refines", "Has a second tortoise called Otto", "Has a tortoise", "we got a second tortoise, Otto"),
    ("refines", "Ha un altro furgone, bianco", "Ha un furgone", "ho preso un altro furgone, bianco"),
    (
        "refines",
        "Works out in the gym at Kelham Island",
        "Works for a small publisher",
        "I work out at Kelham Island",
    ),
    ("repeats", "Племянник старше на девять лет", "Племянник старше на два года", "он старше на девять лет"),
    ("refines", "养了另一只鹦鹉", "养了一只鹦鹉", "又养了另一只鹦鹉"),
    ("repeats", "Is going to sell the van", "Sold the van", "I'm going to sell the van"),
)
