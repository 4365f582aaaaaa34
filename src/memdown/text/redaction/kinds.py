"""The tables of secrets told by their shape or their place: one kind a row, how it is found, what proves it.

Every pattern is for RE2: no look-around, no back references, linear time on any text. An example
is written with its random part in braces, so that no file holds anything that looks like a live
key: `{36}` stands for 36 letters and digits, `{36x}` for hex digits, `{36X}` for capitals and
digits, `{36w}` also for `_` and `-`, `{36b}` also for `+` and `/`, `{6d}` for digits. Where only a
part of an example is secret, that part stands in `«»`. The tests make texts of the examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memdown.text.redaction.values import (
    anything,
    both_cases,
    has_digit,
    is_basic,
    is_card,
    is_session,
    keylike,
    like_a_password,
    mixed,
    option,
    real,
    striking,
    varied,
)
from memdown.values import dataclass

_OPEN_END = re.compile(r"\{(\d+),\}")
# Before a token: anything but a letter or digit. `\b` would not do, since it takes `_` for a letter.
BEFORE = "(?:^|[^A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of secret.

    `pattern` has the secret in its only group; `hint` is some part near the start of every match,
    of bounded length, so that most texts are passed over after one look; `check` is asked about what matched. `word`
    means that no letter or digit may stand before the hint. `body` is the pattern of a key alone,
    and `cut` the hint for one that goes on in the next line.
    """

    name: str
    hint: str
    pattern: str
    examples: tuple[str, ...]
    others: tuple[str, ...] = ()
    check: Callable[[str], bool] = anything
    word: bool = False
    body: str = ""
    cut: str = ""


def token(
    name: str,
    start: str,
    rest: str,
    *examples: str,
    others: tuple[str, ...] = (),
    word: bool = True,
    check: Callable[[str], bool] = has_digit,
    hint: str = "",
    cut: str | None = None,
) -> Kind:
    """A key that is told by how it starts.

    `word` is for starts that also end ordinary words; a start that many texts hold needs a `hint`
    that few do. `cut` is the hint for a key that a line break cuts in two; "" looks for none, where
    the words of two lines often make one.
    """
    body = f"(?:{start})(?:{rest})"
    pattern = f"{BEFORE}({body})" if word else f"({body})"
    hint = hint or _OPEN_END.sub(r"{\1}", start)
    cut = hint if cut is None else cut
    return Kind(name, hint, pattern, examples, others, check, word, body, cut)


def shape(
    name: str,
    hint: str,
    pattern: str,
    *examples: str,
    others: tuple[str, ...] = (),
    check: Callable[[str], bool] = anything,
) -> Kind:
    """A secret that is told by the text around it; the secret is the pattern's only group."""
    return Kind(name, f"(?i:{hint})", pattern, examples, others, check)


def command(
    name: str,
    hint: str,
    pattern: str,
    *examples: str,
    others: tuple[str, ...] = (),
    check: Callable[[str], bool] = anything,
) -> Kind:
    """A secret on the command line of a program, with whose name hint and pattern begin."""
    return Kind(name, f"(?i:{hint})", f"{BEFORE}(?i:{pattern})", examples, others, check, True)


# Secrets that are told by the place they stand in: commands, headers, addresses, files.
#
# A row is `shape(name, hint, pattern, examples…)`: the pattern's only group is the secret, and the
# hint is some part that every text with such a secret holds, in any case.

# A value on a command line: quoted, or up to the next blank; never another option or a variable.
_ARG = r"""[\\]?["']?([^\s"'`|;<>$(-][^\s"'`|;<>]*)"""

# fmt: off
_COMMANDS: tuple[Kind, ...] = (
    command("password", r"(?:curl|https?|wget|xh|ab|hurl|etcdctl)(?:\.exe)?\s", r"""(?:curl|https?|wget|xh|ab|hurl|etcdctl)(?:\.exe)?\s(?:[^\n]*?\s)?(?:-u|-a|-U|-A|--user|--proxy-user|--auth|--basic)[ =]?\s*["']?[^\s:"'/]+:([^\s"'@]+)""",
          "curl -u ann:«{12}» https://api.example.com", "curl -s --user 'ann:«{12}»' https://x.example.com", "http -a ann:«{10}» :8000/x", "curl https://example.com -uann:«{12}»",
          others=("curl -u ann https://api.example.com", "curl -u $USER:$PASS https://x.example.com"), check=real),
    command("password", "mysql|mariadb|mycli|xtrabackup", r"""(?:mysql\w*|mariadb[\w-]*|mycli|xtrabackup)(?:\.exe)?\s(?:[^\n|;`]*?\s)?-p["']?([^\s"'|;<>$(-][^\s"'|;<>]*)""",
          "mysql -u root -p«{12}» shop", "mysqldump -h db -uroot -p'«{12}»' shop > x.sql", others=("mysql -u root -p shop", "mysql -uroot -P 3306 shop", "mysql -u root -p$DB_PASS"), check=real),
    command("password", r"(?:sshpass|login|mongo\w{0,12}|evil-winrm|crackmapexec|netexec|nxc|rdesktop|cqlsh|hydra|arangosh)\s", r"(?:sshpass|(?:docker|podman|nerdctl|helm|oc|az|cf|skopeo|buildah|crane|oras|registry|acr)\s[^\n|;`]*?login|mongo\w*|evil-winrm|crackmapexec|netexec|nxc|rdesktop|cqlsh|hydra|arangosh)\s(?:[^\n|;`]*?\s)?-p[ =]?" + _ARG,
          "sshpass -p «{12}» ssh ann@host", "sshpass -p'«{12}»' scp x y:", "docker login -u ann -p «{20}» registry.example.com", "mongosh -u root -p «{12}» --host db", "az login -u ann -p «{12}»", others=("docker login -u ann -p $TOKEN", "docker run -p 8080:80 login"), check=real),
    command("password", r"(?:sqlcmd|bcp|osql|isql|tsql|(?:un)?zip|plink|pscp|psftp|putty|7za?|(?:un)?rar)\s", r"(?:(?:sqlcmd|bcp|osql|isql|tsql|unzip|zip)\s(?:[^\n|;`]*?\s)?-P\s*|(?:plink|pscp|psftp|putty)\s(?:[^\n|;`]*?\s)?-pw\s+|(?:7za?|rar|unrar)\s(?:[^\n|;`]*?\s)?-p)" + _ARG,
          "sqlcmd -S db -U sa -P '«{12}»'", "unzip -P «{12}» x.zip", "plink -ssh ann@host -pw «{12}»", "7z x a.7z -p«{12}»", check=real),
    command("password", r"(?:(?:redis|valkey|keydb)-cli|ldap[a-z]{1,12}|security|smbclient|rpcclient|net|[xw]?freerdp3?|ipmitool|snmp[a-z]{1,12})\s", r"(?:(?:redis|valkey|keydb)-cli\s(?:[^\n|;`]*?\s)?(?:-a|--pass)\s+|ldap[a-z]+\s(?:[^\n|;`]*?\s)?-w\s*|security\s+add-\S+-password\s(?:[^\n|;`]*?\s)?-w\s+|[xw]?freerdp3?\s(?:[^\n|;`]*?\s)?/p:|ipmitool\s(?:[^\n|;`]*?\s)?-P\s*|snmp[a-z]+\s(?:[^\n|;`]*?\s)?-[AX]\s+|(?:smbclient|rpcclient|net)\s(?:[^\n|;`]*?\s)?-U\s*[\"']?[^\s%\"']+%)" + _ARG,
          "redis-cli -h cache -a «{12}» ping", "ldapsearch -x -D cn=admin -w «{12}» -b dc=x", "xfreerdp /u:ann /p:«{12}» /v:host", "smbclient //srv/share -U ann%«{12}»", check=real),
    shape("password", r"\s-u", r"\s-u\s*[\w.@-]+\s(?:[^\n|;`]*?\s)?-[pP]\s*" + _ARG, "mosquitto_pub -h x -u ann -P «{10}» -t y", "snowsql -u ann -p «{10}»", others=("docker run -u ann -p 8080:80 nginx", "x -u ann -p db2"), check=mixed),
    command("password", r"net1?\s{1,4}use", r"net1?(?:\.exe)?\s+(?:use\s+(?:\S+\s+){1,2}?/user:\S+\s+|user\s+\S+\s+)" + _ARG, r"net use Z: \\srv\share /user:corp\ann «{12}»", "net user ann «{12}» /add", others=("net user ann /delete", "the net user count grew"), check=like_a_password),
    command("password", r"net1?\s{1,4}use", r"net1?(?:\.exe)?\s+use\s+(?:\S+\s+){1,2}?([^\s/*][^\s]*)\s+/user:", r"net use \\srv\share «{12}» /user:corp\ann", check=like_a_password),
    command("password", "htpasswd|rabbitmqctl|wpa_passphrase", r"(?:htpasswd\s+(?:-\w+\s+)*-?\w*b\w*\s+(?:-\w+\s+)*(?:[\w./~-]+[./]\S*\s+)?[\w.@-]+\s+|htpasswd\s+-n\w*\s+[\w.@-]+\s+|rabbitmqctl\s+(?:add_user|change_password|authenticate_user)\s+\S+\s+|wpa_passphrase\s+(?:\"[^\"]*\"|\S+)\s+)" + _ARG,
          "htpasswd -b /etc/x.htpasswd ann «{12}»", "htpasswd -nb ann «{12}»", "rabbitmqctl add_user ann «{12}»", "wpa_passphrase Home «{12}»", check=real),
    command("password", r"(?:echo|printf)\s", r"""(?:echo|printf)\s+(?:-\w+\s+)?["']?(?:[\w.-]+:)?([^\s"'|$:][^\s"'|]*)["']?\s*\|\s*[^\n|]*?(?:-stdin|sudo\s+-S|-with-token|passphrase-fd|chpasswd|cryptsetup|smbpasswd|kinit|pass\s+stdin|-pw-stdin|secrets?\s+(?:set|put|create|add))""",
          "echo «{12}» | sudo -S apt update", "echo '«{20}»' | docker login -u ann --password-stdin", 'echo "ann:«{12}»" | chpasswd', others=("echo hello | wc", "echo $PASS | sudo -S ls"), check=real),
    shape("password", r"sudo\s{1,4}-S", r"sudo\s+-S[^\n]*<<<\s*[\"']?([^\s\"'$][^\s\"']*)", "sudo -S ls <<< '«{12}»'", check=real),
    command("password", r"(?:sqlplus|rman|imp|exp|sqlldr|expdp|impdp)\s", r"(?:sqlplus|rman|imp|exp|sqlldr|expdp|impdp)\s+(?:-\S+\s+)*(?:\w+=)?[\w.]+/([^\s@\"'/]+)@", "sqlplus scott/«{12}»@db1", "sqlplus -s scott/«{12}»@//db:1521/x", others=("exp foo/bar.txt",), check=real),
    shape("password", "psexec|wmiexec|smbexec|secretsdump|GetUserSPNs|atexec|dcomexec|mssqlclient", r"(?i)(?:psexec|wmiexec|smbexec|secretsdump|GetUserSPNs|atexec|dcomexec|mssqlclient)(?:\.py)?\s(?:[^\n]*?\s)?['\"]?(?:[\w.-]+[/\\])?[\w.-]+:([^\s@'\"]+)@", "psexec.py corp/ann:«{12}»@10.0.0.5", check=real),
    shape("password", r"-pass\w{0,8}\s{1,4}[\"']?pass:", r"(?i)-(?:pass|passin|passout|passphrase)\s+[\"']?pass:([^\s\"']+)", "openssl rsa -in k.pem -passin pass:«{12}»", "openssl enc -aes-256-cbc -pass 'pass:«{12}»'", others=("openssl rsa -passin env:PASS",), check=real),
    command("password", "openssl|ssh-keygen|keytool|jarsigner|apksigner", r"(?:openssl\s+\w+\s(?:[^\n|;`]*?\s)?-[kK]\s+|ssh-keygen\s(?:[^\n|;`]*?\s)?-[NP]\s+|(?:keytool|jarsigner|apksigner)\s(?:[^\n|;`]*?\s)?-(?:src|dest|new)?(?:store|key)pass(?:wd)?\s+)" + _ARG,
          "keytool -genkey -storepass «{12}»", "ssh-keygen -t rsa -N '«{12}»'", "openssl enc -aes-256-cbc -k «{12}»", check=real),
    shape("key", r"aws\s{1,4}configure|configure\s{1,4}set|config\s{1,4}set|set-secret|secret\s{1,4}set|secrets?\s{1,4}(?:set|put|create|add)|variable\s{1,4}set", r"(?i)(?:config(?:ure)?|secrets?|vars?|env|variable)(?::|\s+)(?:set|add|put|create)\s+[^\n]*?(?:secret|token|key|password|_auth)[\w./:-]*(?:\s+|=)(?:-\w\s+|--\w+\s+)?" + _ARG,
          "aws configure set aws_secret_access_key «{40b}»", "npm config set //registry.npmjs.org/:_authToken «{36}»", "heroku config:set API_TOKEN=«{20}»", "gh secret set API_KEY --body «{20}»", others=("gh secret set MY_TOKEN < file.txt", "git config set user.signingkey ABCDEF"), check=mixed),
    shape("secret", "from-literal", r"--from-literal(?:=|\s+)[\"']?[\w.-]+=[\"']?([^\s\"']+)", "kubectl create secret generic x --from-literal=a=«{12}»", others=("--from-literal=user=admin", "--from-literal=host=$HOST"), check=mixed),
    shape("password", r"-[a-z-]{0,20}pass(?:word|wd|phrase|code)?[ =]", r"(?i)(?:^|[\s\"'\[])--?(?:[a-z0-9-]*-)?pass(?:word|wd|phrase|code)?(?:\s+|=)" + _ARG, "wget --user ann --password «{8}» https://x.example.com", "mongodump --password=«{8}» --db x", "gpg --passphrase «{8}» -d x.gpg", others=("mysql --password --host x", "run with --password $PASS", "use --password-stdin", "the --password option is new"), check=option),
    shape("password", r"login\s", r"(?i)login\s+\S+\s+password\s+([^\s\"']+)", "machine example.com login ann password «{8}»", "machine x.example.com\n  login ann\n  password «{8}»", check=real),
    shape("password", "ConvertTo-SecureString", r"(?i)ConvertTo-SecureString\s+(?:-\w+\s+)*[\"']([^\"'\n$]+)[\"']", "ConvertTo-SecureString '«{12}»' -AsPlainText -Force", check=real),
    shape("password", r"identified\s{1,4}(?:by|with)", r"(?i)identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?['\"]([^'\"\n]+)['\"]", "CREATE USER 'ann'@'%' IDENTIFIED BY '«{12}»';", "ALTER USER ann IDENTIFIED WITH mysql_native_password BY '«{12}»'", check=real),
    shape("password", r"nickserv|requirepass|masterauth|quote\s{1,4}pass|(?-i:(?:AUTH|PASS)\s)", r"(?:(?i:nickserv\s+identify|(?:^|\n)\s*(?:requirepass|masterauth)|quote\s+pass)\s+|(?:^|[\n>»]\s*)(?:AUTH|PASS)\s+(?:(?:default|LOGIN|PLAIN)\s+)?)([^\s\"'<>|]{5,})", "/msg NickServ IDENTIFY «{12}»", "requirepass «{20}»", "AUTH «{12}»", others=("AUTH required", "PASS tests/x.py", "AUTH LOGIN"), check=mixed),
    shape("password", r"(?-i:(?:PASS|pass)[ \t]{1,8}\S{5})", r"(?:^|\n)[ \t]*(?:>+[ \t]*|C:[ \t]*)?(?:PASS|pass)[ \t]+([^\s\"'<>|/\\]{5,})\s*(?:\r?\n|$)", "USER ann\nPASS «{12}»\n", check=striking),
    shape("token", r"(?:vault|netlify|wandb|railway)\s{1,4}login|auth\s{1,4}login|authtoken|snyk\s{1,4}auth|login\s{1,4}--token|auth\s{1,4}--?token", r"(?i)(?:vault\s+login|ngrok\s+(?:config\s+add-)?authtoken|auth(?:\s+login)?\s+--?token|netlify\s+login|snyk\s+auth|huggingface-cli\s+login\s+--token|wandb\s+login|railway\s+login)[ =](?:-\S+\s+)*" + _ARG, "vault login «{26}»", "ngrok authtoken «{27}_{21}»", "wandb login «{40x}»", check=keylike),
)

_HEADERS: tuple[Kind, ...] = (
    shape("authorization", "authorization", r"""(?i)authorization[\\"'\]]*\s*[:=,]\s*[\\"'`]*(?:(?:[a-z0-9-]+\s+)(?:(?:token|apikey|credential)\s*=\s*)?)?[\\"']*([^\s"'`\\,<>{}$]{8,})""",
          "Authorization: «{40}»", "'Authorization': 'Token «{40x}»'", "Authorization: ApiKey «{40b}»", "authorization: Splunk «{8x}-{4x}-{4x}-{4x}-{12x}»", "Proxy-Authorization: Basic «YW5uOnBhc3N3b3JkMQ==»",
          others=("Authorization: Bearer <token>", "authorization: required for administrators", "Authorization: Bearer ${TOKEN}"), check=mixed),
    shape("bearer token", r"bearer\s", r"(?i)(?:^|[^a-z])bearer\s+[\\\"'`]*([\w.~+/=-]{12,})", "Bearer «{40w}»", "use bearer «{24}» for it", others=("Bearer authentication-scheme", "bearer YOUR_ACCESS_TOKEN_HERE"), check=keylike),
    shape("basic credentials", r"basic\s", r"(?i)(?:^|[^a-z])basic\s+([A-Za-z0-9+/_-]{8,}={0,2})", "Basic «YW5uOnBhc3N3b3JkMQ==»", others=("Our basic idea: keep it simple.", "basic knowledge of it"), check=is_basic),
    shape("session cookie", r"sess(?:ion)?_?id|(?:^|[^a-z])sid=|connect\.sid|_session|session=|csrf|xsrf|li_at|auth_token|cf_clearance|c_user|remember", r"(?i)(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|sess(?:ion)?[_-]?id|connect\.sid|(?:^|[^a-z])sid|[a-z]+_session|(?:^|[^a-z_])session|csrf[-_]?token|csrftoken|xsrf-token|li_at|auth_token|cf_clearance|remember_token)[\"']*\s*[=:]\s*[\"']?([\w%.~+/=-]{16,})", "PHPSESSID=«{26}»", "connect.sid=«s%3A{32}.{43}»", "sessionid: «{32}»", others=("session = requests.Session()", "session_id: string identifier", "session=my_session_object_name", '"sessionId": "550e8400-e29b-41d4-a716-446655440000"'), check=is_session),
)

_ADDRESSES: tuple[Kind, ...] = (
    shape("password in an address", r":\\?/\\?/[^\s/@\"'<>]{0,120}[:@]", r"(?i)[a-z][a-z0-9+.-]*:\\?/\\?/[^\s/:@\"'<>`|]*:([^\s/\"'<>@`|]+(?:@[^\s/\"'<>@.`|]+)*)@", "postgres://ann:«{14}»@db.example.com/shop", "redis://:«{14}»@cache:6379", "https://ann:«{14}»@git.example.com/x.git", "mongodb+srv://ann:«{12}»@c0.example.net/?x=1",
          others=("see http://localhost:8080/a@b", "postgres://user:password@host/db", "postgres://$USER:$PASS@host/db", "http://host:8080/path?q=a@b"), check=real),
    shape("password in an address", r"://[^\s/@\"'<>]{0,120}[:@]", r"(?i)[a-z][a-z0-9+.-]*://[^\s/:@\"'<>`|]+:([^\s\"'<>@`|]*[/#?][^\s\"'<>@`|]*)@[\w.-]+[:/]", "postgres://ann:«p{6}/{6}»@db.example.com:5432/shop", others=("http://host:8080/@scope/pkg", "see https://example.com:8443/a/b?c=d@e.com"), check=mixed),
    shape("token in an address", r"://[^\s/@\"'<>]{0,120}[:@]", r"(?i)[a-z][a-z0-9+.-]*://([\w.~%-]{16,})(?::x-oauth-basic|:)?@", "git clone https://«{36}»@git.example.com/x.git", "https://«{32x}»@o12.ingest.sentry.io/34", others=("ssh://deployment-user-name@host.example.com/x",), check=keylike),
    shape("signature", r"[?&;#](?:sig|signature|x-[a-z-]{1,24}|[a-z_.-]{0,24}key|code|auth|[a-z_.-]{0,24}token|[a-z_.-]{0,24}secret|sid|jwt|ticket|hash|state|invite|session|hmac|st|s|k|t)=", r"(?i)[?&;#](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|[\w.-]*key|code|auth|[\w.-]*token|[\w.-]*secret|sid|jwt|ticket|hash|state|invite|session|hmac|st|s|k|t)=([\w%.~+/=-]{16,})", "GET /x?sig=«{43}%3D&se=1»", "https://x.example.com/a?key=«{32}»", "https://x.example.com/cb#access_token=«{40}»&x=1", "/api?code=«{54}==»", others=("https://shop.example.com/?key=blue-suede-shoes-size-42", "https://example.com/docs?code=python-example-3&page=2", "?state=waiting-for-approval-2"), check=keylike),
    shape("password in an address", r"[?&;](?:pass\w{0,12}|pwd|pw|p)=", r"(?i)[?&;](?:pass(?:word|wd|code|phrase)?|pwd|pw|p)=([^\s&\"'<>#`;]{4,})", "https://zoom.example.com/j/123?pwd=«{20}»", "http://cam.local/x.cgi?user=a&pwd=«{8}»", others=("https://x.example.com/?page=2&p=introduction", "?pass=true"), check=mixed),
    shape("one-time password secret", "otpauth", r"(?i)otpauth(?:-migration)?://[^\s\"'<>]*[?&](?:secret|data)=([\w%+/=-]{8,})", "otpauth://totp/X:ann?secret=«{32B}»&issuer=X"),
    shape("chat webhook", r"webhook\.office\.com|hooks\.zapier|chat\.googleapis|hook\.\w{1,8}\.make\.com|maker\.ifttt|open\.feishu|oapi\.dingtalk|qyapi\.weixin|logic\.azure|outlook\.office", r"((?:[\w.-]*webhook\.office\.com/webhookb2/|outlook\.office\.com/webhook/|hooks\.zapier\.com/hooks/catch/|hook\.\w+\.make\.com/|maker\.ifttt\.com/[^\s\"']*?with/key/|open\.feishu\.cn/open-apis/bot/v2/hook/)[\w@/.-]{12,})", "https://«corp.webhook.office.com/webhookb2/{8x}-{4x}-{4x}-{4x}-{12x}@{8x}/IncomingWebhook/{32x}/{36}»", "https://«hooks.zapier.com/hooks/catch/{7d}/{7}»", check=has_digit),
    shape("bot token", "/bot[0-9]", r"/bot([0-9]{8,10}:[\w-]{30,})", "https://api.telegram.org/bot«{10d}:{35w}»/getMe"),
    shape("account key", "accountkey|sharedaccess|sharedsecret|endpoint=sb|primarykey", r"(?i)(?:AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecret(?:Value)?|PrimaryKey|SecondaryKey)\s*=\s*([\w+/%=&.~-]{16,})", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«{86b}==»;EndpointSuffix=core.windows.net", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«{43b}=»"),
)

_FILES: tuple[Kind, ...] = (
    shape("password", r"[\w.*-]:(?:[0-9]{4,5}|\*):[\w*-]", r"(?:^|\n)[\w.*-]+:(?:[0-9]{4,5}|\*):[\w*-]+:[\w.*-]+:([^\s:]+)[ \t\r]*(?:\n|$)", "db.example.com:5432:shop:ann:«{12}»", others=("src/x.py:12:5:error:unused", "a:10:b:c:d"), check=like_a_password),
    shape("password hash", r"\$(?:1|2[abxy]?|5|6|y|7|apr1|argon2i?d?|scrypt|pbkdf2[\w-]{0,16}|sha1|md5)\$|\{S?SHA|pbkdf2_sha", r"(\$(?:1|5|6|y|7|apr1|sha1|md5)\$[\w./$=,+-]{20,}|\$2[abxy]?\$[0-9]{2}\$[\w./]{40,}|\$(?:argon2i?d?|scrypt|pbkdf2[\w-]*)\$[\w./$=,+-]{30,}|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,}={0,2}|pbkdf2_sha256\$[0-9]+\$[\w./+]+\$[\w./+=]{20,})", "root:«$6${8}${86}»:19000:0:::", "«$2b$12${53}»", "«$argon2id$v=19$m=65536,t=3,p=4${22b}${43b}»"),
    shape("private key", "LS0tLS1CRUdJT|b3BlbnNzaC1rZXkt|MII[CEJ][\\w+/]{2}IB|MHcCAQEE|MC4CAQAw|MIGHAgEA", r"((?:LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,60}(?:IFBSSVZBVEU|UFJJVkFURSBLRVk|QUklWQVRF|BSSVZBVEUg)|b3BlbnNzaC1rZXktdjE|MII[CEJ][\w+/]{2}IBA[AD]|MHcCAQEE|MC4CAQAwBQYDK2V|MIGHAgEAMBM)[A-Za-z0-9+/=]{8,}(?:(?:\s|\\+n)+[A-Za-z0-9+/=]{32,})*(?:(?:\s|\\+n)+[A-Za-z0-9+/]+={1,2})?)", "key: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk{120b}»", "«b3BlbnNzaC1rZXktdjE{120b}»", "«MIIEowIBAAKCAQEA{200b}»", check=has_digit),
    shape("private key", r"<(?:RSAKeyValue|D|InverseQ)>", r"<(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=\s]{20,})</", "<RSAKeyValue><D>«{88b}»</D></RSAKeyValue>"),
    shape("private key", r"[\"']kty[\"']", r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s*:\s*[\"']([\w-]{20,})[\"']", '{"kty":"EC","d":"«{43w}»"}', check=has_digit),
    shape("private key", "Private-Lines", r"Private-Lines: [0-9]+\s+([A-Za-z0-9+/=]{16,}(?:\s+[A-Za-z0-9+/=]{16,})*(?:\s+[A-Za-z0-9+/]+={1,2})?)", "Private-Lines: 2\n«{64b}\n{40b}»\n"),
    shape("wallet key", "[xyz]prv|ed25519:|0x[0-9a-fA-F]{64}", r"([xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}|ed25519:[1-9A-HJ-NP-Za-km-z]{80,})", "«xprv{107z}»"),
    shape("wifi password", "WIFI:", r"(?i)WIFI:(?:[^\n;]*;)*?P:([^;\n]{4,})", "WIFI:T:WPA;S:Home;P:«{10}»;;", check=real),
    shape("password", r"(?:wi-?fi|wlan|ssid)[\s:=(\"'`*-]", r"(?i)(?:wi-?fi|wlan|ssid)(?:[ -]?(?:name|network|netz))?[*_\"'`]*\s*[:=][^\n/|,;]{1,40}?\s*[/|,;]\s*(?:(?:pw|key|pass|code|wpa2?)\s*[:=]?\s*)?[\"'`*]*([^\s\"'`*/|,;]{8,63})", "WiFi: HomeNet / «sunshine99»", "SSID: Home Net, «sunshine99»", others=("wifi: on / bluetooth: disabled", "WLAN: aus, Bluetooth: ausgeschaltet"), check=like_a_password),
    shape("password", r"(?:log[ -]?in|sign[ -]?in|credentials?|creds|user(?:name)?|account|zugang\w{0,6}|anmeld\w{0,6}|identifiants?|connexion|credencial\w{0,4}|usuario|usuário|credenzial\w{0,2}|utente|inlog\w{0,8}|gebruiker|logowani\w|логин|учётк\w|账号|帐号|账户|ログイン|아이디|로그인)[\s:：(*_`\"']", r"(?i)(?:log[ -]?in|sign[ -]?in|credentials?|creds|user(?:name)?|account|zugang\w*|anmeld\w*|identifiants?|connexion|credencial\w*|usuario|usuário|credenzial\w*|utente|inlog\w*|gebruiker|logowani\w|логин|учётк\w|账号|帐号|账户|ログイン|아이디|로그인)[\s:：(*_`\"'][^\n=]{0,30}?[\w.@+-]{2,40}[*_`\"']*(?: / |/| : |:| \| )[*_`\"']*([^\s\"'`*|,;)]{5,})", "Login: ann / «hunter22»", "credentials are admin:«hunter22»", "Zugangsdaten: ann / «Sommer2024»", others=("login at 10:30", "log in at https://x.example.com/a", "username/password", "user ids 12:34567"), check=like_a_password),
    shape("password", r"(?:login|auth\w{0,12}|credentials?|connect|PasswordAuthentication|NetworkCredential)\s?[(=]", r"(?i)(?:login|auth\w*|credentials?|connect|PasswordAuthentication)\s*[(=]\s*\(?\s*(?:[\w.]+,\s*)?[\"'][^\"'\n]{1,60}[\"']\s*,\s*[\"']([^\"'\n]{5,100})[\"']", "requests.get(u, auth=('ann', '«hunter22»'))", 'new NetworkCredential("ann", "«hunter22»")', 'client.login("ann@x.example.com", "«hunter22»")', others=('connect("localhost", "5432")', 'auth("GET", "/v1/items")'), check=like_a_password),
    shape("password in an address", r"@(?:tcp|unix|udp)\(", r"[\w.-]+:([^\s@:\"'`]+)@(?:tcp|unix|udp)\(", 'dsn := "shop:«hunter22»@tcp(db1:3306)/shop"', check=real),
    shape("key", r"jwt\.\w{4,8}\(", r"(?i)jwt\.(?:sign|verify|encode|decode)\([^\n,]{1,80},\s*[\"'`]([^\"'`\n]{6,})[\"'`]", 'jwt.sign(payload, "«{14}»", {})', check=like_a_password),
    shape("secret", r"secret[_-]?id", r"(?i)secret[_-]?id[\"']?\s*[:=]\s*[\"']?([0-9a-f]{8}-[0-9a-f-]{27})", "VAULT_SECRET_ID=«{8x}-{4x}-{4x}-{4x}-{12x}»", check=has_digit),
    shape("password", r"option\s{1,4}(?:key|pass|psk|wpa)", r"(?i)option\s+(?:key[1-4]?|password|psk|wpakey\w*)\s+[\"']?([^\s\"']{5,})", "option key '«hunter22»'", check=like_a_password),
    shape("join token", "kubeadm", r"kubeadm\s[^\n]*--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})", "kubeadm join 10.0.0.1:6443 --token «{6x}.{16x}»"),
    shape("credit card", r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}|[0-9]{4}[ -]?[0-9]{6}[ -]?[0-9]{4,5}", r"(?:^|[^\w.+-])([2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}(?:[ -]?[0-9]{3})?|3[0-9]{3}[ -]?[0-9]{6}[ -]?[0-9]{4,5})(?:[^\w-]|$)", "card «4111 1111 1111 1111», valid", "«4012-8888-8888-1881»", "«378282246310005»", "«5555555555554444»", others=("card 4111 1111 1111 1112", "ref 1700000000000000", "id 4111111111111111234567"), check=is_card),
)

PLACES: tuple[Kind, ...] = (*_COMMANDS, *_HEADERS, *_ADDRESSES, *_FILES)


# Keys and tokens that are told by their own shape: a row each, in the order of their names.
#
# A row is `token(name, how it starts, the rest, examples…)`. Add `word=False` if the start is so odd
# that it may stand in the middle of a word, `check=anything` if a key may be without any digit.

_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# fmt: off
VENDORS: tuple[Kind, ...] = (
    token("1Password secret key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-?){4,6}", "A3-{6X}-{6X}-{5X}-{5X}-{5X}-{5X}"),
    token("1Password token", "ops_eyJ", r"[\w-]{80,}={0,2}", "ops_eyJ{120w}", word=False),
    token("Adafruit key", "aio_", r"[A-Za-z0-9]{28}", "aio_{28}", hint="aio_[A-Za-z0-9]{20}"),
    token("Adyen key", "AQE[a-z]", r"[A-Za-z0-9+/=._-]{50,}", "AQEh{80b}"),
    token("age key", "AGE-(?:SECRET-KEY|PLUGIN)-", r"[0-9A-Z-]{50,}", "AGE-SECRET-KEY-1{58X}", word=False),
    token("Airtable token", "pat[A-Za-z0-9]{14}", r"\.[0-9a-f]{60,}", "pat{14}.{64x}", cut=r"pat[A-Za-z0-9]{14}\.[0-9a-f]{8}"),
    token("Aiven password", "AVNS_", r"[\w-]{15,}", "AVNS_{18w}"),
    token("Alibaba key", "LTAI", "[A-Za-z0-9]{16,24}", "LTAI{20}"),
    token("Anthropic key", "sk-ant-", r"[\w-]{16,}", "sk-ant-api03-{93w}", "sk-ant-oat01-{93w}"),
    token("Anyscale key", "esecret_", "[A-Za-z0-9]{20,}", "esecret_{26}"),
    token("Apify token", "apify_api_", "[A-Za-z0-9]{30,}", "apify_api_{36}", word=False),
    token("Asana token", "[0-9]/[0-9]{14,}", "(?:/[0-9]{14,})?:[0-9a-f]{32}", "1/{16d}:{32x}", "2/{16d}/{16d}:{32x}"),
    token("Atlassian token", "AT(?:ATT3|CTT3|BB|TA)", r"[\w-]{20,}(?:=[0-9A-F]{8})?", "ATATT3{180w}=1A2B3C4D", "ATBB{32}"),
    token("AWS access key", "A(?:KIA|SIA|BIA|CCA|ROA|IDA|IPA|NPA|NVA|GPA)", "[A-Z0-9]{16}", "AKIA{16X}", "ASIA{16X}", others=("AKIAxxxxxxxxxxxxxxxx",), check=varied),
    token("AWS Bedrock key", "ABSK", "[A-Za-z0-9+/]{90,}={0,2}", "ABSK{109b}"),
    token("AWS Bedrock key", "bedrock-api-key-", "[A-Za-z0-9+/]{40,}={0,2}", "bedrock-api-key-{80b}"),
    token("Axiom token", "xa(?:at|pt)-", _UUID, "xaat-{8x}-{4x}-{4x}-{4x}-{12x}"),
    token("Azure client secret", r"[\w.~-]{3}[78]Q~", r"[\w.~-]{31,34}", "abc8Q~{34w}", word=False, hint=r"[78]Q~", check=both_cases),
    token("Azure DevOps token", "[A-Za-z0-9]{52}JQQJ99", "[A-Za-z0-9]{4,}AZDO[A-Za-z0-9]{4}", "{52}JQQJ99BCACAAAAAAA{4X}AZDO{4X}", word=False, hint="JQQJ99"),
    token("Baidu key", "bce-v3/ALTAK-", "[A-Za-z0-9]{15,}/[0-9a-f]{40}", "bce-v3/ALTAK-{21}/{40x}"),
    token("Bitwarden token", r"0\.[0-9a-f]{8}-[0-9a-f]{4}-", r"[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/]{20,}={0,2}", "0.{8x}-{4x}-{4x}-{4x}-{12x}.{30}:{22b}=="),
    token("Bitcoin private key", "[5KL][1-9A-HJ-NP-Za-km-z]{50}", "[1-9A-HJ-NP-Za-km-z]?", "5{50z}", hint="[5KL][1-9A-HJ-NP-Za-km-z]{16}", check=both_cases, cut=""),
    token("Brevo key", "x(?:key|smtp)sib-", "[0-9a-f]{60,}-[A-Za-z0-9]{12,}", "xkeysib-{64x}-{16}", word=False),
    token("Browserbase key", "bb_live_", r"[\w-]{20,}", "bb_live_{27}"),
    token("Buildkite token", "bk(?:ua|at|ct|aj)_", "[A-Za-z0-9]{30,}", "bkua_{40x}"),
    token("Cal.com key", "cal_(?:live|test)_", "[0-9a-f]{24,}", "cal_live_{32x}"),
    token("Cerebras key", "csk-", "[a-z0-9]{40,}", "csk-{48x}"),
    token("CircleCI token", "CCIP(?:AT|RJ)_", r"[\w-]{30,}", "CCIPAT_{22}_{40x}", word=False),
    token("ClickUp token", "pk_[0-9]{5,}", "_[A-Z0-9]{30,}", "pk_{8d}_{32X}"),
    token("Clojars token", "CLOJARS_", "[0-9a-f]{60}", "CLOJARS_{60x}", word=False),
    token("Cloudflare key", r"v1\.0-[0-9a-f]{24}", "-[0-9a-f]{100,}", "v1.0-{24x}-{146x}"),
    token("Cloudflare token", "cf(?:ut|at|k)_", r"[\w-]{36,}", "cfut_{40}"),
    token("Cohere key", "co_", "[A-Za-z0-9]{36,}", "co_{40}", others=("co_authored_by_someone",), hint="co_[A-Za-z0-9]{20}"),
    token("Coinbase key", "organizations/[0-9a-f]{8}-", "[0-9a-f-]{27}/apiKeys/[0-9a-f-]{36}", "organizations/{8x}-{4x}-{4x}-{4x}-{12x}/apiKeys/{8x}-{4x}-{4x}-{4x}-{12x}"),
    token("Contentful token", "CFPAT-", r"[\w-]{40,}", "CFPAT-{43w}", word=False),
    token("Crates token", "cio[a-z]?", "[A-Za-z0-9]{32}", "cio{32}", others=("ciolabels and a ciophantom",), hint="cio[A-Za-z0-9]{32}"),
    token("Databricks token", "dapi[0-9a-f]{8}", "[0-9a-f]{24}(?:-[0-9])?", "dapi{32x}", "dapi{32x}-2"),
    token("Datadog key", "dd(?:api|app|p|pat)_", "[A-Za-z0-9]{30,}", "ddapp_{34}"),
    token("Defined Networking token", "dnkey-", r"[\w-]{26}-[\w-]{40,}", "dnkey-{26}-{52}"),
    token("DigitalOcean token", "do[opr]_v1_", "[0-9a-f]{60,}", "dop_v1_{64x}", "doo_v1_{64x}", word=False),
    token("Discord token", r"[MNO][\w-]{23,27}\.[\w-]{6}\.", r"[\w-]{27,}", "M{23}.{6}.{38w}", hint=r"[MNO][\w-]{23,27}\.[\w-]{6}\.", cut=r"\.[\w-]{6}\.[\w-]{27}"),
    token("Discord webhook", "discord(?:app)?.com/api/webhooks/", r"[0-9]+/[\w-]{30,}", "discord.com/api/webhooks/{18d}/{68w}", word=False),
    token("Docker token", "dckr_(?:pat|oat)_", r"[\w-]{20,}", "dckr_pat_{27w}", word=False),
    token("Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", r"(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{38,}", "dp.pt.{43}", "dp.st.prd.{43}"),
    token("Dropbox token", r"sl\.", r"[\w.-]{60,}", "sl.B{130w}", hint=r"sl\.[\w.-]{20}", cut=""),
    token("Duffel token", "duffel_(?:test|live)_", r"[\w-]{40,}", "duffel_live_{43w}", word=False),
    token("Dynatrace token", r"dt0[a-z][0-9]{2}\.", r"[A-Z0-9]{24}\.[A-Z0-9]{60,}", "dt0c01.{24X}.{64X}"),
    token("E2B key", "e2b_", "[0-9a-f]{40}", "e2b_{40x}"),
    token("EasyPost key", "EZ[AT]K", "[A-Za-z0-9]{54}", "EZAK{54}"),
    token("Elastic key", "essu_", r"[\w+/-]{40,}={0,2}", "essu_{60b}"),
    token("ElevenLabs key", "sk_", "[0-9a-f]{40,}", "sk_{48x}", hint="sk_[0-9a-f]{20}"),
    token("Etsy key", "etsy_", "[A-Za-z0-9]{24,}", "etsy_{24}"),
    token("Facebook token", "EAA[A-Za-z]", "[A-Za-z0-9]{60,}", "EAAG{150}"),
    token("Facebook app token", r"[0-9]{13,17}\|", r"[\w-]{27}", "{15d}|{27w}"),
    token("Figma token", "fig[dor]h?_", r"[\w-]{30,}", "figd_{40w}"),
    token("Firebase server key", r"AAAA[\w-]{7}:", r"[\w-]{120,}", "AAAA{7}:APA91b{134w}"),
    token("Firecrawl key", "fc-", "[0-9a-f]{32}", "fc-{32x}", hint="fc-[0-9a-f]{20}"),
    token("Fireworks key", "fw_", "[A-Za-z0-9]{20,}", "fw_{24}", hint="fw_[A-Za-z0-9]{20}"),
    token("Flutterwave key", "FLWSECK(?:_TEST)?-", r"[\w-]{16,}", "FLWSECK-{32x}-X", word=False),
    token("Fly.io token", r"(?:FlyV1[ _])?f(?:m[12][ar]?|o1)_", r"[\w+/=,-]{30,}", "fo1_{43w}", "FlyV1 fm2_{200b}"),
    token("Frame.io token", "fio-u-", r"[\w=-]{60,}", "fio-u-{64w}"),
    token("GitHub token", "gh[pousr]_", "[A-Za-z0-9]{30,}", "ghp_{36}", "gho_{36}", "ghu_{36}", "ghs_{36}", "ghr_{76}", word=False, others=("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",)),
    token("GitHub token", "github_pat_", r"\w{36,}", "github_pat_{22}_{59}", word=False),
    token("GitLab token", "gl(?:pat|dt|rt|oas|cbt|ptt|ft|imt|agent|soat|ffct|wt)-", r"[\w.-]{18,}", "glpat-{20w}", "glrt-{20w}", "gldt-{20w}", "glcbt-64_{20w}", word=False),
    token("GitLab token", "GR1348941", r"[\w-]{20}", "GR1348941{20w}", word=False),
    token("Google API key", "AIza", r"[\w-]{35}", "AIza{35w}", word=False),
    token("Google OAuth secret", "GOCSPX-", r"[\w-]{20,}", "GOCSPX-{28w}", word=False),
    token("Google OAuth token", r"ya29\.", r"[\w.-]{20,}", "ya29.{120w}"),
    token("Google refresh token", "1//0", r"[\w-]{30,}", "1//0{90w}"),
    token("Google Gemini key", r"AQ\.Ab8RN6", r"[\w-]{30,}", "AQ.Ab8RN6{44w}"),
    token("Grafana token", "gl(?:sa|c)_", r"[\w+/=-]{30,}", "glsa_{32}_{8x}", "glc_{80b}"),
    token("Grafana key", "eyJrIjoi", r"[\w+/-]{50,}={0,2}", "eyJrIjoi{90}", word=False),
    token("Groq key", "gsk_", "[A-Za-z0-9]{40,}", "gsk_{52}"),
    token("Harness token", r"pat\.[\w-]{22}", r"\.[0-9a-f]{24}\.[A-Za-z0-9]{20}", "pat.{22}.{24x}.{20}"),
    token("Heroku key", "HRKU-", r"[\w-]{30,}", "HRKU-{8x}-{4x}-{4x}-{4x}-{12x}", "HRKU-AA{58w}", word=False),
    token("Honeycomb key", "hc[abx](?:ik|lk|mk)_", "[A-Za-z0-9]{30,}", "hcaik_{58}"),
    token("HubSpot token", "pat-(?:na|eu|ap)[0-9]-", _UUID, "pat-na1-{8x}-{4x}-{4x}-{4x}-{12x}"),
    token("Hugging Face token", "(?:hf|api_org)_", "[A-Za-z0-9]{28,}", "hf_{34}", "api_org_{34}", hint="(?:hf|api_org)_[A-Za-z0-9]{20}"),
    token("Infracost key", "ico-", "[A-Za-z0-9]{32}", "ico-{32}", hint="ico-[A-Za-z0-9]{20}"),
    token("Instagram token", "IGQ[VW]", r"[\w-]{60,}", "IGQV{150w}"),
    token("Intercom token", "dG9rO", "[A-Za-z0-9+/=_-]{40,}", "dG9rOj{54b}", word=False),
    token("JFrog token", "AKC[a-z0-9]", "[A-Za-z0-9]{50,}", "AKCp{69}"),
    token("JFrog token", "cmVmdGtuOj", "[A-Za-z0-9]{40,}", "cmVmdGtuOj{54}", word=False),
    token("Jina key", "jina_", r"[\w-]{40,}", "jina_{60}"),
    token("JWT", r"eyJ[\w-]{5,}", r"\.[\w-]{8,}\.[\w-]*", "eyJ{30w}.eyJ{60w}.{43w}", word=False, check=anything),
    token("Kubernetes join token", "K10[0-9a-f]{32}", r"[0-9a-f]{32}::(?:server|node|[a-z0-9.]+):[A-Za-z0-9.]{16,}", "K10{64x}::server:{32x}"),
    token("Lambda key", "secret_[a-z0-9._-]{3,}_", r"[0-9a-f]{32}\.[A-Za-z0-9]{32}", "secret_prod_{32x}.{32}", hint="secret_[a-z0-9._-]{3,40}_[0-9a-f]{12}"),
    token("LangSmith key", "lsv2_(?:pt|sk)_", "[0-9a-f]{32}_[0-9a-f]{10}", "lsv2_pt_{32x}_{10x}", word=False),
    token("LaunchDarkly key", "(?:sdk|api|mob)-[0-9a-f]{8}-", "[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "sdk-{8x}-{4x}-{4x}-{4x}-{12x}"),
    token("Linear key", "lin_(?:api|oauth|wh)_", "[A-Za-z0-9]{30,}", "lin_api_{40}", word=False),
    token("LinkedIn token", "AQ[A-Z]", r"[\w-]{150,}", "AQV{200w}", hint=r"AQ[A-Z][\w-]{60}"),
    token("Mailchimp key", "[0-9a-f]{32}-us", "[0-9]{1,2}", "{32x}-us14"),
    token("Mailgun key", "(?:pub)?key-[0-9a-f]{8}", "[0-9a-f]{24}", "key-{32x}", "pubkey-{32x}"),
    token("Mailgun key", "[0-9a-f]{32}-[0-9a-f]{8}-", "[0-9a-f]{8}", "{32x}-{8x}-{8x}"),
    token("Mandrill key", "md-", r"[\w-]{22}", "md-{22}", hint=r"md-[\w-]{20}"),
    token("Mapbox token", r"sk\.eyJ", r"[\w-]{40,}\.[\w-]{20,}", "sk.eyJ{80w}.{22w}"),
    token("Matrix token", "(?:syt|syr|mat|mct)_", r"[\w=-]{2,}_[A-Za-z0-9]{16,}_[A-Za-z0-9]{6}", "syt_{12}_{20}_{6}", hint="(?:syt|syr|mat|mct)_[A-Za-z0-9=-]{2,40}_[A-Za-z0-9]{12}"),
    token("Mem0 key", "m0-", "[A-Za-z0-9]{30,}", "m0-{40}", hint="m0-[A-Za-z0-9]{20}"),
    token("MongoDB Atlas secret", "mdb_sa_sk_", r"[\w-]{30,}", "mdb_sa_sk_{40w}", word=False),
    token("Neon key", "napi_", "[a-z0-9]{50,}", "napi_{64x}"),
    token("Neon password", "npg_", "[A-Za-z0-9]{12,}", "npg_{12}"),
    token("Netlify token", "nf[pcobu]_", "[A-Za-z0-9]{30,}", "nfp_{36}"),
    token("New Relic key", "NR(?:AK|AA|II|IQ|JS|RA|SP|BR)-", r"[\w-]{20,}", "NRAK-{27X}", word=False),
    token("New Relic license key", "[0-9a-fx]{32}FFFFNRAL", "", "{32x}FFFFNRAL", word=False, hint="NRAL"),
    token("Nostr key", "nsec1", "[a-z0-9]{58}", "nsec1{58y}"),
    token("Notion token", "ntn_", "[A-Za-z0-9]{40,}", "ntn_{46}"),
    token("Notion token", "secret_", "[A-Za-z0-9]{40,}", "secret_{43}", hint="secret_[A-Za-z0-9]{20}"),
    token("npm token", "npm_", "[A-Za-z0-9]{30,}", "npm_{36}", others=("npm_config_registry is set",)),
    token("NuGet key", "oy2", "[a-z0-9]{43}", "oy2{43y}"),
    token("NVIDIA key", "nvapi-", r"[\w-]{50,}", "nvapi-{64w}", word=False),
    token("Okta token", "00[A-Za-z0-9]", r"[\w-]{39}", "00{40w}", hint=r"00[\w-]{20}", check=both_cases, cut=""),
    token("OneSignal key", "os_v2_(?:app|org)_", "[a-z0-9]{50,}", "os_v2_app_{80y}", word=False),
    token("OpenAI key", "sk-(?:proj-|svcacct-|admin-|None-|lf-|helicone-)?", r"[\w-]{18,}", "sk-proj-{120w}", "sk-{48}", "sk-svcacct-{60w}", others=("class sk-folding-cube-inner-wrapper", "task-management-system-2024-01", "the desk-booking-tool-of-2023-and-later"), hint=r"sk-[\w-]{12}"),
    token("OpenAI session", "sess-", "[A-Za-z0-9]{40}", "sess-{40}", hint="sess-[A-Za-z0-9]{20}"),
    token("OpenRouter key", "sk-or-", r"(?:v[0-9]-)?[A-Za-z0-9]{24,}", "sk-or-v1-{64x}"),
    token("Packagist token", "packagist_[a-z]{2,4}_", "[0-9a-f]{60,}", "packagist_uut_{68x}", word=False),
    token("PagerDuty key", r"u\+", r"[\w+-]{18}", "u+{18}", hint=r"u\+[\w+-]{12}", cut=""),
    token("PayPal token", r"A21AA", r"[\w-]{60,}", "A21AA{80w}"),
    token("PayPal token", r"access_token\$", r"(?:production|sandbox)\$[a-z0-9]+\$[0-9a-f]{32}", "access_token$production${16x}${32x}"),
    token("Perplexity key", "pplx-", "[A-Za-z0-9]{40,}", "pplx-{48}"),
    token("Pinecone key", "pc(?:sk|st)_", r"\w{30,}", "pcsk_{6}_{60}"),
    token("Pinterest token", "pina_", "[A-Z0-9]{60,}", "pina_{80X}"),
    token("Plaid token", "(?:access|public|link)-(?:sandbox|development|production)-", _UUID, "access-sandbox-{8x}-{4x}-{4x}-{4x}-{12x}"),
    token("PlanetScale token", "pscale_(?:tkn|pw|oauth|app_secret)_", r"[\w.-]{30,}", "pscale_tkn_{43w}", word=False),
    token("Polar token", "polar_(?:oat|pat|whs|at)_", r"[\w-]{30,}", "polar_oat_{40}", word=False),
    token("PostHog key", "ph[xs]_", "[A-Za-z0-9]{40,}", "phx_{43}"),
    token("Postman key", "PM(?:AK|AT)-", r"[\w-]{24,}", "PMAK-{24x}-{34x}", "PMAT-{26X}", word=False),
    token("Prefect key", "pn[ub]_", "[A-Za-z0-9]{36}", "pnu_{36}"),
    token("Pulumi token", "pul-", "[0-9a-f]{40}", "pul-{40x}"),
    token("PyPI token", "pypi-AgE", r"[\w-]{40,}", "pypi-AgEIcHlwaS5vcmc{80w}", word=False),
    token("Razorpay key", "rzp_(?:live|test)_", "[A-Za-z0-9]{14,}", "rzp_live_{14}", word=False),
    token("ReadMe key", "rdme_", "[a-z0-9]{60,}", "rdme_{70x}"),
    token("Render key", "rnd_", "[A-Za-z0-9]{24,}", "rnd_{32}", hint="rnd_[A-Za-z0-9]{20}"),
    token("Replicate token", "r8_", "[A-Za-z0-9]{30,}", "r8_{37}", hint="r8_[A-Za-z0-9]{20}"),
    token("Resend key", "re_", r"[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}", "re_{8}_{24}", hint="re_[A-Za-z0-9]{6,20}_[A-Za-z0-9]{12}"),
    token("Retool token", "retool_", "[A-Za-z0-9]{20,}", "retool_01{24}"),
    token("RubyGems key", "rubygems_", "[0-9a-f]{40,}", "rubygems_{48x}", word=False),
    token("Segment token", "sgp_", r"\w{40,}", "sgp_{64}", "sgp_{16x}_{40x}"),
    token("SendGrid key", r"SG\.", r"[\w-]{16,}\.[\w-]{30,}", "SG.{22w}.{43w}"),
    token("Sentry token", "sntry[sua]_", r"[\w=+/-]{40,}", "sntrys_{120}", "sntryu_{64x}", word=False),
    token("Shippo token", "shippo_(?:live|test)_", "[0-9a-f]{30,}", "shippo_live_{40x}", word=False),
    token("Shopify token", "shp(?:at|ca|pa|ss|tka|ua)_", "[0-9a-fA-F]{32}", "shpat_{32x}", "shpss_{32x}", word=False),
    token("Slack token", r"xox[abceoprsd](?:\.xox[bp])?-", r"[\w-]{10,}", "xoxb-{12d}-{12d}-{24}", "xoxp-{12d}-{12d}-{12d}-{32x}", "xoxe.xoxp-1-{120}", word=False),
    token("Slack token", "xapp-[0-9]-", r"[\w-]{20,}", "xapp-1-A{10X}-{13d}-{64x}", word=False),
    token("Slack webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/", r"[\w/-]{20,}", "hooks.slack.com/services/T{10X}/B{10X}/{24}", word=False),
    token("Snowflake token", r"ver:[0-9]+-hint:", "[0-9]+-[A-Za-z0-9+/=_-]{50,}", "ver:1-hint:{10d}-{120b}", word=False, hint="ver:[0-9]{1,3}-hint:"),
    token("Sonar token", "sq[pua]_", "[0-9a-f]{40}", "sqp_{40x}", "squ_{40x}"),
    token("Square token", "sq0[a-z]{3}-", r"[\w-]{20,}", "sq0atp-{22w}", "sq0csp-{43w}", word=False),
    token("Square token", "EAAA", r"[\w-]{56,}", "EAAA{60w}"),
    token("Stripe key", "[sr]k_(?:live|test|prod)_", r"\w{10,}", "sk_live_{24}", "rk_live_{99}", "sk_test_{24}", word=False, others=("publishable key pk_live_a1B2c3D4e5F6g7H8i9J0",)),
    token("Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{24,}={0,2}", "whsec_{32}", word=False),
    token("Supabase key", "sbp_(?:v0_)?", "[0-9a-f]{36,}", "sbp_{40x}"),
    token("Supabase key", "sb_secret_", r"[\w-]{20,}", "sb_secret_{31w}", word=False),
    token("Tailscale key", "tskey-", r"[a-z]+-[\w-]{16,}", "tskey-auth-{16}-{32}", word=False),
    token("Tavily key", "tvly-", r"[\w-]{24,}", "tvly-{32}", "tvly-dev-{32}"),
    token("Telegram bot token", "[0-9]{8,10}:AA", r"[\w-]{32,35}", "{10d}:AA{33w}"),
    token("Tencent key", "AKID", "[A-Za-z0-9]{28,36}", "AKID{32}"),
    token("Terraform token", r"[A-Za-z0-9]{14}\.atlasv1\.", r"[\w-]{50,}", "{14}.atlasv1.{67w}", word=False, hint="atlasv1"),
    token("Together key", "tgp_v1_", r"[\w-]{30,}", "tgp_v1_{43w}", word=False),
    token("Twilio key", "(?:SK|AC)[0-9a-f]{8}", "[0-9a-f]{24}", "SK{32x}", "AC{32x}"),
    token("Twitter bearer token", "A{18}", "[A-Za-z0-9%+/=]{40,}", "AAAAAAAAAAAAAAAAAAAAA{30}%3D{50}"),
    token("Twitter access token", "[0-9]{15,20}-[A-Za-z0-9]{20}", "[A-Za-z0-9]{20,}", "{18d}-{40}", check=both_cases),
    token("Typeform token", "tfp_", r"[\w.=-]{40,}", "tfp_{59w}"),
    token("Vault token", r"hv[sbr]\.", r"[\w-]{24,}", "hvs.{90w}", "hvb.{120w}"),
    token("Vault token", r"s\.", "[A-Za-z0-9]{24}", "s.{24}", others=("args.someVeryLongFunctionNameX2",), hint=r"s\.[A-Za-z0-9]{24}", check=both_cases, cut=""),
    token("Vercel token", "vercel_[a-z_]+_", r"[\w-]{20,}", "vercel_blob_rw_{30w}", hint="vercel_[a-z]"),
    token("Vercel token", "vc[pkirat]_", "[A-Za-z0-9]{24,}", "vcp_{56}", hint="vc[pkirat]_[A-Za-z0-9]{20}"),
    token("Volcengine key", "AKLT", "[A-Za-z0-9+/=_-]{40,}", "AKLT{47}"),
    token("Voyage key", "pa-", r"[\w-]{36,}", "pa-{43w}", hint=r"pa-[\w-]{30}"),
    token("Weights & Biases key", "wandb_v1_", r"\w{40,}", "wandb_v1_{60}", word=False),
    token("xAI key", "xai-", "[A-Za-z0-9]{60,}", "xai-{80}"),
    token("Yandex key", "AQVN", r"[\w-]{35,}", "AQVN{36w}"),
    token("Yandex token", "y[0-3]_", r"[\w-]{50,}", "y0_{55w}", hint=r"y[0-3]_[\w-]{30}"),
    token("Zhipu key", r"[0-9a-f]{32}\.[A-Za-z0-9]", "[A-Za-z0-9]{15}", "{32x}.{16}"),
)
