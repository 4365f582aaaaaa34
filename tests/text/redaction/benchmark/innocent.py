"""What holds no secret but looks as if: prose and code at hand, and lines made for the purpose."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

from text.redaction.benchmark.parts import B64, HEX, UPPER, chars, number, uuid

_ROOT = Path(__file__).parents[4]
# Much prose, and code that speaks of passwords, tokens and keys without holding any.
_MODULES = """
argparse ast asyncio/base_events asyncio/sslproto asyncio/streams base64 calendar cmd codecs
collections/__init__ concurrent/futures/thread configparser contextlib copy csv dataclasses datetime
difflib doctest email/message enum fractions functools getpass gettext hashlib heapq hmac http/client
http/cookies http/server imaplib inspect ipaddress json/decoder keyword locale logging/__init__
mimetypes netrc numbers operator optparse os pathlib pickle platform plistlib poplib pprint
pydoc_data/topics queue random re/_parser sched secrets selectors shelve shlex shutil smtplib socket
ssl statistics string subprocess tarfile tempfile textwrap threading timeit token tokenize traceback
types typing unittest/mock urllib/parse uuid warnings weakref webbrowser wsgiref/simple_server
xml/dom/minidom zipfile/__init__ zoneinfo/_common
""".split()


def texts() -> Iterator[tuple[str, str]]:
    """Prose and code: where it is from, and the text."""
    library = Path(os.__file__).parent
    for name in _MODULES:
        file = next(
            (f for f in (library / f"{name}.py", library / f"_{name}.py") if f.exists()), None
        )
        if file is not None:
            yield name, file.read_text(encoding="utf-8")
    for file in sorted([*_ROOT.glob("docs/*.md"), *_ROOT.glob("examples/workspace/**/*.md")]):
        yield file.name, file.read_text(encoding="utf-8")


def lines() -> list[str]:
    """Lines that a careless rule would take for secrets."""
    rng = Random("innocent")

    def hexes(count: int) -> str:
        return chars(rng, count, HEX)

    def picture(count: int) -> str:
        return base64.b64encode(rng.randbytes(count)).decode()

    git = hashlib.sha1(b"innocent").hexdigest()
    return [
        *_LINES.strip().split("\n"),
        *_TALKS.strip().split("\n%\n"),
        f"commit {git}\nAuthor: Kim <kim@example.com>\n\n    Mend the password prompt",
        f"git checkout {git[:9]} # before the token refresh",
        f"The change landed in {git}.",
        f"index {hexes(7)}..{hexes(7)} 100644",
        f"Merge: {hexes(9)} {hexes(9)}",
        f"HEAD is now at {hexes(7)} Rename secret to nonce",
        f"sha256:{hexes(64)}",
        f"sha256sum: {hexes(64)}  memdown-0.9.tar.gz",
        f"{hexes(64)}  password-store.tar.gz",
        f"md5: {hexes(32)}",
        f'ETag: "{hexes(32)}"',
        f"image: registry.example.com/api@sha256:{hexes(64)}",
        f'"integrity": "sha512-{picture(64)}"',
        f'"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#{hexes(40)}"',
        f"requests==2.32.0 --hash=sha256:{hexes(64)}",
        f"order id {uuid(rng)} has shipped",
        f"request_id={uuid(rng)} status=200",
        f'{{"id": "{uuid(rng)}", "type": "message"}}',
        f"trace-id: {hexes(32)} span-id: {hexes(16)}",
        f"traceparent: 00-{hexes(32)}-{hexes(16)}-01",
        f"correlationId: {uuid(rng)}",
        f"tenant {uuid(rng)} in subscription {uuid(rng)}",
        f"![logo](data:image/png;base64,{picture(300)})",
        f'<img src="data:image/gif;base64,{picture(120)}" alt="key">',
        f"background: url(data:image/svg+xml;base64,{picture(90)});",
        f"@font-face {{ src: url(data:font/woff2;base64,{picture(200)}) }}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chars(rng, 43, B64)} kim@laptop",
        f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{chars(rng, 340, B64)} kim@laptop",
        f"{'-' * 5}BEGIN PUBLIC KEY{'-' * 5}\n{chars(rng, 64, B64)}\n{chars(rng, 64, B64)}\n{'-' * 5}END PUBLIC KEY{'-' * 5}",
        f"{'-' * 5}BEGIN CERTIFICATE{'-' * 5}\n{chars(rng, 64, B64)}\n{chars(rng, 64, B64)}\n{'-' * 5}END CERTIFICATE{'-' * 5}",
        f"[Peer]\nPublicKey = {chars(rng, 43, B64)}=\nAllowedIPs = 10.8.0.2/32",
        f"SHA256:{chars(rng, 43, B64)} is the key fingerprint",
        f"The key fingerprint is MD5:{':'.join(hexes(2) for _ in range(16))}",
        f"gpg --recv-keys {chars(rng, 40, '0123456789ABCDEF')}",
        f"contract 0x{hexes(40)} on mainnet",
        f"transaction 0x{hexes(64)} was mined in block {number(rng, 8)}",
        f"https://www.youtube.com/watch?v={chars(rng, 11)}",
        f"https://docs.google.com/document/d/{chars(rng, 44)}/edit",
        f"https://www.figma.com/file/{chars(rng, 22)}/Login-screen",
        f"https://example.zoom.us/j/{number(rng, 11)}",
        f"s3://acme-logs/2026/03/{uuid(rng)}.json.gz",
        f"Tracking number: 1Z{chars(rng, 16, UPPER + '0123456789')}",
        f"order no. {number(rng, 3)}-{number(rng, 7)}-{number(rng, 7)}",
        f"Invoice INV-2026-{number(rng, 6)}, due in 30 days",
        f"IMEI {number(rng, 14)}1",
        f"timestamp {number(rng, 13)} and counter {number(rng, 16)}",
        f"pid={number(rng, 5)} tid={number(rng, 15)}",
        f"MAC {':'.join(hexes(2) for _ in range(6))}, serial {chars(rng, 12, UPPER + '0123456789')}",
        f"Nonce: {number(rng, 10)}, height {number(rng, 6)}",
        f"Docker image {hexes(12)} removed",
        f"container {hexes(64)} exited with code 137",
        f"build id {hexes(20)}, cache key pip-3.12-{hexes(16)}",
        f"cache-key: node-modules-{hexes(64)}",
        f"chunk-{hexes(8)}.js 42.1 kB",
        f"/static/app.{hexes(20)}.css",
        f"revision {hexes(40)} of the partition key",
        f"primary_key={number(rng, 12)}",
        f"Idempotency-Key: {uuid(rng)}",
        f"public key: {chars(rng, 43, B64)}=",
        f"age1{chars(rng, 58, 'qpzry9x8gf2tvdw0s3jn54khce6mua7l')} is the recipient",
        f"publishable key pk_{'live'}_{chars(rng, 24)} goes into the page",
        f"sort key 2026-03-01#{hexes(12)}",
    ]


_LINES = """
the password is wrong
The password is incorrect, try again.
Your password is too short: use at least 12 characters.
The password is required.
The password is stored in the vault, never in the repository.
The password is empty, so login is refused.
Reset your password by following the link in the mail.
I forgot my password.
password reset requested for kim@example.com
How do I change the password?
What is the password policy?
Please enter your password:
Password:
Passwords must match.
Confirm password
The password field is hidden until the form is valid.
Use a password manager such as Bitwarden.
Our password manager is 1Password
Password manager: 1Password
The password policy is strict
The password database is KeePassXC
password hasher is argon2id
Passphrase generator is diceware
Password strength meter is zxcvbn
Password auth: disabled on the bastion
Gestionnaire de mots de passe : Bitwarden
El gestor de contraseñas es Bitwarden
O gerenciador de senhas é o Bitwarden
Менеджер паролей: Bitwarden
パスワード管理は 1Password
The Wi-Fi password is on the fridge.
The token is expired.
The token is invalid or has been revoked.
The token bucket refills ten times a second.
max_tokens = 4096
max_tokens: 200000
tokens: 1532 in, 88 out
"usage": {"input_tokens": 1532, "output_tokens": 88}
The tokenizer splits unbelievable into un believ able.
token_type: bearer
tokenUrl: https://auth.example.com/oauth/token
CSRF token missing or incorrect.
secret santa is on December 18
The secret to good bread is time.
It's no secret that the API is slow.
secretName: shop-db
secretKeyRef:
the API key is missing
Invalid API key provided.
Set the API key in the settings page.
Where do I get an API key?
api_key_header = "X-API-Key"
api_key: str | None = None
password: str = Field(min_length=8)
password = getpass.getpass()
password = os.environ["DB_PASSWORD"]
const password = process.env.DB_PASSWORD;
password=${DB_PASSWORD}
password: ${{ secrets.DB_PASSWORD }}
DB_PASSWORD={{ vault_db_password }}
password: !vault |
PASSWORD=$(cat /run/secrets/db)
export TOKEN=$(gh auth token)
Authorization: Bearer $TOKEN
Authorization: Bearer <token>
Authorization: Bearer YOUR_TOKEN
curl -u "$USER:$PASS" https://api.example.com
curl -u user:password https://api.example.com
mysql -u root -p shop
psql -h localhost -U postgres -p 5432 shop
ssh -p 2222 kim@web1
docker run -p 8080:80 nginx
mkdir -p src/main/java
password_file: /run/secrets/db_password
password_file = /etc/postgres/password.txt
MYSQL_PASSWORD_FILE=/run/secrets/mysql
POSTGRES_PASSWORD_FILE: /run/secrets/pg
ssl_key_file = '/etc/ssl/private/server.key'
passwordPath: secrets/app/password
--password-stdin reads it from standard input
--password-file ~/.restic-password
{"type": "object", "properties": {"password": {"type": "string", "minLength": 8}}}
"password": {"type": "string", "format": "password"}
"required": ["username", "password"]
password VARCHAR(255) NOT NULL,
password_hash TEXT,
SELECT id, password FROM users WHERE id = 7
<label for="password">Password</label>
<input type="password" name="password" placeholder="Your password">
password.addEventListener('input', validate)
if password != confirm_password:
def check_password(self, password: str) -> bool:
assert password is not None
return password == expected
raise ValueError("password must not be empty")
self.password = password
user.password = hash_password(form.password)
The pass rate was 93 percent.
pass: 41, fail: 2, skip: 0
pass
PASS tests/login.test.js
passes: 12
Boarding pass: gate B42, seat 17A
The mountain pass is closed until May.
key: value
key: Enter
Primary key: id
KeyError: 'password'
keyboard shortcut: Ctrl+Shift+P
key=blue-suede-shoes-size-42
https://shop.example.com/?key=blue-suede-shoes-size-42
The key is under the mat.
The key point is that reads are cheap.
keyword arguments: timeout, retries
sort by key, then by value
foreign key (user_id) references users (id)
Press any key to continue . . .
partition_key: customer_id
pin 13 is the LED, pin 7 is ground
PIN header 2x20, pitch 2.54 mm
GPIO pin: 17
pin: 6 (SDA), pin: 7 (SCL)
Pin this message to the channel.
J4 pin 4821 is not fitted
pinned versions: 2.31.0
the PIN is four digits long
I have a pin code lock, which is annoying
code: 404
error code: 10061
exit code: 137
country code: 0049
area code 030, zip code 10115
Postleitzahl 10115 Berlin
color: #ff8800; background: #1a2b3c4d
--accent: #e0a458;
rgba(12, 34, 56, 0.5)
ISBN 978-3-16-148410-0
ISBN-13: 9780306406157
DOI 10.1000/182
+49 30 901820 is the city's number
call me at +1 (415) 555-0132
Tel.: 030 12345678
fax 0221-4710-815
VAT DE123456789
flight LH 1234 on 2026-03-04 at 17:45
version 2026.03.04+build.1187
GUID of the partition type: see the wiki
Content-Length: 1048576
x = 0xdeadbeef
\\u00e9\\u00e8\\u00ea
/usr/lib/python3.12/site-packages/passlib/handlers/bcrypt.py
C:\\Users\\Kim\\AppData\\Local\\Programs\\KeePass\\KeePass.exe
https://example.com/account/password/reset
https://api.example.com/v1/tokens?page=2&limit=50
https://user@example.com/path
postgres://localhost:5432/shop
postgres://user:password@localhost/db
redis://cache1:6379/0
git@github.com:acme/app.git
kim@example.com: please call
const TOKEN_EXPIRY_SECONDS = 3600;
TOKEN_TTL=900
SESSION_COOKIE_NAME = "sessionid"
session_timeout: 1800
cookie consent: accepted
Cookie: lang=de; theme=dark
sk-learn is short for scikit-learn
sk-SK is the locale of Slovakia
the task-sk-board has twelve cards
AKIA is the prefix of long-term access keys
Bearer tokens are sent in a header.
basic auth is enough here
Basic understanding of Kubernetes is required
Das Passwort ist falsch.
Das Passwort muss geändert werden.
Passwort vergessen?
Wie ändere ich mein Passwort?
Das Geheimnis guten Brotes ist Zeit.
Der Schlüssel liegt unter der Matte.
Le mot de passe est incorrect.
Mot de passe oublié ?
La clé est sous le paillasson.
La contraseña es incorrecta.
¿Olvidaste tu contraseña?
La clave del éxito es la paciencia.
A senha é obrigatória.
Esqueci minha senha.
A chave está debaixo do tapete.
La password è sbagliata.
La chiave è sotto lo zerbino.
Het wachtwoord is verlopen.
De sleutel ligt onder de mat.
密码错误，请重试。
忘记密码怎么办？
密码长度至少为八位。
パスワードが間違っています。
パスワードを忘れた場合はこちら
パスワードは８文字以上必要です。
Пароль неверный.
Забыли пароль?
Пароль должен содержать не менее 8 символов.
12 words: apple, pear, plum and nine others
the seed of the random generator is 42
recovery took three weeks
backup codes are in the safe
four numbers: 4111, 2222, 3333, 4444
PB-1500, XR-220 and ER605 are routers
"""

# Conversations in which the question is asked and not answered; divided by a line with %.
_TALKS = """
What is the password?
I don't know.
%
What is the password?
Ask Karin, she set it up.
%
Wie lautet das Passwort?
Steht im Tresor.
%
¿Cuál es la contraseña?
No la sé.
%
password: [redacted: password]
%
| name | password |
|---|---|
| Wiki | see vault |
%
user: kim
role: admin
region: eu-west-1
%
## Passwords

We keep them in the vault. Nobody writes them down.
"""
