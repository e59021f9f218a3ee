"""What evidence does not say, though it has the same words: numbers, the opposite, what is supposed, what others do."""

import pytest
from tests.recollect.formation.probing import Probe, judged, probes
from tests.tables import table

from recollect.formation.reading import Reading
from recollect.formation.verification import Believed, verify
from recollect.model import Candidate, Kind

INVENTED_NUMBERS = probes(
    """
    we have a few hens | Has 6 hens | we have a few hens
    my kids are at school now | Has two kids aged 7 and 9 | my kids are at school now
    ich fahre oft mit dem Rad | Fährt 30 km in der Woche Rad | ich fahre oft mit dem Rad
    unser Haus ist ziemlich alt | Das Haus ist von 1912 | unser Haus ist ziemlich alt
    je cours plusieurs fois par semaine | Court 4 fois par semaine | je cours plusieurs fois par semaine
    tengo varios hermanos | Tiene 5 hermanos | tengo varios hermanos
    lavoro qui da un bel po' | Lavora qui da 8 anni | lavoro qui da un bel po'
    minha filha é pequena ainda | A filha tem 3 anos | minha filha é pequena ainda
    mijn salaris is wat omhoog gegaan | Verdient 3200 euro | mijn salaris is wat omhoog gegaan
    у меня много кактусов | Держит 40 кактусов | у меня много кактусов
    我每天跑步 | 每天跑步5公里 | 我每天跑步
    毎朝コーヒーを飲みます | 毎朝コーヒーを3杯飲む | 毎朝コーヒーを飲みます
    """
)
SAID_NUMBERS = probes(
    """
    we have six hens | Has 6 hens | we have six hens
    I turn 40 in June | Turns 40 in June 2026 | I turn 40 in June
    my flight is tomorrow | Flies on 11 May 2026 | my flight is tomorrow
    I was born in 1990 | Is 36 years old, born in 1990 | I was born in 1990
    seit drei Jahren wohne ich hier | Wohnt seit 2023 hier | seit drei Jahren wohne ich hier
    nächsten Freitag habe ich Prüfung | Prüfung am 15. Mai 2026 | nächsten Freitag habe ich Prüfung
    je cours quatre fois par semaine | Court 4 fois par semaine | je cours quatre fois par semaine
    tengo una docena de gallinas | Tiene 12 gallinas | tengo una docena de gallinas
    mio figlio compie otto anni a luglio | Il figlio compie 8 anni a luglio | mio figlio compie otto anni a luglio
    a reunião é às três da tarde | Reunião às 15h | a reunião é às três da tarde
    ik verdien 3.200 euro | Verdient 3200 euro | ik verdien 3.200 euro
    у меня сорок кактусов | Держит 40 кактусов | у меня сорок кактусов
    我每天跑五公里 | 每天跑步5公里 | 我每天跑五公里
    毎朝コーヒーを三杯飲みます | 毎朝コーヒーを3杯飲む | 毎朝コーヒーを三杯飲みます
    we've got twins | Has 2 children, twins | we've got twins
    half a dozen eggs a week is what I eat | Eats 6 eggs a week | half a dozen eggs a week is what I eat
    my rent went up by 100 to 850 | Rent is 850, was 750 before | my rent went up by 100 to 850
    I use a Pixel 8 | Uses a Pixel 8 phone | I use a Pixel 8
    """
)
TURNED_ROUND = probes(
    """
    I don't eat pork but lamb is fine | Eats pork but not lamb | I don't eat pork but lamb is fine
    we never had a cat | Had a cat | we never had a cat
    ich trinke keinen Kaffee, nur Tee | Trinkt Kaffee | ich trinke keinen Kaffee, nur Tee
    ich hab keinen Führerschein | Hat einen Führerschein | ich hab keinen Führerschein
    je ne fume pas | Fume | je ne fume pas
    je mange du poisson | Ne mange pas de poisson | je mange du poisson
    no tengo hijos | Tiene hijos | no tengo hijos
    non bevo vino ma la birra sì | Beve vino ma non birra | non bevo vino ma la birra sì
    não tenho carro | Tem carro | não tenho carro
    ik heb geen broers | Heeft broers | ik heb geen broers
    我不吃辣 | 吃辣 | 我不吃辣
    車は持っていません | 車を持っている | 車は持っていません
    """
)
NOT_SEEN = probes(
    """
    I can't stand jazz | Enjoys jazz | I can't stand jazz
    nie jem mięsa | Je mięso | nie jem mięsa
    я не ем рыбу | Ест рыбу | я не ем рыбу
    """
)
AS_SAID = probes(
    """
    I don't eat pork but lamb is fine | Eats lamb, no pork | I don't eat pork but lamb is fine
    I can't stand jazz | Does not like jazz | I can't stand jazz
    I'm allergic to walnuts | Must not eat walnuts | I'm allergic to walnuts
    I quit smoking last year | No longer smokes | I quit smoking last year
    I gave up alcohol | Does not drink alcohol | I gave up alcohol
    not only do I ski, I also skate | Skis and skates | not only do I ski, I also skate
    I can't live without coffee | Loves coffee | I can't live without coffee
    don't forget I have a dog | Has a dog | I have a dog
    ich trinke keinen Kaffee, nur Tee | Trinkt nur Tee, keinen Kaffee | ich trinke keinen Kaffee, nur Tee
    ich wohne nicht mehr in Ulm | Wohnt nicht mehr in Ulm | ich wohne nicht mehr in Ulm
    je ne bois que de l'eau | Boit uniquement de l'eau | je ne bois que de l'eau
    j'ai arrêté de fumer | Ne fume plus | j'ai arrêté de fumer
    no tengo más que una hermana | Tiene una hermana | no tengo más que una hermana
    soy vegana | No come carne ni lácteos | soy vegana
    ik heb geen broers, wel een zus | Heeft een zus en geen broers | ik heb geen broers, wel een zus
    я больше не курю | Бросил курить | я больше не курю
    我不吃辣 | 不能吃辣 | 我不吃辣
    我离不开咖啡 | 爱喝咖啡 | 我离不开咖啡
    肉は食べません | 肉を食べない | 肉は食べません
    seit nem lauten Konzert pfeift mein Ohr | Hat seit einem lauten Konzert Ohrgeräusche | seit nem lauten Konzert pfeift mein Ohr
    I have no idea why my knee hurts | Has knee pain | my knee hurts
    """
)
SUPPOSED = probes(
    """
    if I were a pilot, how much would I earn? | Is a pilot | if I were a pilot
    if I had a garden I'd grow beans | Has a garden and grows beans | I had a garden I'd grow beans
    suppose I lived in Oslo, what tax would I pay | Lives in Oslo | I lived in Oslo
    let's say my dog weighs 20 kg. dose? | Dog weighs 20 kg | my dog weighs 20 kg
    imagine my boss quits, who takes over | Boss quits | my boss quits
    can I assume my dog weighs 20 kg | Dog weighs 20 kg | my dog weighs 20 kg
    załóżmy i wyobraź sobie, że mam psa | Ma psa | mam psa
    to bardzo proste i załóżmy mam psa | Ma psa | mam psa
    wenn ich in Bonn wohnen würde, wie lange bräuchte ich? | Wohnt in Bonn | ich in Bonn wohnen würde
    wäre ich Beamter, hätte ich dann Beihilfe? | Ist Beamter | wäre ich Beamter
    angenommen ich kündige im Mai | Kündigt im Mai | ich kündige im Mai
    si j'avais une piscine, il me faudrait du chlore | A une piscine | j'avais une piscine
    imaginons que je vende la maison | Vend la maison | je vende la maison
    si tuviera un gato, ¿qué arena usaría? | Tiene un gato | si tuviera un gato
    supongamos que vivo en Lima | Vive en Lima | vivo en Lima
    se avessi un cane lo porterei al mare | Ha un cane | se avessi un cane
    se eu fosse médico ganhava mais | É médico | se eu fosse médico
    als ik in Gent zou wonen, was het makkelijker | Woont in Gent | ik in Gent zou wonen
    gdybym miał psa, biegałbym rano | Ma psa | gdybym miał psa
    если бы я жил в Сочи, купался бы каждый день | Живёт в Сочи | я жил в Сочи
    допустим, у меня двое детей | Имеет двоих детей | у меня двое детей
    如果我是老师，一个月能拿多少 | 是老师 | 如果我是老师
    もし犬を飼っていたら、毎日散歩しますよね | 犬を飼っている | 犬を飼っていたら
    """
)
SUPPOSED_BEHIND_A_COMMA = probes(
    """
    imagine, I have a parrot | Has a parrot | I have a parrot
    suppose, for a moment, I have a parrot | Has a parrot | I have a parrot
    suppose, for the sake of argument, that I live in Oslo | Lives in Oslo | I live in Oslo
    what if, say, I live in Oslo | Lives in Oslo | I live in Oslo
    ok, let's say, I have a parrot | Has a parrot | I have a parrot
    hypothetically: I have a parrot. what do I feed it | Has a parrot | I have a parrot
    picture this: I have a parrot | Has a parrot | I have a parrot
    stell dir vor, ich habe einen Hund | Hat einen Hund | ich habe einen Hund
    noch etwas - stell dir vor, ich habe einen Hund | Hat einen Hund | ich habe einen Hund
    stell dir mal vor, dass ich einen Hund habe | Hat einen Hund | ich einen Hund habe
    stellt euch vor, ich habe einen Hund | Hat einen Hund | ich habe einen Hund
    also angenommen, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    das ist leicht, angenommen, dass ich in Ulm wohne | Wohnt in Ulm | ich in Ulm wohne
    nehmen wir mal an, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    nimm mal an, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    gesetzt den Fall, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    sagen wir mal, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    imagine que j'ai un âne | A un âne | j'ai un âne
    imaginons, j'ai un âne | A un âne | j'ai un âne
    supposons, j'habite à Lille | Habite à Lille | j'habite à Lille
    supposons, par exemple, que j'habite à Lille | Habite à Lille | j'habite à Lille
    mettons que j'habite à Lille | Habite à Lille | j'habite à Lille
    disons qu'on habite à Lille | Habite à Lille | on habite à Lille
    imagina, tengo un loro | Tiene un loro | tengo un loro
    supongamos, por ejemplo, que vivo en Lima | Vive en Lima | vivo en Lima
    immagina, ho un asino | Ha un asino | ho un asino
    supponiamo, per esempio, che vivo a Pisa | Vive a Pisa | vivo a Pisa
    imagina, tenho um burro | Tem um burro | tenho um burro
    suponhamos, por exemplo, que moro em Faro | Mora em Faro | moro em Faro
    stel je voor, ik heb een ezel | Heeft een ezel | ik heb een ezel
    stel, ik woon in Gent | Woont in Gent | ik woon in Gent
    stel, dat ik in Gent woon | Woont in Gent | ik in Gent woon
    laten we zeggen, ik woon in Gent | Woont in Gent | ik woon in Gent
    załóżmy, że mam psa, ile kosztuje karma? | Ma psa | mam psa
    przypuśćmy, mieszkam w Gdyni | Mieszka w Gdyni | mieszkam w Gdyni
    to bardzo proste, wyobraźmy sobie, że mam psa | Ma psa | mam psa
    допустим, у меня есть осёл | Есть осёл | у меня есть осёл
    представь, что у меня есть осёл | Есть осёл | у меня есть осёл
    представь себе, у меня есть осёл | Есть осёл | у меня есть осёл
    представь на минутку, что у меня есть осёл | Есть осёл | у меня есть осёл
    скажем, я живу в Сочи | Живёт в Сочи | я живу в Сочи
    假设，我有一只狗 | 有一只狗 | 我有一只狗
    那么假设，我有一只狗 | 有一只狗 | 我有一只狗
    仮に、犬を飼っているとする | 犬を飼っている | 犬を飼っている
    """
)
SAID_BESIDE_A_SUPPOSITION = probes(
    """
    imagine that it rains, but I live in Oslo | Lives in Oslo | I live in Oslo
    suppose, for a moment, it rains, I live in Oslo | Lives in Oslo | I live in Oslo
    as you can imagine, I have a parrot | Has a parrot | I have a parrot
    we have a big house, let's say, and I walk to work | Walks to work | I walk to work
    we earn enough let's say, and I live in Oslo | Lives in Oslo | I live in Oslo
    imagine, what a day: I have a parrot | Has a parrot | I have a parrot
    stell dir vor, es regnet, aber ich habe einen Hund | Hat einen Hund | ich habe einen Hund
    angenommen, es regnet, ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    wir sind verheiratet, stell dir vor, und ich wohne in Ulm | Wohnt in Ulm | ich wohne in Ulm
    ich wurde in Ulm angenommen, ich wohne jetzt in Ulm | Wohnt in Ulm | ich wohne jetzt in Ulm
    supposons, il pleut, mais j'habite à Lille | Habite à Lille | j'habite à Lille
    je suis marié, imagine, et j'habite à Lille | Habite à Lille | j'habite à Lille
    nous ne mettons que du beurre et j'habite à Lille | Habite à Lille | j'habite à Lille
    supongamos, llueve, pero vivo en Lima | Vive en Lima | vivo en Lima
    estoy casado, imagínate, y vivo en Lima | Vive en Lima | vivo en Lima
    immagina, piove, ma vivo a Pisa | Vive a Pisa | vivo a Pisa
    imagina, chove, mas moro em Faro | Mora em Faro | moro em Faro
    stel je voor, het regent, maar ik woon in Gent | Woont in Gent | ik woon in Gent
    wij zijn een stel, ik woon in Gent | Woont in Gent | ik woon in Gent
    załóżmy, że pada, ale ja mieszkam w Krakowie | Mieszka w Krakowie | mieszkam w Krakowie
    jestem po ślubie, wyobraź sobie, i mieszkam w Krakowie | Mieszka w Krakowie | mieszkam w Krakowie
    представь, что идёт дождь, но я живу в Сочи | Живёт в Сочи | я живу в Сочи
    я женат, представь себе, и живу в Сочи | Живёт в Сочи | живу в Сочи
    假设，下雨，我有一只狗 | 有一只狗 | 我有一只狗
    仮に、雨とする、犬を飼っている | 犬を飼っている | 犬を飼っている
    """
)
REAL = probes(
    """
    if I eat walnuts my lips swell up | Lips swell up from eating walnuts | if I eat walnuts my lips swell up
    when it rains I take the bus | Takes the bus when it rains | when it rains I take the bus
    if it rains I cycle anyway | Cycles even if it rains | if it rains I cycle anyway
    I would love to live in Oslo one day | Would love to live in Oslo | I would love to live in Oslo one day
    I'd like a garden if we ever move | Would like a garden | I'd like a garden if we ever move
    I'm a pilot, so if I were late we'd all be | Is a pilot | I'm a pilot
    wenn ich Nüsse esse, juckt mir der Hals | Der Hals juckt von Nüssen | wenn ich Nüsse esse, juckt mir der Hals
    ich hätte gern einen Hund, darf aber nicht | Hätte gern einen Hund | ich hätte gern einen Hund
    ich bin Beamter, wäre das ein Problem? | Ist Beamter | ich bin Beamter
    quand j'étais petite j'habitais à Lyon | A habité à Lyon enfant | quand j'étais petite j'habitais à Lyon
    si je bois du lait j'ai mal au ventre | A mal au ventre avec le lait | si je bois du lait j'ai mal au ventre
    me gustaría aprender alemán | Le gustaría aprender alemán | me gustaría aprender alemán
    si como gluten me pongo malo | El gluten le pone malo | si como gluten me pongo malo
    vorrei un cane | Vorrebbe un cane | vorrei un cane
    se bebo café não durmo | Não dorme com café | se bebo café não durmo
    als ik drop eet krijg ik hoofdpijn | Krijgt hoofdpijn van drop | als ik drop eet krijg ik hoofdpijn
    если я ем мёд, у меня сыпь | От мёда сыпь | если я ем мёд, у меня сыпь
    я бы хотел жить в Сочи | Хотел бы жить в Сочи | я бы хотел жить в Сочи
    我是老师，如果下雨就坐地铁 | 是老师 | 我是老师
    I suppose I'm allergic to lupins too | Is allergic to lupins | I'm allergic to lupins too
    I assume you know I am vegan | Is vegan | I am vegan
    I can't imagine living without my dog Rex | Has a dog named Rex | living without my dog Rex
    je suppose que je suis allergique aux noix | Est allergique aux noix | je suis allergique aux noix
    dime si para mi alergia al gluten hay pan | Tiene alergia al gluten | mi alergia al gluten hay pan
    no sé si Clara viene a mi boda en mayo | Se casa en mayo | mi boda en mayo
    mi perro se llama Rossi y es un galgo | Tiene un galgo que se llama Rossi | mi perro se llama Rossi y es un galgo
    il mio vicino si chiama Rossi, se Rossi viene porto il cane | Ha un cane | porto il cane
    犬を飼っています。もし雨なら散歩は休みます | 犬を飼っている | 犬を飼っています
    """
)
ANOTHERS = probes(
    """
    my neighbour Ted owns a tractor | Owns a tractor | my neighbour Ted owns a tractor
    my boss runs marathons, crazy | Runs marathons | runs marathons
    my sister lives in Bergen. I visit her often | Lives in Bergen | lives in Bergen
    my friend is a vegan, what do I cook | Is vegan | is a vegan
    mein Bruder spielt Horn im Orchester | Spielt Horn im Orchester | spielt Horn im Orchester
    meine Chefin hat drei Katzen | Hat drei Katzen | hat drei Katzen
    mon oncle tient un bar à Brest | Tient un bar à Brest | tient un bar à Brest
    ma voisine est allergique au pollen | Est allergique au pollen | est allergique au pollen
    mi primo trabaja en la NASA | Trabaja en la NASA | trabaja en la NASA
    mia nonna ha novant'anni | Ha novant'anni | ha novant'anni
    meu chefe mora no Porto | Mora no Porto | mora no Porto
    mijn buurman heeft een zeilboot | Heeft een zeilboot | heeft een zeilboot
    моя сестра живёт в Казани | Живёт в Казани | живёт в Казани
    我同事在学法语 | 在学法语 | 在学法语
    同僚はギターを弾きます | ギターを弾く | ギターを弾きます
    I like tea. my neighbour Ted owns a tractor | Owns a tractor | I ... owns a tractor
    """
)
THE_PERSONS = probes(
    """
    my neighbour Ted owns a tractor | Neighbour Ted owns a tractor | my neighbour Ted owns a tractor
    my boss runs marathons and I do too | Runs marathons | my boss runs marathons and I do too
    my sister and I live in Bergen | Lives in Bergen | my sister and I live in Bergen
    my knee hurts when I run | Has knee pain when running | my knee hurts when I run
    my car is a Fiat Panda | Drives a Fiat Panda | my car is a Fiat Panda
    my job is in Bergen | Works in Bergen | my job is in Bergen
    I live with my brother in Leeds | Lives in Leeds with the brother | I live with my brother in Leeds
    meine Frau und ich wohnen in Ulm | Wohnt in Ulm | meine Frau und ich wohnen in Ulm
    meine Chefin hat mich befördert, ich leite jetzt das Labor | Leitet das Labor | ich leite jetzt das Labor
    mon père m'a appris à pêcher la truite | A appris à pêcher la truite avec son père | mon père m'a appris à pêcher la truite
    mi hermana me regaló una bici eléctrica | Tiene una bici eléctrica, regalo de la hermana | mi hermana me regaló una bici eléctrica
    mia moglie è incinta | La moglie è incinta | mia moglie è incinta
    meu marido e eu temos um café | Tem um café com o marido | meu marido e eu temos um café
    моя машина — Лада | Ездит на Ладе | моя машина — Лада
    我妈妈是医生，我也是 | 妈妈是医生 | 我妈妈是医生
    妻と京都に住んでいます | 京都に住んでいる | 妻と京都に住んでいます
    my doctor says I have asthma | Has asthma | my doctor says I have asthma
    my landlord raised my rent to 900 | Rent is 900 | my landlord raised my rent to 900
    """
)


def is_believed(probe: Probe) -> bool:
    said, content, evidence = probe
    return isinstance(judged(said, content, evidence), Believed)


@table("probe", INVENTED_NUMBERS)
def test_a_number_that_nobody_said_is_invented(probe: Probe) -> None:
    assert not is_believed(probe)


@table("probe", SAID_NUMBERS)
def test_a_number_that_was_said_or_follows_from_what_was_is_kept(probe: Probe) -> None:
    assert is_believed(probe)


def test_a_number_is_read_however_much_was_said_in_a_later_turn() -> None:
    said, later = (
        Reading("I have three cats.", ()),
        Reading("We walked along the river and talked. " * 360, ()),
    )
    candidate = Candidate("Has 3 cats", Kind.FACT, 0.7, "I have three cats")

    [verdict] = verify([candidate], [said, later], minimum_importance=0.3)

    assert verdict == Believed(candidate, 0)


@table("probe", TURNED_ROUND)
def test_the_opposite_of_what_was_said_is_not_believed(probe: Probe) -> None:
    assert not is_believed(probe)


@pytest.mark.xfail(strict=True, reason="an idiom, or a verb whose forms have hardly a letter in common")
@pytest.mark.parametrize("probe", NOT_SEEN)
def test_the_opposite_in_other_words_is_not_seen(probe: Probe) -> None:
    assert not is_believed(probe)


@table("probe", AS_SAID)
def test_a_denial_said_otherwise_is_kept(probe: Probe) -> None:
    assert is_believed(probe)


@table("probe", SUPPOSED)
def test_what_is_only_supposed_is_not_believed(probe: Probe) -> None:
    assert not is_believed(probe)


@table("probe", SUPPOSED_BEHIND_A_COMMA)
def test_a_supposition_reaches_past_the_comma_of_its_own_opening(probe: Probe) -> None:
    assert not is_believed(probe)


@table("probe", SAID_BESIDE_A_SUPPOSITION)
def test_a_clause_of_its_own_beside_a_supposition_is_kept(probe: Probe) -> None:
    assert is_believed(probe)


@table("probe", REAL)
def test_a_condition_of_a_fact_and_a_wish_are_kept(probe: Probe) -> None:
    assert is_believed(probe)


@table("probe", ANOTHERS)
def test_what_another_does_is_not_the_persons(probe: Probe) -> None:
    assert not is_believed(probe)


@table("probe", THE_PERSONS)
def test_what_the_person_shares_or_says_of_another_is_kept(probe: Probe) -> None:
    assert is_believed(probe)
