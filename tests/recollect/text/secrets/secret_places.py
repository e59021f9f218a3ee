"""Secrets told by where they stand, or disguised, and what comes near them and is none. Never: a test, the rules that find it."""

from tests.support.made_up_keys import HEXADECIMAL, made_up

DISGUISED = [
    ("my netf\u200blix pass\u200bword is Tangerine41", "Tangerine41"),
    ("P\u0430ssword for the NAS: olive\u2060tree77", "tree77"),
    (
        "the \uff57\uff49\uff46\uff49 \uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44 is brunchtime8",
        "brunchtime8",
    ),
    (f"deploy with gh\u200bp_{(s := made_up(36))}", s),
    ("мой п\u0061роль: снежинка7", "снежинка7"),
]
LAID_OUT = [
    (f"the weather api key {made_up(32, HEXADECIMAL)} works", "the weather api key [redacted] works"),
    ("user/pass: clara / velvet9moon", "user/pass: clara / [redacted]"),
    ("username clara, password moonflower", "username clara, password [redacted]"),
    ("echo rosebud22 | sudo -S ls", "echo [redacted] | sudo -S ls"),
    ("net user clara Winter!77 /add", "net user clara [redacted] /add"),
    ("wpa_passphrase HomeNet kestrelnest", "wpa_passphrase HomeNet [redacted]"),
    ("curl -H 'x-api-key: qwhzmvtkplrnbdsc' x.io", "curl -H 'x-api-key: [redacted]' x.io"),
    ("my social is 514228817", "my social is [redacted]"),
    (
        "routing number 021000021, account number 4488120937",
        "routing number [redacted], account number [redacted]",
    ),
    ("sort code 20-00-00 account 55779911", "sort code [redacted] account [redacted]"),
    ("orbit cannon tragic wisdom velvet humble stereo lizard quantum fetch ripple safe", "[redacted]"),
    ("ftp://clara:s@lt@files.example.net/in", "ftp://clara:[redacted]@files.example.net/in"),
    (
        "Server=db1;User ID=sa;Password=Blue Whale 9!;Encrypt=True",
        "Server=db1;User ID=sa;Password=[redacted];Encrypt=True",
    ),
    ("the password used to be marzipan3, now it's new", "the password used to be [redacted], now it's new"),
    ("le code de ma carte bleue est le 4821", "le code de ma carte bleue est le [redacted]"),
    ("la clave del wifi es lechuza", "la clave del wifi es [redacted]"),
    ("security answer: my first pet Bello", "security answer: [redacted]"),
]
NEAR_MISSES = [
    "pin 3300 is the reset line on this board",
    "safe: 5-10-20 mg a day for adults",
    'id="card-header-QwE45rTy67uIo89pAs"',
    "we need a basic introduction_to_probability_theory_2",
    "I think passwords are annoying",
    "| password | string | yes | the user's password |",
    "| Field | Type |\n|---|---|\n| password | varchar(255) |\n| email | text |",
    "| password | remarks |\n|---|---|\n",
    "Password\n\nChoose a strong one and never share it.",
    "Username\nPassword\nLogin\n",
    "my social is better than my written English",
    "account number 3 in the list is wrong, 4488120937 is not in it",
    "echo hello | sudo tee /etc/motd",
    "net user is a Windows command",
    "log in with the username and password provided.",
    "Мой кот любит рыбу и пассат",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 we went to café Müller and paid 1200 yen",
    "the quick brown fox jumps over lazy dogs near every small river",
]
