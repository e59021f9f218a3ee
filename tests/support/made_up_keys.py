"""Keys in the shapes of many makers, made up anew in each run. The repository has no secret that looks real."""

import random
import string

_CHOSEN = random.Random(20_260)

ALPHANUMERIC = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEXADECIMAL = "0123456789abcdef"
URL_SAFE = ALPHANUMERIC + "_-"
BASE64 = ALPHANUMERIC + "+/"
BASE32 = string.ascii_uppercase + "234567"


def made_up(length: int, letters: str = ALPHANUMERIC) -> str:
    """Return random characters of these; a letter or digit at both ends, and some digits among them."""
    digits = [each for each in letters if each.isdigit()]
    plain = [each for each in letters if each.isalnum()]
    chosen = [_CHOSEN.choice(letters) for _ in range(length)]
    chosen[0], chosen[-1] = _CHOSEN.choice(plain), _CHOSEN.choice(plain)
    for at in (1, length // 2):
        chosen[at] = _CHOSEN.choice(digits)
    return "".join(chosen)


def uuid() -> str:
    """Return a UUID of random digits."""
    return "-".join(made_up(length, HEXADECIMAL) for length in (8, 4, 4, 4, 12))


def _card(prefix: str, length: int) -> str:
    """Return a card's number with a right check digit."""
    digits = prefix + "".join(_CHOSEN.choice(string.digits) for _ in range(length - len(prefix) - 1))
    doubled = sum(sum(divmod(2 * int(each), 10)) for each in digits[::-2])
    return digits + str(-(doubled + sum(map(int, digits[-2::-2]))) % 10)


def _iban(country: str, account: str) -> str:
    """Return an account's number with a right checksum."""
    rest = int("".join(str(int(each, 36)) for each in f"{account}{country}00")) % 97
    return f"{country}{98 - rest:02}{account}"


_WORDS = """
    orbit lemon cradle velvet sugar anchor pistol meadow tunnel bishop casual drum
    walnut ladder ribbon copper island gravity mango quiz eternal pulse satoshi winter
"""
_SEED = _WORDS.split()

VENDOR_KEYS = {
    "1Password, account": f"A3-{made_up(6, UPPER)}-{made_up(11, UPPER)}-{made_up(5, UPPER)}-{made_up(5, UPPER)}-{made_up(5, UPPER)}",
    "1Password, service": "ops_eyJ" + made_up(260, BASE64),
    "Adobe": "p8e-" + made_up(32, LOWER),
    "age": "AGE-SECRET-KEY-1" + made_up(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "Airtable": f"pat{made_up(14)}.{made_up(64, HEXADECIMAL)}",
    "Alibaba": "LTAI" + made_up(20),
    "Amazon": "AKIA" + made_up(16, BASE32),
    "Amazon, temporary": "ASIA" + made_up(16, BASE32),
    "Amazon Bedrock": "ABSK" + made_up(128, BASE64),
    "Anthropic": "sk-ant-api03-" + made_up(93, URL_SAFE) + "AA",
    "Anthropic, admin": "sk-ant-admin01-" + made_up(93, URL_SAFE) + "AA",
    "Artifactory": "AKCp" + made_up(69),
    "Asana": f"2/{made_up(16, string.digits)}/{made_up(16, string.digits)}:{made_up(32, HEXADECIMAL)}",
    "Atlassian": "ATATT3" + made_up(186, URL_SAFE),
    "Azure, client secret": made_up(3) + "8Q~" + made_up(33, URL_SAFE),
    "Brevo": f"xkeysib-{made_up(64, HEXADECIMAL)}-{made_up(16)}",
    "Buildkite": "bkua_" + made_up(40, HEXADECIMAL),
    "CircleCI": f"CCIPAT_{made_up(22)}_{made_up(40, HEXADECIMAL)}",
    "ClickHouse": "4b1d" + made_up(38),
    "Clojars": "CLOJARS_" + made_up(60, LOWER),
    "Cloudflare, origin": f"v1.0-{made_up(24, HEXADECIMAL)}-{made_up(146, HEXADECIMAL)}",
    "Contentful": "CFPAT-" + made_up(43, URL_SAFE),
    "crates.io": "cio" + made_up(32),
    "Databricks": "dapi" + made_up(32, HEXADECIMAL),
    "DigitalOcean": "dop_v1_" + made_up(64, HEXADECIMAL),
    "DigitalOcean, OAuth": "doo_v1_" + made_up(64, HEXADECIMAL),
    "Discord": f"M{made_up(23)}.{made_up(6)}.{made_up(38, URL_SAFE)}",
    "Discord, webhook": f"https://discord.com/api/webhooks/{made_up(18, string.digits)}/{made_up(68, URL_SAFE)}",
    "Docker": "dckr_pat_" + made_up(27, URL_SAFE),
    "Doppler": "dp.pt." + made_up(43, LOWER),
    "Dropbox": "sl." + made_up(140, URL_SAFE),
    "Duffel": "duffel_test_" + made_up(43, URL_SAFE),
    "Dynatrace": f"dt0c01.{made_up(24, UPPER)}.{made_up(64, UPPER)}",
    "EasyPost": "EZAK" + made_up(54),
    "Facebook": "EAACE" + made_up(110),
    "Figma": "figd_" + made_up(40, URL_SAFE),
    "Flutterwave": "FLWSECK_TEST-" + made_up(32, HEXADECIMAL) + "-X",
    "Fly.io": "fo1_" + made_up(43, URL_SAFE),
    "Frame.io": "fio-u-" + made_up(64, URL_SAFE),
    "GitHub": "ghp_" + made_up(36),
    "GitHub, OAuth": "gho_" + made_up(36),
    "GitHub, app": "ghs_" + made_up(36),
    "GitHub, fine-grained": "github_pat_" + made_up(82, ALPHANUMERIC + "_"),
    "GitLab": "glpat-" + made_up(20, URL_SAFE),
    "GitLab, deploy": "gldt-" + made_up(20, URL_SAFE),
    "GitLab, runner": "glrt-" + made_up(20, URL_SAFE),
    "Google": "AIza" + made_up(35, URL_SAFE),
    "Google, OAuth": "ya29." + made_up(60, URL_SAFE),
    "Google, client secret": "GOCSPX-" + made_up(28, URL_SAFE),
    "Grafana": "glsa_" + made_up(32) + "_" + made_up(8, HEXADECIMAL),
    "Grafana Cloud": "glc_" + made_up(80, BASE64),
    "Groq": "gsk_" + made_up(52),
    "Heroku": "HRKU-AA" + made_up(58, URL_SAFE),
    "HubSpot": "pat-na1-" + uuid(),
    "Hugging Face": "hf_" + made_up(34, string.ascii_letters + "7"),
    "Infracost": "ico-" + made_up(32),
    "LangSmith": f"lsv2_pt_{made_up(32, HEXADECIMAL)}_{made_up(10, HEXADECIMAL)}",
    "Langfuse": "sk-lf-" + uuid(),
    "Linear": "lin_api_" + made_up(40),
    "Mailchimp": made_up(32, HEXADECIMAL) + "-us14",
    "Mailgun": "key-" + made_up(32, HEXADECIMAL),
    "Mapbox": f"sk.{made_up(60)}.{made_up(22, LOWER)}",
    "Netlify": "nfp_" + made_up(40),
    "New Relic": "NRAK-" + made_up(27, UPPER),
    "Notion": "ntn_" + made_up(46),
    "npm": "npm_" + made_up(36),
    "NuGet": "oy2" + made_up(43, LOWER),
    "NVIDIA": "nvapi-" + made_up(64, URL_SAFE),
    "Octopus Deploy": "API-" + made_up(26, UPPER),
    "OpenAI": "sk-" + made_up(20) + "T3BlbkFJ" + made_up(20),
    "OpenAI, project": "sk-proj-" + made_up(120, URL_SAFE),
    "OpenRouter": "sk-or-v1-" + made_up(64, HEXADECIMAL),
    "DeepSeek": "sk-" + made_up(32, HEXADECIMAL),
    "OpenShift": "sha256~" + made_up(43, URL_SAFE),
    "Perplexity": "pplx-" + made_up(48),
    "Pinecone": f"pcsk_{made_up(6)}_{made_up(60)}",
    "Plaid": "access-sandbox-" + uuid(),
    "PlanetScale": "pscale_tkn_" + made_up(43, URL_SAFE),
    "Postman": f"PMAK-{made_up(24, HEXADECIMAL)}-{made_up(34, HEXADECIMAL)}",
    "Prefect": "pnu_" + made_up(36),
    "Pulumi": "pul-" + made_up(40, HEXADECIMAL),
    "PyPI": "pypi-AgEIcHlwaS5vcmc" + made_up(60, URL_SAFE),
    "ReadMe": "rdme_" + made_up(70, LOWER),
    "Replicate": "r8_" + made_up(37),
    "Resend": f"re_{made_up(8)}_{made_up(24)}",
    "RubyGems": "rubygems_" + made_up(48, HEXADECIMAL),
    "SendGrid": f"SG.{made_up(22, URL_SAFE)}.{made_up(43, URL_SAFE)}",
    "Sentry": "sntryu_" + made_up(64, HEXADECIMAL),
    "Shippo": "shippo_live_" + made_up(40, HEXADECIMAL),
    "Shopify": "shpat_" + made_up(32, HEXADECIMAL),
    "Slack, bot": f"xoxb-{made_up(12, string.digits)}-{made_up(12, string.digits)}-{made_up(24)}",
    "Slack, user": f"xoxp-{made_up(12, string.digits)}-{made_up(12, string.digits)}-{made_up(32, HEXADECIMAL)}",
    "Slack, app": f"xapp-1-{made_up(11, UPPER)}-{made_up(13, string.digits)}-{made_up(64, HEXADECIMAL)}",
    "Slack, webhook": f"https://hooks.slack.com/services/T{made_up(8, UPPER)}/B{made_up(10, UPPER)}/{made_up(24)}",
    "SonarQube": "squ_" + made_up(40, HEXADECIMAL),
    "Sourcegraph": "sgp_" + made_up(40, HEXADECIMAL),
    "Square": "sq0atp-" + made_up(22, URL_SAFE),
    "Square, access": "EAAA" + made_up(60, URL_SAFE),
    "Stripe": "sk_live_" + made_up(24),
    "Stripe, restricted": "rk_test_" + made_up(24),
    "Stripe, webhook": "whsec_" + made_up(32),
    "Supabase": "sbp_" + made_up(40, HEXADECIMAL),
    "Tailscale": f"tskey-auth-{made_up(12)}CNTRL-{made_up(32)}",
    "Telegram": made_up(10, "123456789") + ":AA" + made_up(33, URL_SAFE),
    "Terraform": f"{made_up(14)}.atlasv1.{made_up(64, URL_SAFE)}",
    "Twilio": "SK" + made_up(32, HEXADECIMAL),
    "Typeform": "tfp_" + made_up(59, URL_SAFE),
    "Vault": "hvs." + made_up(95, URL_SAFE),
    "xAI": "xai-" + made_up(80),
    "Yandex": "AQVN" + made_up(36, URL_SAFE),
    "JWT": f"eyJ{made_up(20)}.eyJ{made_up(60, URL_SAFE)}.{made_up(43, URL_SAFE)}",
    "nobody's, 40 of base64": made_up(40, BASE64),
    "nobody's, 32": made_up(32),
}
"""Each by whose it is."""

NUMBERS = {
    "Visa": _card("4539", 16),
    "Mastercard": _card("5412", 16),
    "American Express": _card("3712", 15),
    "Maestro": _card("6759", 16),
    "IBAN, German": _iban("DE", "370400440532013000"),
    "IBAN, Dutch": _iban("NL", "ABNA0417164300"),
    "IBAN, French": _iban("FR", "20041010050500013M02606"),
    "IBAN, Polish": _iban("PL", "105000997603123456789123"),
}
"""Cards and accounts, by their checksums."""


def _key_block(name: str, lines: int) -> str:
    body = "\n".join(made_up(64, BASE64) for _ in range(lines))
    return f"-----BEGIN {name}-----\n{body}\n-----END {name}-----"


BLOCKS = {
    name: _key_block(name, 4)
    for name in (
        "RSA PRIVATE KEY",
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "EC PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
        "ENCRYPTED PRIVATE KEY",
    )
}
"""Private keys as their files hold them."""

SEEDS = (" ".join(_SEED[:12]), " ".join(_SEED))
"""Words of wallets."""
