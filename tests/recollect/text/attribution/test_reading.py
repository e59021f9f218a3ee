"""The person's own words are read from messages as clients, mail programs, messengers and people make them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.support.long_texts import up_to
from tests.support.tables import table, texts

from recollect.text.attribution import others_words, pasted_in, question_in, without_frame
from recollect.text.attribution.own_words import read_message

Q = "I live in Oslo. Where did I put the spare key?"
F = "I live in Bergen and I am allergic to nuts."
"""The words of others."""

PASTED = {
    "system-reminder": f"<system-reminder>\n{F}\n</system-reminder>\n{Q}",
    "open_files": f"<open_files>\nsrc/a.py\n{F}\n</open_files>\n\n{Q}",
    "context": f"<context>\n{F}\n</context>\n{Q}",
    "any name": f"<editorContext>\n{F}\n</editorContext>\n<reminderInstructions>\nx {F}\n</reminderInstructions>\n{Q}",
    "cursor": f"<additional_data>\n{F}\n</additional_data>\n\n<user_query>\n{Q}\n</user_query>",
    "cline": f"<task>\n{Q}\n</task>\n\n<environment_details>\n# VSCode Visible Files\n{F}\n</environment_details>",
    "cline file": f'<task>\n{Q}\n<file_content path="a.txt">\n{F}\n</file_content>\n</task>\n<environment_details>\nx\n</environment_details>',
    "copilot": f'<attachments>\n<attachment id="a.txt">\n{F}\n</attachment>\n</attachments>\n<userRequest>\n{Q}\n</userRequest>',
    "relevant-memories": f"<relevant-memories>\n- {F}\n</relevant-memories>\n{Q}",
    "relevant_memories": f"<relevant_memories>\n- {F}\n</relevant_memories>\n{Q}",
    "deepseek file": f"[file name]: a.txt\n[file content begin]\n{F}\n[file content end]\n{Q}",
    "webpages": f"[webpage 1 begin]{F}[webpage 1 end]\n[webpage 2 begin]{F}[webpage 2 end]\n\n{Q}",
    "webpage lines": f"[webpage 1 begin]\n{F}\n\n{F}\n[webpage 1 end]\n{Q}",
    "anything context": f"Context:\n    [CONTEXT 0]:\n{F}\n[END CONTEXT 0]\n\n{Q}",
    "context label only": f"[CONTEXT 0]:\n{F}\n\n[CONTEXT 1]:\n{F}\n\n{Q}",
    "jan": f"{Q}\n\nFile: a b.txt\n{F}\n\n{F}\n\nFile: b.pdf\n{F}",
    "page_content": f"<page_content>\n{F}\n</page_content>\n\n{Q}",
    "selection": f"<selection>{F}</selection>\n{Q}",
    "inline selection": f"{Q} Fix this: <selection>{F}</selection>",
    "rules": f"{Q} Summarize:\n\n---\n{F}\n---",
    "rules behind": f"Please proofread this\n---\n{F}\n---\n{Q}",
    "equal signs": f"{Q}\n=====\n{F}\n=====\nThanks",
    "rule after colon": f"{Q} Summarize this text:\n---\n{F}",
    "forwarded": f"{Q}\n\n---------- Forwarded message ---------\nFrom: Otto <o@x.org>\n\n{F}",
    "forwarded plain": f"{Q}\n\nForwarded message\nFrom: Otto <o@x.org>\nSubject: hi\n\n{F}",
    "begin forwarded": f"{Q}\n\nBegin forwarded message:\n\n> From: Otto <o@x.org>\n> Subject: hi\n>\n> {F}",
    "BEGIN END": f"{Q}\nBEGIN DOCUMENT\n{F}\nEND DOCUMENT",
    "dashes begin": f"--- BEGIN FILE a.txt ---\n{F}\n--- END FILE a.txt ---\n{Q}",
    "triple quotes before": f'"""\n{F}\n"""\n{Q}',
    "hash start": f"### START OF NOTES ###\n{F}\n### END OF NOTES ###\n{Q}",
    "comments of HTML": f"<!-- begin selection -->\n{F}\n<!-- end selection -->\n{Q}",
    "comments with a slash": f"<!-- notes.md -->\n{F}\n<!-- /notes.md -->\n{Q}",
    "LaTeX": f"\\begin{{quote}}\n{F}\n\\end{{quote}}\n{Q}",
    "a bare end": f"--- notes.md ---\n{F}\n--- end ---\n{Q}",
    "time before day": f"[10:21 AM, 11/3/2026] Otto: {F}\n[10:22 AM, 11/3/2026] Ana: ok\n\n{Q}",
    "german marks": f"[Anfang der Datei]\n{F}\n[Ende der Datei]\n{Q}",
    "chinese marks": f"【文件内容开始】\n{F}\n【文件内容结束】\n{Q}",
    "chinese bracket": f"[文件开始]\n{F}\n[文件结束]\n{Q}",
    "spanish": f"--- inicio del documento ---\n{F}\n--- fin del documento ---\n{Q}",
    "russian": f"[начало файла]\n{F}\n[конец файла]\n{Q}",
    "bbcode": f"[quote=Otto]{F}[/quote]\n{Q}",
    "bbcode spoiler": f"{Q}\n[spoiler]\n{F}\n[/spoiler]",
    "alt text": f"![{F}](https://x.org/a.png)\n{Q}",
    "alt inline": f"{Q} ![{F}](a.png)",
    "search results": f"<search_results>\n<result index=1>\n<title>t</title>\n{F}\n</result>\n</search_results>\n{Q}",
    "chatbox": f"<ATTACHMENT_FILE>\n<FILE_INDEX>File 1</FILE_INDEX>\n<FILE_NAME>a.txt</FILE_NAME>\n<FILE_CONTENT>\n{F}\n</FILE_CONTENT>\n</ATTACHMENT_FILE>\n{Q}",
    "zed": f"<context>\nThe following items were attached by the user.\n<files>\n```a.txt\n{F}\n```\n</files>\n</context>\n\n{Q}",
    "fence": f"{Q}\n```\n{F}\n```",
    "continue": f"```a.txt (1-20)\n{F}\n```\n{Q}",
    "owui rag": f'### Task:\nRespond using the context.\n\n<context>\n<source id="1" name="a.pdf">{F}</source>\n</context>\n\n<user_query>\n{Q}\n</user_query>',
    "claude documents": f'<documents>\n<document index="1">\n<source>a</source>\n<document_contents>\n{F}\n</document_contents>\n</document>\n</documents>\n\n{Q}',
    "selected text brave": f"<page>{F}</page>\n<excerpt>\n{F}\n</excerpt>\n{Q}",
    "librechat": f"The user has attached a file to the conversation:\n<files>\n<file>\n<filename>a.pdf</filename>\n<context>{F}</context>\n</file>\n</files>\n{Q}",
    "quoted mail": f"On Tue, 3 Mar 2026 at 10:00, Otto <o@x.org> wrote:\n> {F}\n> Bye\n\n{Q}",
    "quoted run": f"> {F}\n> Greetings, Otto\n\n{Q}",
    "quoted one above": f"> {F}\n{Q}",
    "whatsapp": f"{Q}\n\n[12.03.26, 10:15] Otto: {F}\n[12.03.26, 10:16] Cleo: wow",
    "whatsapp one": f"[12/03/2026, 10:15:22] Otto: {F}\n\n{Q}",
    "whatsapp android": f"12/03/2026, 10:15 - Otto: {F}\n12/03/2026, 10:16 - Cleo: wow\n\n{Q}",
    "slack": f"Otto Berg  10:15 AM\n{F}\n\n{Q}",
    "discord": f"Otto — Today at 10:15 AM\n{F}\n\n{Q}",
    "teams": f"[10:15] Otto Berg: {F}\n\n{Q}",
    "triple quotes": f'{Q}\n"""\n{F}\n"""',
    "angles": f"{Q} <<<{F}>>>",
    "long quotation": f'{Q} My friend wrote "{F}" yesterday.',
    "guillemets": f"{Q} Il a dit «{F}» hier.",
    "kagi": f'{Q}\n<webpage_content url="x">\n{F}\n</webpage_content>',
    "tool": f"<tool_result>\n{F}\n</tool_result>\n{Q}",
    "html page": f"<html>\n<body>\n<p>{F}</p>\n</body>\n</html>\n{Q}",
    "email tag": f"<email>\nFrom: o@x.org\n{F}\n</email>\n{Q}",
    "curly": f"{Q}\n<|document|>\n{F}\n<|/document|>",
    "sidebar": f'Page title: Home\nURL: https://x.org\n\nSelected text:\n"""\n{F}\n"""\n\n{Q}',
    "github copilot editing": f'<attachment filePath="/a">\n{F}\n</attachment>\n<prompt>\n{Q}\n</prompt>',
    "windsurf": f"<USER_REQUEST>\n{Q}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\n{F}\n</ADDITIONAL_METADATA>",
    "roo": f"<user_message>\n{Q}\n</user_message>\n\n<environment_details>\n# VSCode Open Tabs\n{F}\n</environment_details>",
    "openhands": f"<RUNTIME_INFORMATION>\n{F}\n</RUNTIME_INFORMATION>\n{Q}",
    "claude code cmd": f"<command-name>/x</command-name>\n<command-message>x</command-message>\n<local-command-stdout>{F}</local-command-stdout>\n{Q}",
    "ns": f"<ns0:context>\n{F}\n</ns0:context>\n{Q}",
    "attr": f'<doc title="a > b">\n{F}\n</doc>\n{Q}',
    "multi attr lines": f'<document\n  index="1"\n  name="x">\n{F}\n</document>\n{Q}',
    "nested same": f"<file>\n<file>\nx\n</file>\n{F}\n</file>\n{Q}",
    "indented": f"    <context>\n{F}\n    </context>\n{Q}",
    "braces": f"{{{{context}}}}\n{F}\n{{{{/context}}}}\n{Q}",
    "pct": f"{Q}\n%%% START TRANSCRIPT %%%\n{F}\n%%% END TRANSCRIPT %%%",
    "angle marks": f"{Q}\n<<< BEGIN EMAIL >>>\n{F}\n<<< END EMAIL >>>",
    "paren": f"(begin quote)\n{F}\n(end quote)\n{Q}",
    "emoji": f"📄 START 📄\n{F}\n📄 END 📄\n{Q}",
    "polish": f"[początek pliku]\n{F}\n[koniec pliku]\n{Q}",
    "hindi": f"[फ़ाइल आरंभ]\n{F}\n[फ़ाइल समाप्त]\n{Q}",
    "jp": f"【資料開始】\n{F}\n【資料終了】\n{Q}",
    "korean": f"[문서 시작]\n{F}\n[문서 끝]\n{Q}",
    "turkish": f"--- BELGE BAŞLANGIÇ ---\n{F}\n--- BELGE SON ---\n{Q}",
    "underscore": f"BEGIN_DOCUMENT\n{F}\nEND_DOCUMENT\n{Q}",
    "colon marks": f"BEGIN TRANSCRIPT:\n{F}\nEND TRANSCRIPT\n{Q}",
    "source n": f"{Q}\n\n[Source 1]\n{F}\n\n[Source 2]\n{F}",
    "doc colon": f"{Q}\n[Document 1]: {F}",
    "search": f'Search results for "x":\n\n[1] Otto\'s blog (https://o.org)\n{F}\n\n[2] Other (https://p.org)\nfoo\n\n{Q}',
    "search2": f"{Q}\n\nSearch results:\n1. Otto's blog\nhttps://o.org\n{F}\n2. Foo\nhttps://p.org\nbar",
    "reddit": f"u/otto · 3h ago\n{F}\n\n{Q}",
    "twitter": f"Otto (@otto)\n{F}\n10:15 AM · Mar 3, 2026\n\n{Q}",
    "telegram": f"Otto, [12.03.2026 10:15]\n{F}\n\n{Q}",
    "tilde fence": f"~~~\n{F}\n~~~\n{Q}",
    "blockquote html": f"<blockquote>{F}</blockquote>\n{Q}",
    "html comment": f"<!-- {F} -->\n{Q}",
    "link title": f"[![{F}](a.png)](https://x.org)\n{Q}",
    "img html": f'<img src="a.png" alt="{F}">\n{Q}',
    "ref alt": f"![{F}][1]\n{Q}\n\n[1]: a.png",
    "json": f'{{"role": "user", "content": "{F}"}}\n{Q}',
    "yaml": f"---\ntitle: x\nauthor: otto\n---\n{F}\n---\n{Q}",
    "crlf": f"[file content begin]\r\n{F}\r\n[file content end]\r\n{Q}",
    "crlf rules": f"{Q}\r\n---\r\n{F}\r\n---\r\n",
    "table": f"| name | said |\n|---|---|\n| Otto | {F} |\n\n{Q}",
    "single guillemet": f"{Q} ‹{F}›",
    "chinese quotes": f"{Q} 「{F}」と言った",
    "single curly": f"{Q} He said ‘{F}’ yesterday",
    "details": f"<details>\n<summary>mail</summary>\n{F}\n</details>\n{Q}",
    "obsidian callout": f"> [!quote] Otto\n> {F}\n\n{Q}",
    "aider": f"a.txt\n```\n{F}\n```\n\n{Q}",
    "zed slash": f"/file a.txt\n```a.txt\n{F}\n```\n{Q}",
}

MAILS = {
    "de": f"{Q}\n\nVon: Otto Berg\nGesendet: Montag, 2. März 2026 09:12\nAn: Anna\nBetreff: Umzug\n\n{F}\nOtto",
    "fr": f"{Q}\n\nDe : Otto Berg\nEnvoyé : lundi 2 mars 2026 09:12\nÀ : Anna\nObjet : Appartement\n\n{F}\nOtto",
    "es": f"{Q}\n\nDe: Otto Berg\nEnviado: lunes, 2 de marzo de 2026 9:12\nPara: Anna\nAsunto: Piso\n\n{F}\nOtto",
    "it": f"{Q}\n\nDa: Otto Berg\nInviato: lunedì 2 marzo 2026 09:12\nA: Anna\nOggetto: Casa\n\n{F}\nOtto",
    "pl": f"{Q}\n\nOd: Otto Berg\nWysłano: poniedziałek, 2 marca 2026 09:12\nDo: Anna\nTemat: Dom\n\n{F}\nOtto",
    "sv": f"{Q}\n\nFrån: Otto Berg\nSkickat: den 2 mars 2026 09:12\nTill: Anna\nÄmne: Hus\n\n{F}\nOtto",
    "fi": f"{Q}\n\nLähettäjä: Otto Berg\nLähetetty: maanantai 2. maaliskuuta 2026 9.12\nVastaanottaja: Anna\nAihe: Talo\n\n{F}\nOtto",
    "ru": f"{Q}\n\nОт: Otto Berg\nОтправлено: 2 марта 2026 г. 9:12\nКому: Anna\nТема: Дом\n\n{F}\nOtto",
    "ja": f"{Q}\n\n差出人: Otto Berg\n送信日時: 2026年3月2日 9:12\n宛先: Anna\n件名: 家\n\n{F}\nOtto",
    "ko": f"{Q}\n\n보낸 사람: Otto Berg\n보낸 날짜: 2026년 3월 2일 오전 9:12\n받는 사람: Anna\n제목: 집\n\n{F}\nOtto",
    "ar": f"{Q}\n\nمن: Otto Berg\nتاريخ الإرسال: 2 مارس 2026 09:12\nإلى: Anna\nالموضوع: بيت\n\n{F}\nOtto",
    "gr": f"{Q}\n\nΑπό: Otto Berg\nΣτάλθηκε: Δευτέρα, 2 Μαρτίου 2026 9:12\nΠρος: Anna\nΘέμα: Σπίτι\n\n{F}\nOtto",
    "he": f"{Q}\n\nמאת: Otto Berg\nנשלח: יום שני 2 מרץ 2026 09:12\nאל: Anna\nנושא: בית\n\n{F}\nOtto",
    "pt-gmail": f"{Q}\n\nEm seg., 2 de mar. de 2026 às 09:12, Otto Berg <o@x.org> escreveu:\n\n{F}\nOtto",
    "nl-gmail": f"{Q}\n\nOp ma 2 mrt 2026 om 09:12 schreef Otto Berg <o@x.org>:\n\n{F}\nOtto",
    "zh": f"{Q}\n\n发件人: Otto Berg\n发送时间: 2026年3月2日 9:12\n收件人: Anna\n主题: 房子\n\n{F}\nOtto",
    "dk": f"{Q}\n\nFra: Otto Berg <o@x.org>\nSendt: 2. marts 2026 09:12\nTil: Anna\nEmne: Hus\n\n{F}\nOtto",
    "mail outlook underscores": f"{Q}\n\n________________________________\nFrom: Otto Berg <o@x.org>\nSent: Monday, March 2, 2026 9:12 AM\nTo: Anna\nSubject: hi\n\n{F}",
    "mail apple fr": f"{Q}\n\nLe 2 mars 2026 à 09:12, Otto Berg <o@x.org> a écrit :\n\n{F}",
    "mail hu": f"{Q}\n\nFeladó: Otto Berg <o@x.org>\nElküldve: 2026. március 2. 9:12\nCímzett: Anna\nTárgy: Lakás\n\n{F}",
    "mail tr": f"{Q}\n\nKimden: Otto Berg\nGönderildi: 2 Mart 2026 Pazartesi 09:12\nKime: Anna\nKonu: Ev\n\n{F}",
    "mail vi": f"{Q}\n\nTừ: Otto Berg <o@x.org>\nNgày: 2 thg 3, 2026 09:12\nĐến: Anna\n\n{F}",
    "mail bold": f"{Q}\n\n**From:** Otto Berg <o@x.org>\n**Date:** 2 March 2026\n**Subject:** hi\n\n{F}",
    "mail th": f"{Q}\n\nจาก: Otto Berg <o@x.org>\nวันที่: 2 มี.ค. 2026 09:12\nถึง: Anna\n\n{F}",
    "fw only": f"FYI {Q}\n\n-------- Weitergeleitete Nachricht --------\nBetreff: x\nDatum: Mon, 2 Mar 2026\nVon: Otto\n\n{F}",
    "fw signature": f"{Q}\n\nВиконано пересилання:\n---------- Переслане повідомлення ----------\nВід: Otto <o@x.org>\n\n{F}",
}

OWN = {
    "own run": "> 40 km run every Sunday, in Oslo",
    "own run glued": ">40 km in Oslo",
    "chan": "> be me\n> live in Oslo",
    "only one": "> I live in Oslo",
    "guillemet": "» I live in Oslo",
    "ends with": "I run a lot.\n> 40 km in Oslo every Sunday",
    "arrow end": "moved last year\n> Oslo, with two kids",
    "own quoted whole": '"I live in Oslo and I have been a nurse here for twenty years, at least."',
    "own guillemets whole": "«J'habite à Oslo depuis vingt ans avec mes deux enfants et mon chien»",
    "beside quotation": 'My doctor said "you need to avoid all sugar for at least three months now", I live in Oslo.',
    "unclosed fence": "```\nx = 1\n\nBy the way I live in Oslo",
    "behind a file in a fence": "Here it is.\n\nFile: a.py\n```\nx = 1\n```\nI live in Oslo",
    "behind fence": "```\nx = 1\ny = 2\n``` and I live in Oslo",
    "code beside": "x = f(1);\ny = g(2);\nz = h(3);\nI live in Oslo and this fails, why?",
    "prose like code": "For my kids (Ben and Ida) I cook.\nIf I go home (by bus) it takes an hour.\nWhile in Oslo, I live at my mum's (she is 80).",
    "list of dashes": "- I live in Oslo\n- two kids\n- one dog",
    "headings": "[Home]\nI live in Oslo\n[Work]\nnurse",
    "bracket aside": "I live in Oslo [near the end of the line] and start at 9 [begin early]",
    "one rule": "I live in Oslo.\n---\nWhere is my key?",
    "bold": "<b>I live in Oslo</b>",
    "html p": "<p>I live in Oslo</p><p>two kids</p>",
    "schedule": "10:15 dentist in Oslo\n11:00 gym",
    "schedule2": "Mon 10:15\nOslo dentist",
    "link": "see [my house in Oslo](https://x.org)",
    "footnote": "I live in Oslo [1] and work.\n\n[1] since May",
    "inches": 'My TV is 55" and I live in Oslo in a small flat with a 27" monitor',
    "colon": "Here is what matters: > 5 years in Oslo",
    "math": "x > 5 and I live in Oslo",
    "signature": "I live in Oslo.\n\n-- \nAnna",
    "csv-like": "Oslo, Bergen line, train, 5",
    "greeting": "Hi,\nI live in Oslo,\nthanks,\nAnna",
    "note tag": "I live in Oslo </3 and <3",
    "vs": "I like tea > coffee, and Oslo",
    "poem": "End of the day\nOslo sleeps\nBegin again",
    "from to": "From: Oslo\nTo: work\nTime: 8:15 every day",
    "message tag only": "<message>I live in Oslo</message>",
    "query tag": "<query>\nI live in Oslo, where is my key?\n</query>",
    "lower prose": "for my kids (ben and ida) i cook\nif i go home (by bus) it takes an hour\nwhile in Oslo i live with mum (she is 80)",
    "headings own": "=== Home ===\nI live in Oslo\n=== Work ===\nnurse",
    "heading dashes": "--- My notes ---\nI live in Oslo",
    "bullets": "- start of the trip.\n- Oslo for a week\n- end of the trip.",
    "stars": "* begin\n* Oslo\n* end",
    "apostrophes": "My kids’ school is in Oslo and the neighbours’ kids go there too, it’s ‘fine’ they say, isn’t it",
    "links own": "My list:\n1. milk\n2. bread\nI live in Oslo",
    "dot": "tea · coffee, I like both, and Oslo",
    "times": "Start: Oslo\nEnd: Bergen trip",
}

WITHIN_THE_QUESTION = {
    "sidebar",
    "single guillemet",
    "chinese quotes",
    "single curly",
    "tilde fence",
    "json",
    "table",
    "aider",
    "zed slash",
    "long quotation",
    "guillemets",
    "fence",
    "continue",
    "angles",
    "triple quotes",
}
"""Code, and quotations within a sentence, are asked with."""


@table("name, text", MAILS.items())
def test_a_question_may_be_about_a_mail(name: str, text: str) -> None:
    pasted = pasted_in(text)

    assert "Bergen" in pasted, name
    assert "Where did I put the spare key?" not in pasted
    assert pasted_in(pasted) == "", "a mail alone asks nothing about itself"


@table(
    "text",
    [
        PASTED["fence"],
        PASTED["aider"],
        "Is that true? He said \u00abI am in Bergen, and I stay there for a while\u00bb.",
    ],
)
def test_code_files_and_short_quotations_are_no_text_that_a_question_is_about(text: str) -> None:
    assert pasted_in(text) == ""


@table("name, text", [*PASTED.items(), *MAILS.items()])
def test_the_words_of_others_are_not_the_persons(name: str, text: str) -> None:
    own, question = read_message(text).own, question_in(text)

    assert "Oslo" in own
    assert "Bergen" not in own
    assert "Where did I put the spare key?" in question
    assert name in WITHIN_THE_QUESTION or "Bergen" not in question


@table("text", [*PASTED.values(), *MAILS.values()])
def test_in_the_index_the_words_of_others_are_pasted_text(text: str) -> None:
    pasted, quoted = others_words(text)
    left = list(text)
    for start, end in [*pasted, *quoted]:
        left[start:end] = " " * (end - start)

    assert "Oslo" in "".join(left)
    assert "Bergen" not in "".join(left)


@table("text", OWN.values())
def test_a_persons_own_words_are_theirs_in_whatever_shape(text: str) -> None:
    assert "Oslo" in read_message(text).own


@table(
    "text, shown",
    [
        (f"{Q}\n\n> {F}\n> Bye\n", f"{Q}\n\n[quoted]\n> {F}\n> Bye\n[end of quoted]"),
        (f"<me>{F}</me>\n{Q}", f"[context]\n<me>{F}</me>\n[end of context]\n\n{Q}"),
        (f"<open_tabs>{F}</open_tabs>\n{Q}", f"[context]\n\n{Q}"),
        (f"{Q}\n```\n{F}\n```", f"{Q}\n\n[code]"),
        (f"![{F}](a.png) {Q}", f"[image] {Q}"),
        (f"{Q}\n---\n{F}\n---", f"{Q}\n\n[quoted]\n---\n{F}\n---\n[end of quoted]"),
        (f'{Q} He said "{F}" to me.', f'{Q} He said "{F}" to me.'),
        (f"> {F}\n{Q}", f"[quoted]\n> {F}\n[end of quoted]\n\n{Q}"),
    ],
)
def test_a_mark_stands_for_others_words_and_doubtful_ones_stand_between(text: str, shown: str) -> None:
    assert read_message(text).shown == shown


SURE = texts("""
    system-reminder | open_files | any name | cursor | cline | cline file | copilot | relevant-memories
    relevant_memories | deepseek file | webpages | webpage lines | context label only | page_content
    begin forwarded | forwarded | forwarded plain | bbcode | search results | chatbox | owui rag
    claude documents | quoted mail | angles | kagi | tool | curly | github copilot editing | windsurf
    roo | openhands | claude code cmd | ns | attr | multi attr lines | underscore | html comment
    alt text | img html | fence | table
""")
"""Those of which only a program makes the shape."""


@table("text", [*(PASTED[name] for name in SURE), *(MAILS[name] for name in ("pt-gmail", "dk", "mail th"))])
def test_a_model_is_not_shown_what_only_programs_mark_off(text: str) -> None:
    assert "Bergen" not in read_message(text).shown


DOUBTFUL = [
    "<bio>I live in Oslo and I am vegan</bio>\nWhat can I cook?",
    *("<über>Ich wohne in Oslo</über>\nUnd nun?", "[spoiler]I live in Oslo[/spoiler] what can I eat?"),
    "What can I eat? [spoiler]I live in Oslo[/spoiler] Thanks",
    *("[begin rant]\nI live in Oslo\n[end rant]\nhelp", "[Monday]: I moved to Oslo\n[/Monday]"),
    *("[DAY 1]: I moved to Oslo\n\n[DAY 2]: slept badly", "BEGIN\nI live in Oslo\nEND\nPlan?"),
    "--- début ---\nJ'habite à Oslo\n--- fin ---\nEt alors ?",
    "> 40, diabetic, and I live in Oslo\n> and my son is vegan\nwhat can we eat?",
    "I have 2 kids, more on us:\n> we live in Oslo\n> and are vegan\nwhat now?",
    "Name: Greta\nFrom: Oslo\nDiet: vegan\n\nMake me a plan",
    "Name: Greta\nMail: greta@example.org\nTown: Oslo\n\nMake me a plan",
    "===== Home =====\nI live in Oslo",
    "I moved to Oslo on 3 May 2026 at 14:30, here is why:\nmy wife got a job there.\nWe have two kids.",
    "Hallo.\n\nAm 3. Mai 2026 um 14:30 zogen wir um, denn:\nmeine Frau arbeitet in Oslo.",
    "Look:\n\nFrom: Otto <o@x.org>\nSubject: b\n\nHi\n----\nI live in Oslo",
    "FROM: hr@example.org\nSubject: offer\nWelcome!\n----\nso happy to start in Oslo",
]


@table("text", DOUBTFUL)
def test_a_model_is_shown_what_people_mark_off_themselves(text: str) -> None:
    reading = read_message(text)

    assert "Oslo" in reading.shown
    assert "Oslo" in reading.own or any("Oslo" in piece for piece in reading.doubtful)


def test_of_a_long_message_both_ends_are_read_for_what_it_asks() -> None:
    question = question_in(f"Is this true? {'x ' * 3_000}{Q}")

    assert question.startswith("Is this true?")
    assert question.endswith(Q)
    assert len(question) < 4_100


def test_a_message_is_known_by_its_words_whatever_a_client_puts_around_it() -> None:
    for around in (
        "<open_files>\na.py\n</open_files>\n{}",
        "{}\n<environment_details>\nb\n</environment_details>",
        "<user_query>\n{}\n</user_query>",
        "<x>b</x>\n<x>c</x>\n<user_query>\n{}\n</user_query>\n<d-e>f</d-e>",
        "<task>\n{}\n</task>\n\n<environment_details>\n# Files\n</environment_details>",
    ):
        assert without_frame(around.format(Q)) == Q
    for text in (
        *("<a>\nb\n</a>", "<p>I live in Oslo</p>", "What does </a> mean?", "<a> is open", f"{Q} <a>b</a>"),
    ):
        assert without_frame(text) == text


PIECES = [
    *(
        *("a", "> ", "\n", "\n\n", "<a_b>", "</a_b>", "\n<x>\n", "</x>", "[x begin]", "[x end]", "[/x]"),
        *("[x]", "---\n", "[A 1]:\n", "```\n", "\r\n"),
    ),
    *(
        *("--- BEGIN X ---\n", "--- END X ---\n", "![", "](", '"', "\u00ab", "[10:15] A: ", "From: a@b\n"),
        *("at 1:\n", "<o@x.org>\n> a\n", "BEGIN\n", "END\n", "x;\n", "<user_query>", "</user_query>"),
    ),
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_message_is_survived_and_nothing_is_made_up(text: str) -> None:
    reading = read_message(text)

    assert all(one.end <= other.start for one, other in pairwise(reading.pieces))
    assert set(reading.own) <= set(text) | set("\u2026\n")
    for spans in others_words(text):
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


@up_to(200_000)
@table("piece", PIECES)
def test_a_long_run_of_anything_is_read_in_linear_time(piece: str, length: int) -> None:
    text = piece * (length // len(piece))

    assert read_message(text).pieces is not None
    assert len(without_frame(text)) <= length
