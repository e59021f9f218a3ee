"""What a statement has only from the prompt or the assistant is an echo; what the person adds to it is none."""

from tests.recollect.formation.probing import Probe, judged, probes
from tests.tables import table

from recollect.formation.verification import Believed

ECHOES = probes(
    """
    Keeps three alpacas in Moffat | how much hay per day in winter | Keeps alpacas in Moffat and buys hay for winter | how much hay per day in winter
    Works as a tram driver in Graz | write a limerick about trams | Drives a tram in Graz for a living | a limerick about trams
    Spielt Fagott im Laienorchester | Wie reinige ich so ein Rohrblatt am besten? | Spielt Fagott und reinigt das Rohrblatt | Wie reinige ich so ein Rohrblatt
    Hat eine Katze namens Pünktchen | super danke, und was kostet so ein Kratzbaum | Hat eine Katze, Pünktchen, und will einen Kratzbaum | was kostet so ein Kratzbaum
    Habite à Quimper avec deux colocataires | quelle heure est-il à Tokyo | Vit en colocation à Quimper | quelle heure est-il à Tokyo
    Apprend le finnois | traduis « merci » en finnois stp | Étudie le finnois et veut parler la langue | en finnois
    Es alérgica a los cacahuetes | ¿qué tal una receta de galletas? | Alérgica a los cacahuetes, hace galletas | una receta de galletas
    Trabaja de noche en un hospital de Gijón | vale, gracias. otra idea? | Trabaja de noche en el hospital | vale, gracias
    Suona il violoncello da dieci anni | come si pulisce un archetto? | Pulisce l'archetto del suo violoncello | come si pulisce un archetto
    Tem um barco em Cascais | qual a melhor cera para polir casco? | Tem um barco em Cascais e quer polir o casco | qual a melhor cera para polir casco
    Woont in een woonboot in Leiden | hoe isoleer je een raam | Isoleert de ramen van de woonboot in Leiden | hoe isoleer je een raam
    Разводит пчёл под Тулой | какой инструмент нужен зимой? | Держит пчёл под Тулой и покупает инструмент | какой инструмент нужен зимой
    Учит грузинский язык | переведи «спасибо» на грузинский | Изучает грузинский язык с репетитором | на грузинский
    在南京开了一家面馆 | 帮我写个关于面条的笑话 | 在南京经营面馆，喜欢面条 | 关于面条的笑话
    养了一只叫豆豆的柴犬 | 狗一天遛几次合适呢 | 养柴犬豆豆，每天遛狗 | 狗一天遛几次合适呢
    札幌でパン屋を営んでいる | パンの発酵は何度がいいですか | 札幌のパン屋でパンを発酵させている | パンの発酵は何度がいいですか
    茶道を習っている | ありがとう、他には？ | 茶道の稽古に通っている | ありがとう、他には
    Gra na klarnecie w orkiestrze | jak wyczyścić ustnik? | Gra na klarnecie i czyści ustnik | jak wyczyścić ustnik
    Runs a pottery studio in Totnes | lovely, thank you so much | Has a pottery studio in Totnes | lovely, thank you so much
    Is left-handed | which scissors should I get | Is left-handed and is buying scissors | which scissors should I get
    Sammelt alte Landkarten | erklär mir bitte wie man papier glättet | Sammelt Landkarten aus altem Papier | wie man papier glättet
    Plays chess at a club in Perth | explain the Najdorf in two lines | Plays the Najdorf at a chess club in Perth | explain the Najdorf
    """
)

OWN = probes(
    """
    Wife Moira is a veterinary nurse | she got promoted yesterday!! head nurse at the clinic | Wife Moira was promoted to head nurse | she got promoted yesterday!! head nurse at the clinic
    Has a dog named Biscuit | he broke his leg on the stairs | Biscuit the dog broke his leg | he broke his leg on the stairs
    Lives in Graz | I live in Graz and drive a tram there | Drives a tram in Graz | I live in Graz and drive a tram there
    Is vegetarian | since I'm vegetarian, what do I bring to the barbecue? | Is vegetarian | since I'm vegetarian
    Spielt Fagott im Laienorchester | mein Fagott hat jetzt einen Riss, was kostet das? | Das Fagott hat einen Riss | mein Fagott hat jetzt einen Riss
    Hat eine Katze namens Pünktchen | sie ist gestern Mutter geworden, vier Kleine | Die Katze Pünktchen hat vier Junge bekommen | sie ist gestern Mutter geworden, vier Kleine
    Habite à Quimper avec deux colocataires | un de mes colocataires déménage en mars | Un colocataire déménage en mars | un de mes colocataires déménage en mars
    Apprend le finnois | j'ai réussi mon examen de finnois, niveau B1 | A réussi l'examen de finnois de niveau B1 | j'ai réussi mon examen de finnois, niveau B1
    Es alérgica a los cacahuetes | me han dicho que la alergia se me ha pasado con el tratamiento | Ya no tiene alergia a los cacahuetes gracias al tratamiento | la alergia se me ha pasado con el tratamiento
    Suona il violoncello da dieci anni | ho venduto il violoncello ieri | Ha venduto il violoncello | ho venduto il violoncello ieri
    Tem um barco em Cascais | ele afundou na tempestade de ontem | O barco de Cascais afundou na tempestade | ele afundou na tempestade de ontem
    Woont in een woonboot in Leiden | de woonboot is verkocht, we gaan naar Gouda | De woonboot is verkocht en gaat naar Gouda | de woonboot is verkocht, we gaan naar Gouda
    Разводит пчёл под Тулой | этой зимой у меня погибли два улья | Зимой погибли два улья пчёл | этой зимой у меня погибли два улья
    Учит грузинский язык | я сдала экзамен по грузинскому! | Сдала экзамен по грузинскому языку | я сдала экзамен по грузинскому
    在南京开了一家面馆 | 面馆上个月转让出去了 | 南京的面馆上个月转让了 | 面馆上个月转让出去了
    养了一只叫豆豆的柴犬 | 它昨天做了绝育手术 | 柴犬豆豆做了绝育手术 | 它昨天做了绝育手术
    札幌でパン屋を営んでいる | 先月店を娘に譲りました | 札幌のパン屋を娘に譲った | 先月店を娘に譲りました
    茶道を習っている | 茶道は去年やめました | 茶道をやめた | 茶道は去年やめました
    Gra na klarnecie w orkiestrze | kupiłem nowy klarnet z drewna | Kupił nowy drewniany klarnet | kupiłem nowy klarnet z drewna
    Runs a pottery studio in Totnes | we're moving the studio to Dartington in May | Moves the pottery studio to Dartington in May | we're moving the studio to Dartington in May
    Is left-handed | could you find scissors for my son? he's left-handed like me | Son is left-handed | my son? he's left-handed like me
    Plays chess at a club in Perth | my favourite opening is the Najdorf | Favourite chess opening is the Najdorf | my favourite opening is the Najdorf
    """
)

FROM_THE_ASSISTANT = probes(
    """
    With your Fender Jazzmaster a heavier set is fine. | ok cool. where do I buy strings | Plays a Fender Jazzmaster | where do I buy strings
    As a nurse on nights you should sleep at noon. | haha ok | Is a nurse on night shifts | haha ok
    Für Ihre Ölheizung in Celle gibt es Zuschüsse. | aha. wie hoch sind die denn? | Hat eine Ölheizung in Celle | wie hoch sind die denn
    Comme vous avez un potager à Vannes, plantez en mai. | d'accord, merci beaucoup | A un potager à Vannes | d'accord, merci beaucoup
    Con tu moto Guzzi es mejor la autopista. | ¿y cuánto se tarda? | Tiene una moto Guzzi | y cuánto se tarda
    У вас ведь такса, им нельзя прыгать. | понятно, а что с кормом? | Держит таксу | а что с кормом
    既然你在厦门，可以坐轮渡。 | 好的，那几点开船 | 住在厦门 | 那几点开船
    ご自宅のピアノなら年に一度の調律を。 | なるほど、いくらくらい？ | 自宅にピアノがある | いくらくらい
    """
)

FROM_ONESELF = probes(
    """
    You could take the Bosch or the Siemens one. | I'll take the second one then | Chose the Siemens | I'll take the second one then
    Do you play an electric guitar? | I play the oboe, not guitar | Plays the oboe | I play the oboe
    Für Ölheizungen gibt es Zuschüsse. | Wir heizen mit Öl, Baujahr 1994 | Heizt mit Öl, Heizung von 1994 | Wir heizen mit Öl, Baujahr 1994
    Plantez en mai si vous avez un potager. | j'en ai un à Vannes, 200 m² | A un potager de 200 m² à Vannes | j'en ai un à Vannes, 200 m²
    Las motos Guzzi gastan poco. | yo tengo una desde 2019 | Tiene una moto Guzzi desde 2019 | yo tengo una desde 2019
    Таксам нельзя прыгать. | у меня такса, ей семь лет | Держит семилетнюю таксу | у меня такса, ей семь лет
    厦门可以坐轮渡。 | 我就住在厦门鼓浪屿 | 住在厦门鼓浪屿 | 我就住在厦门鼓浪屿
    ピアノは年に一度の調律を。 | うちにもピアノがあります | 自宅にピアノがある | うちにもピアノがあります
    """
)


@table("probe", ECHOES)
def test_what_only_the_prompt_says_is_an_echo(probe: Probe) -> None:
    line, said, content, evidence = probe

    assert not isinstance(judged(said, content, evidence, injected=line), Believed)


@table("probe", OWN)
def test_what_the_person_says_of_what_is_known_is_their_own(probe: Probe) -> None:
    line, said, content, evidence = probe

    assert isinstance(judged(said, content, evidence, injected=line), Believed)


@table("probe", FROM_THE_ASSISTANT)
def test_what_only_the_assistant_says_is_not_believed(probe: Probe) -> None:
    line, said, content, evidence = probe

    assert not isinstance(judged(said, content, evidence, assistant=line), Believed)
    assert not isinstance(judged(said, content, evidence, reply=line), Believed)


@table("probe", FROM_ONESELF)
def test_what_the_person_answers_the_assistant_is_their_own(probe: Probe) -> None:
    line, said, content, evidence = probe

    assert isinstance(judged(said, content, evidence, assistant=line), Believed)
