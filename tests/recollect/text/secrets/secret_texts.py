"""What people say that holds a secret, and what comes near it and holds none.

Written before the rules were. Every third of each table was held out, and not looked at while they were made.
"""

import re

from tests.support.made_up_keys import ALPHANUMERIC, BASE64, HEXADECIMAL, LOWER, made_up
from tests.support.tables import texts

from recollect.text.secrets import mask

_MARK = re.compile(r"\[secret: [^\]]*\]")


def redacted(text: str) -> str:
    """Return a text with ``[redacted]`` in place of each secret, whatever it is."""
    return _MARK.sub("[redacted]", mask(text).text)


def told(block: str) -> list[tuple[str, str]]:
    """Return the texts of a block, each with the secret that stands between its brackets."""
    parts = (text.replace("⟧", "⟦").split("⟦") for text in texts(block))
    return [(before + secret + behind, secret) for before, secret, behind in parts]


ASSIGNED = [
    *told("""
        export DB_PASS=⟦tulip-Harbor9⟧ | export DATABASE_PASSWORD='⟦maple syrup 12⟧'
        curl -u bob:⟦quartz77⟧ https://api.example.org/v1/me
        curl --user=admin:⟦S3same!⟧ https://host.example.org | mysql -h db1 -u root -p⟦Goldfinch22⟧ shop
        mysqldump --password=⟦winterjas⟧ shop > dump.sql
        docker login -u anna -p ⟦kastanie_5⟧ registry.example.org
        sshpass -p '⟦hokus pokus⟧' ssh deploy@10.0.0.4
        psql postgres://app:⟦driftwood⟧@db.internal:5432/prod
        DATABASE_URL=postgresql+asyncpg://svc:⟦Kelp%21Forest⟧@10.1.2.3/app
        mongodb+srv://root:⟦bluebottle⟧@cluster0.example.net/test | redis://:⟦otterpop⟧@cache:6379/0
        amqp://guest:⟦marzipan⟧@rabbit:5672//
        git clone https://anna:⟦lanternfish⟧@git.example.org/anna/shop.git
    """),
    ('{"user": "ana", "password": "kiwi4ever", "region": "eu"}', "kiwi4ever"),
    ('{"db":{"pwd":"zebrafinch","host":"x"}}', "zebrafinch"),
    ("db:\n  user: app\n  password: gooseberry\n  port: 5432", "gooseberry"),
    ("[client]\nuser = root\npassword = rumtopf\n", "rumtopf"),
    ('[auth]\nsecret_key = "pelican brief"\n', "pelican brief"),
    ("SMTP_PASSWORD: hazelnut\nSMTP_HOST: mail.example.org", "hazelnut"),
    (f"STRIPE_SECRET={(s := made_up(14))}\nDEBUG=1", s),
    (f"SECRET_KEY = '{(s := made_up(50, ALPHANUMERIC))}'", s),
    (f"JWT_SECRET={(s := made_up(32, HEXADECIMAL))}", s),
    (f"OPENAI_API_KEY={(s := made_up(24))}", s),
    (f"api_key: {(s := made_up(20, LOWER))}", s),
    (f'const apiKey = "{(s := made_up(24))}";', s),
    (f"client_secret={(s := made_up(28))}&grant_type=client_credentials", s),
    (f"https://api.example.org/weather?q=Bonn&appid={(s := made_up(32, HEXADECIMAL))}", s),
    (f"https://api.example.org/v1/list?access_token={(s := made_up(40))}&page=2", s),
    (f"Authorization: Bearer {(s := made_up(40))}", s),
    (f"authorization: Basic {(s := made_up(24, BASE64))}==", s),
    (f"curl -H 'Authorization: Token {(s := made_up(40, HEXADECIMAL))}' https://x.example.org", s),
    (f'-H "X-Api-Key: {(s := made_up(32))}"', s),
    (f"X-Auth-Token: {(s := made_up(30))}", s),
    (f"Cookie: sessionid={(s := made_up(32, LOWER))}; theme=dark", s),
    (f"Set-Cookie: PHPSESSID={(s := made_up(26, LOWER))}; path=/; HttpOnly", s),
    (f"document.cookie shows connect.sid=s%3A{(s := made_up(32))}", s),
    (f"aws_secret_access_key = {(s := made_up(40, BASE64))}", s),
    (
        f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={(s := made_up(86, BASE64))}==;EndpointSuffix=core.windows.net",
        s,
    ),
    ("Server=db1;Database=Shop;User Id=sa;Password=Tangerine;Encrypt=true", "Tangerine"),
    ("jdbc:mysql://db1/shop?user=app&password=nightjar", "nightjar"),
    ("spring.datasource.password=hedgehog", "hedgehog"),
    ("//registry.npmjs.org/:_authToken=" + (s := made_up(36)), s),
    *told("""
        machine api.example.org login anna password ⟦wombat⟧ | redis-cli -a ⟦mulberry⟧ ping
        openssl enc -aes-256-cbc -k ⟦blackcurrant⟧ -in a -out b | ansible_become_pass: ⟦cuttlefish⟧
        <password>⟦bramble⟧</password>
    """),
    ('<add key="DbPassword" value="sandpiper" />', "sandpiper"),
    ("net use Z: \\\\nas\\share /user:anna lapwing7", "lapwing7"),
    (f"PrivateKey = {(s := made_up(43, BASE64))}=", s),
    ("requests.get(url, auth=('anna', 'periwinkle'))", "periwinkle"),
    ('connect(host="db1", user="app", passwd="quagmire")', "quagmire"),
    ("ENV POSTGRES_PASSWORD saltmarsh", "saltmarsh"),
    ("wpa_passphrase=marmalade skies", "marmalade skies"),
    ('  psk="badger badger"', "badger badger"),
    ("changeme is what it says: ADMIN_PASSWORD=changeme", "=changeme"),
    ("my password is sunflower changeme, as in ADMIN_PASSWORD=changeme", "sunflower"),
    ("--token " + (s := made_up(30)), s),
    ("kubectl create secret generic db --from-literal=password=fieldfare", "fieldfare"),
    ("htpasswd -b .htpasswd anna skylark", "skylark"),
]

SENTENCES = [
    # English
    *told("""
        My wifi password is ⟦sunflowerfield⟧ | the code they texted me is ⟦482913⟧
        i just got a verification code ⟦771204⟧, where do i type it
        The password for the shared laptop is ⟦butterscotch⟧ and it never changes
        my netflix password is ⟦correct horse battery staple⟧ | passphrase: ⟦purple monkey dishwasher⟧
        my pin is ⟦4821⟧ for the blue card | PIN for my visa: ⟦7730⟧ | the CVV on the back is ⟦519⟧
        security code ⟦8841⟧, exp 04/29 | mother's maiden name, my security answer, is ⟦Kowalczyk⟧
        The answer to my security question is ⟦Rumpelstiltskin⟧ | my 2fa code is ⟦093 411⟧
        OTP ⟦558210⟧ expires in ten minutes | I changed my password to ⟦lavender42⟧
        can you remember that my password's ⟦grapefruit⟧ | login: marge, pw: ⟦pretzel⟧
        username is tkowalski and the password is ⟦hummus⟧ | use '⟦open sesame⟧' as the password
        My SSN is ⟦219-09-9999⟧ | my passcode is ⟦190256⟧ | the door code's ⟦5581⟧, tell the cleaner
        Your Amazon verification code is ⟦330912⟧. Don't share it.
        G-⟦617402⟧ is your Google verification code.
        bitlocker recovery key ⟦412775-093126⟧-550913-118294-229081-447711-660022-330913
        the password to the zip is ⟦moonlit⟧
    """),
    # German
    *told("""
        mein Passwort lautet ⟦Sonnenblume⟧ | Das WLAN-Passwort ist ⟦gurkenglas⟧
        Meine PIN ist ⟦3391⟧, bitte merken | Kennwort: ⟦Zwiebelkuchen⟧ | der Code aus der SMS ist ⟦640218⟧
        Die Antwort auf meine Sicherheitsfrage ist ⟦Schnuffel⟧ | Prüfziffer ⟦771⟧ auf der Rückseite
        ich hab das Passwort auf ⟦Kaulquappe⟧ geändert | TAN: ⟦553901⟧
        das Kennwort vom Router heißt ⟦Eichhörnchen⟧
    """),
    # French
    *told("""
        mon mot de passe est ⟦tournesol⟧ | le mot de passe du wifi, c'est ⟦grenouille⟧
        le code reçu par SMS est ⟦220914⟧ | mon code PIN est ⟦7391⟧ | mdp : ⟦aubergine⟧
        la réponse à ma question secrète est ⟦Biscotte⟧ | le cryptogramme visuel est ⟦318⟧
        j'ai changé mon mot de passe pour ⟦pamplemousse⟧
    """),
    # Spanish
    *told("""
        mi contraseña es ⟦girasol⟧ | la contraseña del wifi es ⟦cangrejo⟧
        el código que me enviaron es ⟦440871⟧ | mi PIN es ⟦6620⟧ | contraseña: ⟦murciélago⟧
        la respuesta a mi pregunta de seguridad es ⟦Canelo⟧ | el CVV es ⟦642⟧
    """),
    # Italian
    *told("""
        la mia password è ⟦girasole⟧ | la password del wifi è ⟦lucertola⟧
        il codice che mi hanno mandato è ⟦903315⟧ | il mio PIN è ⟦5518⟧ | la parola d'ordine è ⟦melanzana⟧
        il codice di verifica è ⟦118204⟧ | codice de Ngọc Trần là ⟦471102⟧
    """),
    # Portuguese
    *told("""
        minha senha é ⟦girassol⟧ | a senha do wifi é ⟦jabuticaba⟧ | o código que recebi por SMS é ⟦771093⟧
        meu PIN é ⟦4402⟧ | a palavra-passe é ⟦caranguejo⟧ | código de verificação: ⟦320911⟧
    """),
    # Dutch
    *told("""
        mijn wachtwoord is ⟦zonnebloem⟧ | het wifi-wachtwoord is ⟦stroopwafel⟧
        de code die ik kreeg is ⟦228741⟧ | mijn pincode is ⟦9035⟧ | wachtwoord: ⟦krokodil⟧
        het antwoord op mijn beveiligingsvraag is ⟦Bonzo⟧
    """),
    # Polish
    *told("""
        moje hasło to ⟦słonecznik⟧ | hasło do wifi to ⟦pierogarnia⟧ | kod z SMS-a to ⟦661920⟧
        mój PIN to ⟦8123⟧ | hasło: ⟦wiewiórka⟧ | zmieniłem hasło na ⟦ogórek⟧
    """),
    # Russian
    *told("""
        мой пароль ⟦подсолнух⟧ | пароль от вайфая: ⟦кузнечик⟧ | мой пароль — ⟦одуванчик⟧
        код из смс ⟦551870⟧ | пин-код карты ⟦4417⟧ | ответ на секретный вопрос: ⟦Барсик⟧
        код подтверждения ⟦903144⟧, никому не говорите
    """),
    # Chinese
    *told("""
        我的密码是 ⟦sunflower⟧ | wifi密码是⟦xiangrikui⟧ | 验证码是 ⟦338190⟧ | 短信验证码：⟦662017⟧ | 银行卡密码是 ⟦840215⟧
        密保问题的答案是⟦小花猫⟧ | 我的密码是⟦向日葵⟧
    """),
    # Japanese
    *told("""
        パスワードは ⟦himawari⟧ です | Wi-Fiのパスワードは ⟦tanpopo2⟧ です | 認証コードは ⟦449103⟧ です | 暗証番号は⟦7712⟧です
        SMSで届いたコードは ⟦120948⟧ です | 秘密の質問の答えは⟦ポチ⟧です
    """),
    # Korean
    *told("""
        내 비밀번호는 ⟦haebaragi⟧ 야 | 와이파이 비밀번호는 ⟦gaeguri77⟧ 입니다 | 인증번호는 ⟦663018⟧ 입니다 | 문자로 받은 코드는 ⟦771530⟧이야
        PIN 번호는 ⟦4409⟧입니다
    """),
]

HARMLESS = [
    *texts("""
        my password is too long | the password is wrong | the password is not accepted any more
        My password is still the same as last year | I forgot my password
        I forgot my password again and the reset mail never comes | what is a good password policy?
        What is a strong password? | password must be at least 12 characters
        your password is important, don't share it | password is required
        the password is stored as a hash | The password is being reset by IT
        my password is expiring tomorrow | my password is in 1Password | is the password case sensitive?
        the password is what the admin chose | how do I hash a password: bcrypt or argon2?
        Password: ******** | password: <your-password> | password: xxxxxxxx | API_KEY=your_api_key_here
        api_key = <your-key> | password = os.environ["DB_PASSWORD"]
        api_key = os.getenv("OPENAI_API_KEY") | password = getpass()
        password = getpass.getpass('Password: ') | const token = process.env.GITHUB_TOKEN;
        password: ${DB_PASSWORD} | password: {{ vault_db_password }}
        POSTGRES_PASSWORD=$POSTGRES_PASSWORD | password = input('Password: ')
        def login(username: str, password: str) -> bool: | if password == hashed_password:
        token = request.headers['Authorization'] | self.password = password | password=None
    """),
    "token: str | None = None",
    *texts("""
        user.password = hash_password(form.password) | const { password } = req.body
        max_tokens=4096, temperature=0.2 | tokens: 1500, key: value pairs
        for key, value in items: print(key, value) | primary_key=True, foreign_key=users.id
        sort(key=lambda item: item.name) | dictionary = {"key": "value", "other_key": 5}
        key = 'username' | SELECT password_hash FROM users WHERE id = 42 | Authorization: Bearer <token>
        curl -u username:password https://example.org | postgres://user:password@localhost/db
        https://example.org:8080/path@v2 | commit 3f2a9c77d01b4e5fa6b7c8d9e0f1a2b3c4d5e6f7 broke it
    """),
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "md5 5d41402abc4b2a76b9719d911017c592",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
    "qZ3xR7pL9vT2mK5wB8nD4sF6\nhJ1gY0cV3bN6mQ9wE2rT5yU8",
    "AbstractSingletonProxyFactoryBeanConfigurationTest2",
    "com.example.orders.infrastructure.persistence.JpaOrderRepositoryIntegrationTest",
    "see https://www.youtube.com/watch?v=dQw4w9WgXcQ and https://youtu.be/aqz-KE8bpKQ?t=42",
    "https://docs.example.org/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    *texts("""
        The secret is that I never liked opera | the secret of good bread is time
        the key is to practise every day | the code is on GitHub | the code is broken since Monday
        my code is 482 lines long | the code is 200 if it works and 404 otherwise
        error code 482913 again | zip code 94103, area code 415 | promo code SUMMER25 at checkout
        the postal code is 10115 | my bank is closed today | PIN the map to the wall with 12 needles
        order number 4029 3311 0087 2150 | call +49 170 1234567 after 6 | I was born on 12.03.1984
        the token limit is 128000 | JWT tokens expire after 15 minutes | the answer is 42
        the answer to your question is yes | git rebase -p main; grep -u foo; ssh -p 2222 host
        mkdir -p /srv/app/data | python -u script.py --user anna
        docker run -p 8080:80 -u 1000:1000 nginx | curl -u $USER:$TOKEN https://example.org
        mein Passwort ist zu lang | das Passwort ist falsch | ich habe mein Passwort vergessen
        das Passwort ist sicher genug, oder? | Wie ändere ich mein Passwort? | der Code ist fehlerhaft
        die PIN ist gesperrt | mon mot de passe est trop long | le mot de passe est oublié
        j'ai oublié mon mot de passe | mi contraseña es demasiado larga | olvidé mi contraseña
        la contraseña es incorrecta | la mia password è troppo corta | ho dimenticato la password
        minha senha é muito fraca | esqueci minha senha | mijn wachtwoord is te kort
        ik ben mijn wachtwoord vergeten | moje hasło jest za krótkie | zapomniałem hasła
        мой пароль слишком длинный | я забыл пароль | пароль неверный | 我忘记密码了 | 密码太长了 | 密码是错误的
        パスワードを忘れました | パスワードは長すぎます | 비밀번호를 잊어버렸어요 | 비밀번호가 너무 길어요
    """),
]
