"""Requests to the memory as a whole, and texts that only sound like one, in fifteen languages."""

from pathlib import Path

from tests.requests_page import example, requests_page
from tests.support.tables import table, texts

from recollect.model import Asking
from recollect.text import read_table
from recollect.text.memory_requests import (
    LAST,
    LONGEST_MESSAGE,
    MemoryRequest,
    Request,
    read_memory_request,
    read_opening,
)

FORGETTING = {
    "en": [("Forget the second.", 2), ("Delete number 3 please", 3), ("Can you remove the last one?", LAST)],
    "de": [
        ("Vergiss das zweite.", 2),
        ("Kannst du Nummer 3 löschen?", 3),
        ("Lösch bitte den letzten Eintrag", LAST),
    ],
    "es": [("Olvida el segundo.", 2), ("Borra el número 3, por favor", 3), ("Elimina la última", LAST)],
    "fr": [("Oublie le deuxième.", 2), ("Efface le numéro 3 stp", 3), ("Supprime la dernière", LAST)],
    "it": [("Dimentica il secondo.", 2), ("Cancella il numero 3, grazie", 3), ("Elimina l'ultimo", LAST)],
    "pt": [("Esquece o segundo.", 2), ("Apaga o número 3, por favor", 3), ("Remova a última", LAST)],
    "pl": [("Zapomnij o drugim.", 2), ("Usuń numer 3, proszę", 3), ("Skasuj ostatni punkt", LAST)],
    "tr": [("İkinciyi unut.", 2), ("3 numarayı sil lütfen", 3), ("Sonuncuyu siler misin?", LAST)],
    "hi": [("doosra wala bhool jao", 2), ("number 3 hata do please", 3), ("aakhri wala delete kar do", LAST)],
    "zh": [("忘掉第二条。", 2), ("请把第3条删掉", 3), ("删除最后一条吧", LAST)],
    "ko": [("두 번째 거 잊어줘.", 2), ("3번 지워 주세요", 3), ("마지막 거 삭제해줘", LAST)],
    "ar": [("انس الثانية", 2), ("احذف رقم 3 من فضلك", 3), ("امسح الأخيرة", LAST)],
}
OTHERS = {
    Request.STOP: texts("""
        Stop remembering me! | Please don't remember anything about me any more.
        Merk dir nichts mehr über mich. | Deja de recordar cosas sobre mí | Ne retiens plus rien sur moi.
        Non ricordare più niente su di me | Não guarde mais nada sobre mim | Nie zapamiętuj niczego o mnie
        Artık hakkımda hiçbir şey hatırlama | mere baare mein kuch bhi yaad mat rakho | 不要再记住关于我的任何事情
        나에 대해 아무것도 기억하지 마 | لا تتذكر أي شيء عني بعد الآن | onthoud niets over mij
    """),
    Request.RESUME: texts("""
        Remember me again. | Du kannst dir wieder Dinge über mich merken
        Puedes volver a recordar cosas sobre mí | Souviens-toi à nouveau de moi | Ricordati di nuovo di me
        Volta a se lembrar de mim | Znowu mnie pamiętaj | Beni tekrar hatırla | mujhe phir se yaad rakho
        重新记住我的信息 | 나를 다시 기억해줘 | تذكرني من جديد
    """),
    Request.LEAVE_OUT: texts("""
        Don't remember this chat. | Keep this chat out of your memory please | Merk dir diesen Chat nicht!
        No recuerdes esta conversación | Ne retiens pas cette conversation | Non ricordare questa chat
        Não guarde esta conversa | Nie zapamiętuj tej rozmowy | Bu sohbeti hatırlama
        is chat ko yaad mat rakhna | 不要记住这次对话 | 이 대화는 기억하지 마 | لا تحفظ هذه المحادثة
        N'enregistre pas cette conversation | forget this chat | Vergiss diesen Chat | olvida esta conversación | oublie ce chat
        dimentica questa chat | esquece esta conversa | zapomnij o tej rozmowie | bu sohbeti unut | yeh chat bhool jao
        忘掉这次聊天 | 이 대화는 잊어줘 | انس هذه المحادثة | この会話を忘れて | забудь этот чат | vergeet deze chat
    """),
    Request.TAKE_IN: texts("""
        Remember this chat again. | Merk dir diesen Chat wieder | Vuelve a recordar este chat
        Recommence à mémoriser cette conversation | Ricomincia a ricordare questa chat
        Volta a guardar esta conversa | Znów zapamiętuj tę rozmowę | Bu sohbeti tekrar hatırla
        is chat ko phir se yaad rakho | 重新记住这次对话 | 이 대화는 다시 기억해줘 | احفظ هذه المحادثة من جديد
    """),
    Request.KNOWN: texts("""
        What do you know about me? | Was weißt du über mich? | qué sabes de mí | Que sais-tu sur moi ?
        cosa sai di me? | O que sabes sobre mim? | co o mnie wiesz? | Hakkımda ne biliyorsun?
        mere baare mein kya jaante ho? | 你知道我什么？ | 나에 대해 뭘 알고 있어? | ماذا تعرف عني؟ | 私について何を知っていますか？
        Что ты знаешь обо мне? | Wat weet je over mij? | hakkımda bildiğin her şeyi göster | mere baare mein sab kuch batao
        告诉我你知道关于我的一切 | 나에 대해 아는 걸 다 보여줘 | أرني كل ما تعرفه عني | 私について知っていることを全部見せて
        покажи мне всё, что ты знаешь обо мне
    """),
    Request.EVERYTHING: texts("""
        Delete everything you know about me. | Forget everything about me! | Vergiss alles über mich
        olvida todo lo que sabes de mí | Supprime tout ce que tu sais sur moi | 删除关于我的所有信息
    """),
    Request.UNDO: texts("""
        Undo that. | No, bring it back! | Mach das rückgängig | Deshazlo | Annule ça, s'il te plaît
        Annullalo | Desfaz isso | Cofnij to | Bunu geri al | undo kar do | 撤销一下 | 되돌려줘 | تراجع عن ذلك | rückgängig
        ongedaan maken | تراجع | それを元に戻して | Nein, hol es zurück! | no, recupéralo | Non, rétablis-le | no, ripristinalo
        não, restaura isso | nie, przywróć to | hayır, geri getir | nahi, wapas lao | 不，把它恢复 | 아니, 복구해줘 | لا، أعده
        いや、元に戻して | нет, верни это | nee, haal het terug
    """),
}
NONE = [
    # Of something else.
    *("Forget the second argument of the function.", "Delete the last line of the file"),
    *("Lösch den zweiten Absatz", "Borra el segundo párrafo del texto"),
    *("Supprime la dernière ligne du fichier", "删除最后一行", "Undo the last commit"),
    *("Remember this chat we had about bees?", "Forget it.", "Forget me not"),
    # Denied, asked, supposed, told.
    *("Don't forget the second one.", "I don't remember this chat.", "No borrar el segundo"),
    *("Nie usuń drugiego", "不删除第二条", "Undo that?", "Why did you stop remembering me?"),
    *("If I say forget number 2, what happens?", "You should stop remembering me if I was rude."),
    *("She said: stop remembering me.", "He told me to forget number 3."),
    "Mein Bruder sagt, du sollst dir nichts mehr über mich merken.",
    # Others' words, or a text to work on.
    '"Stop remembering me."',
    "'Forget number 2'",
    "Translate this:\nStop remembering me.",
    "Was heißt auf Englisch: Vergiss das zweite?",
    # Two things at once.
    "Forget number 2. Remember me again.",
    # Lists and the like.
    "2",
    "the last one",
    "",
]


REQUESTS = [
    *((text, Request.FORGET_LISTED, (number,)) for those in FORGETTING.values() for text, number in those),
    *((text, asking, ()) for asking, those in OTHERS.items() for text in those),
    *(
        (text, Request.FORGET_LISTED, (2, 4))
        for text in texts("""
            Forget 2 and 4 | Delete the second and the fourth one. | Vergiss Nummer 2 und 4 | 删掉第二和第四条 | 忘掉第2条和第4条
            2번과 4번 잊어줘 | 2, 4번 잊어줘 | انس 2 و4 | انس 2، 4 | احذف الثانية والرابعة | 2、4を忘れて | 2 ve 4 numarayı unut
        """)
    ),
]


@table(("text", "asking", "numbers"), REQUESTS)
def test_what_is_asked_for_is_known(text: str, asking: Request, numbers: tuple[int, ...]) -> None:
    assert read_memory_request(text) == MemoryRequest(asking, numbers)


def test_of_a_request_there_is_nothing_beside_one_polite_word_at_either_end() -> None:
    assert read_memory_request("Please, forget number 2, thanks!") == MemoryRequest(
        Request.FORGET_LISTED, (2,)
    )
    assert read_memory_request("Thanks, that is right. Forget number 2.") is None
    assert read_memory_request("hey please ok forget number 2") is None
    assert read_memory_request(f"{'It is raining. ' * 9}Forget number 2.") is None


EVERYDAY = texts("""
    forget london, we moved to leeds | don't keep alcohol in the house
    olvida los lácteos, soy intolerante | leave Leeds out of it, I live in Hull now | Moro no Brasil.
    J'habite au Brésil. | My son is called Basil. | I collect a fossil | I always forget the first one
    never remember me as sad | we deleted the last one | forget number 2 pencils
    forget number 2 pencils, buy pens | delete everything you know about me except my name
    undo that last commit | undo that commit in git | stop remembering me as a child
    don't remember this chat being so slow | Vergiss Nummer 5 lebt! | lösche alles über mich im Lebenslauf
    mach das rückgängig im Code | olvida el 2 de mayo | borra todo sobre mí en el texto
    olvida el punto 3 del contrato | oublie le 14 juillet | efface tout sur moi dans ce brouillon
    dimentica il 25 aprile | apaga o item 4 da fatura | zapomnij o 2 złotych
    usuń wszystko o mnie z tego CV | 3 numarayı ara | 2'yi 3'e böl | hakkımda bildiğin her şeyi yaz
    number 2 wali ladki | 忘掉第二次世界大战 | 删除第3行 | 把第2条改成英文 | 2번 출구 어디야 | 3번째 문장 지워줘 말고 고쳐줘
    انس رقم هاتفي القديم | احذف السطر 2 | 2番目の人は誰ですか | 3番ホームで待って | забудь 2 февраля | удали строку 5
    verwijder regel 3 uit de tabel | vergeet 2 december niet | What do you know about me and Paris?
    forget all about it | remember this chat room? | do you know number 2 is mine
    note that the third column is in euros | vergiss nicht die kommas | remember me to your mother
    undo button is broken | they told me to forget number 2 | what do you know about mexico?
    forget about it | what do you know about me and Tom? | forget me not
    my brother wants you to forget me | remember this | Stop remembering me, said the ghost
    don't remember this chatbot | remember this chat tomorrow, ok? | Ich vergesse immer das zweite
    vergiss das zweite frühstück | das letzte | Lösche Zeile 3 | me olvidé del segundo
    borra el primer párrafo | j'ai oublié le deuxième | annule mon rendez-vous | zapomniałem o drugim
    cofnij się | silah sesi | ikinci el araba | son iki yıl | Brasil | sil baştan | 第二条狗叫小白 | 我忘了第二条
    删掉第二行 | 记住我的生日 | 别记我账上 | 두 번째 아이가 아파요 | 되돌려 받았어 | نسيت الثانية | الثانية ظهرا | второй раз
    забудь про сахар, у меня диабет | 二番目の娘が病気です | ik vergeet altijd de tweede | dimentica la seconda riga
    apaga a luz do segundo quarto
""")


@table("text", [*NONE, *EVERYDAY])
def test_what_is_no_request_is_none(text: str) -> None:
    assert read_memory_request(text) is None


OPENINGS = {
    "Remember that I'm vegan!": (Asking.REMEMBER, "I'm vegan!"),
    "please remember: my dog is Rex": (Asking.REMEMBER, "my dog is Rex"),
    "Merk dir, dass ich in Kiel wohne": (Asking.REMEMBER, "ich in Kiel wohne"),
    "recuerda que vivo en Lugo": (Asking.REMEMBER, "vivo en Lugo"),
    "Retiens que j'ai deux chats": (Asking.REMEMBER, "j'ai deux chats"),
    "记住我住在成都": (Asking.REMEMBER, "我住在成都"),
    "запомни, что я живу в Туле": (Asking.REMEMBER, "я живу в Туле"),
    "onthoud dat ik in Gent woon": (Asking.REMEMBER, "ik in Gent woon"),
    "Please forget that I live in Kassel": (Asking.FORGET, "I live in Kassel"),
    "Zapomnij, że mam kota": (Asking.FORGET, "mam kota"),
    "Забудь, что я работаю в Google": (Asking.FORGET, "я работаю в Google"),
    "Vergiss bitte meinen Spind": (Asking.FORGET, "meinen Spind"),
    "No, I said Braga": (Asking.CORRECT, "Braga"),
    "nein, ich meinte Donnerstag": (Asking.CORRECT, "Donnerstag"),
    "Don\u2019t forget that I\u2019m vegan": (Asking.REMEMBER, "I\u2019m vegan"),
    "N\u2019oublie pas que j\u2019ai deux chats": (Asking.REMEMBER, "j\u2019ai deux chats"),
    "覚えておいて：私は菜食です": (Asking.REMEMBER, "私は菜食です"),
    "تذكر: أنا نباتي": (Asking.REMEMBER, "أنا نباتي"),
    "忘れて：Ｋｏｂｅの家": (Asking.FORGET, "Ｋｏｂｅの家"),
    "不，我说的是布拉加": (Asking.CORRECT, "布拉加"),
    "Não esqueças que gosto de chá": (Asking.REMEMBER, "gosto de chá"),
    "Na\u0303o esquec\u0327as que gosto de chá": (Asking.REMEMBER, "gosto de chá"),
}


@table(("text", "read"), OPENINGS.items())
def test_without_a_model_the_first_words_tell_what_is_asked(text: str, read: tuple[Asking, str]) -> None:
    assert read_opening(text) == read


@table(
    "text",
    texts("""
        I said yes!! | I meant a lot to her | wo chai nahi peeta | remembering names is hard
        Forgetful me | I'll never forget that day | Do you remember that film?
        note that the third column is in euros | Vergissmeinnicht | Moro no Brasil. | no sugar please
        nein danke
    """),
)
def test_words_that_only_hold_such_an_opening_ask_for_nothing(text: str) -> None:
    assert read_opening(text) is None


@table("request_name", list(Request))
def test_the_examples_of_the_page_are_read_as_their_request(request_name: Request) -> None:
    for words in read_table("recollect.text", "memory_requests").values():
        for phrase in words[request_name]:
            found = read_memory_request(example(phrase))
            assert found is not None, phrase
            assert found.asking is request_name, phrase


def test_the_page_on_the_list_is_made_from_the_table() -> None:
    assert Path("docs/reference/requests.md").read_text("utf-8") == requests_page()


def test_a_long_text_is_read_in_linear_time() -> None:
    long = (
        "forget 1" + " and 2" * 18,
        "please " * 16,
        "no, " * 29,
        "第" * LONGEST_MESSAGE,
        "删掉第二和" * 24,
    )

    for text in long:  # quadratic time would take minutes
        read_memory_request(text)
        read_opening(text * 1000)
        assert read_memory_request(text * 1000) is None
