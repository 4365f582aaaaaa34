"""Secrets that are told by the place they stand in: commands, headers, addresses, files.

A row is `shape(name, hint, pattern, examples…)`: the pattern's only group is the secret, and the
hint is some part that every text with such a secret holds, in any case.
"""

from __future__ import annotations

from memdown.text.redaction.table import Kind, command, shape
from memdown.text.redaction.values import (
    has_digit,
    is_basic,
    is_card,
    is_session,
    keylike,
    mixed,
    option,
    real,
    striking,
    told,
)

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
    command("password", r"net1?\s{1,4}use", r"net1?(?:\.exe)?\s+(?:use\s+(?:\S+\s+){1,2}?/user:\S+\s+|user\s+\S+\s+)" + _ARG, r"net use Z: \\srv\share /user:corp\ann «{12}»", "net user ann «{12}» /add", others=("net user ann /delete", "the net user count grew"), check=told),
    command("password", r"net1?\s{1,4}use", r"net1?(?:\.exe)?\s+use\s+(?:\S+\s+){1,2}?([^\s/*][^\s]*)\s+/user:", r"net use \\srv\share «{12}» /user:corp\ann", check=told),
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
    shape("password", r"[\w.*-]:(?:[0-9]{4,5}|\*):[\w*-]", r"(?:^|\n)[\w.*-]+:(?:[0-9]{4,5}|\*):[\w*-]+:[\w.*-]+:([^\s:]+)[ \t\r]*(?:\n|$)", "db.example.com:5432:shop:ann:«{12}»", others=("src/x.py:12:5:error:unused", "a:10:b:c:d"), check=told),
    shape("password hash", r"\$(?:1|2[abxy]?|5|6|y|7|apr1|argon2i?d?|scrypt|pbkdf2[\w-]{0,16}|sha1|md5)\$|\{S?SHA|pbkdf2_sha", r"(\$(?:1|5|6|y|7|apr1|sha1|md5)\$[\w./$=,+-]{20,}|\$2[abxy]?\$[0-9]{2}\$[\w./]{40,}|\$(?:argon2i?d?|scrypt|pbkdf2[\w-]*)\$[\w./$=,+-]{30,}|\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,}={0,2}|pbkdf2_sha256\$[0-9]+\$[\w./+]+\$[\w./+=]{20,})", "root:«$6${8}${86}»:19000:0:::", "«$2b$12${53}»", "«$argon2id$v=19$m=65536,t=3,p=4${22b}${43b}»"),
    shape("private key", "LS0tLS1CRUdJT|b3BlbnNzaC1rZXkt|MII[CEJ][\\w+/]{2}IB|MHcCAQEE|MC4CAQAw|MIGHAgEA", r"((?:LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,60}(?:IFBSSVZBVEU|UFJJVkFURSBLRVk|QUklWQVRF|BSSVZBVEUg)|b3BlbnNzaC1rZXktdjE|MII[CEJ][\w+/]{2}IBA[AD]|MHcCAQEE|MC4CAQAwBQYDK2V|MIGHAgEAMBM)[A-Za-z0-9+/=]{8,}(?:(?:\s|\\+n)+[A-Za-z0-9+/=]{32,})*(?:(?:\s|\\+n)+[A-Za-z0-9+/]+={1,2})?)", "key: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk{120b}»", "«b3BlbnNzaC1rZXktdjE{120b}»", "«MIIEowIBAAKCAQEA{200b}»", check=has_digit),
    shape("private key", r"<(?:RSAKeyValue|D|InverseQ)>", r"<(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=\s]{20,})</", "<RSAKeyValue><D>«{88b}»</D></RSAKeyValue>"),
    shape("private key", r"[\"']kty[\"']", r"[\"'](?:d|p|q|dp|dq|qi|k)[\"']\s*:\s*[\"']([\w-]{20,})[\"']", '{"kty":"EC","d":"«{43w}»"}', check=has_digit),
    shape("private key", "Private-Lines", r"Private-Lines: [0-9]+\s+([A-Za-z0-9+/=]{16,}(?:\s+[A-Za-z0-9+/=]{16,})*(?:\s+[A-Za-z0-9+/]+={1,2})?)", "Private-Lines: 2\n«{64b}\n{40b}»\n"),
    shape("wallet key", "[xyz]prv|ed25519:|0x[0-9a-fA-F]{64}", r"([xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,}|ed25519:[1-9A-HJ-NP-Za-km-z]{80,})", "«xprv{107z}»"),
    shape("wifi password", "WIFI:", r"(?i)WIFI:(?:[^\n;]*;)*?P:([^;\n]{4,})", "WIFI:T:WPA;S:Home;P:«{10}»;;", check=real),
    shape("password", r"(?:wi-?fi|wlan|ssid)[\s:=(\"'`*-]", r"(?i)(?:wi-?fi|wlan|ssid)(?:[ -]?(?:name|network|netz))?[*_\"'`]*\s*[:=][^\n/|,;]{1,40}?\s*[/|,;]\s*(?:(?:pw|key|pass|code|wpa2?)\s*[:=]?\s*)?[\"'`*]*([^\s\"'`*/|,;]{8,63})", "WiFi: HomeNet / «sunshine99»", "SSID: Home Net, «sunshine99»", others=("wifi: on / bluetooth: disabled", "WLAN: aus, Bluetooth: ausgeschaltet"), check=told),
    shape("password", r"(?:log[ -]?in|sign[ -]?in|credentials?|creds|user(?:name)?|account|zugang\w{0,6}|anmeld\w{0,6}|identifiants?|connexion|credencial\w{0,4}|usuario|usuário|credenzial\w{0,2}|utente|inlog\w{0,8}|gebruiker|logowani\w|логин|учётк\w|账号|帐号|账户|ログイン|아이디|로그인)[\s:：(*_`\"']", r"(?i)(?:log[ -]?in|sign[ -]?in|credentials?|creds|user(?:name)?|account|zugang\w*|anmeld\w*|identifiants?|connexion|credencial\w*|usuario|usuário|credenzial\w*|utente|inlog\w*|gebruiker|logowani\w|логин|учётк\w|账号|帐号|账户|ログイン|아이디|로그인)[\s:：(*_`\"'][^\n=]{0,30}?[\w.@+-]{2,40}[*_`\"']*(?: / |/| : |:| \| )[*_`\"']*([^\s\"'`*|,;)]{5,})", "Login: ann / «hunter22»", "credentials are admin:«hunter22»", "Zugangsdaten: ann / «Sommer2024»", others=("login at 10:30", "log in at https://x.example.com/a", "username/password", "user ids 12:34567"), check=told),
    shape("password", r"(?:login|auth\w{0,12}|credentials?|connect|PasswordAuthentication|NetworkCredential)\s?[(=]", r"(?i)(?:login|auth\w*|credentials?|connect|PasswordAuthentication)\s*[(=]\s*\(?\s*(?:[\w.]+,\s*)?[\"'][^\"'\n]{1,60}[\"']\s*,\s*[\"']([^\"'\n]{5,100})[\"']", "requests.get(u, auth=('ann', '«hunter22»'))", 'new NetworkCredential("ann", "«hunter22»")', 'client.login("ann@x.example.com", "«hunter22»")', others=('connect("localhost", "5432")', 'auth("GET", "/v1/items")'), check=told),
    shape("password in an address", r"@(?:tcp|unix|udp)\(", r"[\w.-]+:([^\s@:\"'`]+)@(?:tcp|unix|udp)\(", 'dsn := "shop:«hunter22»@tcp(db1:3306)/shop"', check=real),
    shape("key", r"jwt\.\w{4,8}\(", r"(?i)jwt\.(?:sign|verify|encode|decode)\([^\n,]{1,80},\s*[\"'`]([^\"'`\n]{6,})[\"'`]", 'jwt.sign(payload, "«{14}»", {})', check=told),
    shape("secret", r"secret[_-]?id", r"(?i)secret[_-]?id[\"']?\s*[:=]\s*[\"']?([0-9a-f]{8}-[0-9a-f-]{27})", "VAULT_SECRET_ID=«{8x}-{4x}-{4x}-{4x}-{12x}»", check=has_digit),
    shape("password", r"option\s{1,4}(?:key|pass|psk|wpa)", r"(?i)option\s+(?:key[1-4]?|password|psk|wpakey\w*)\s+[\"']?([^\s\"']{5,})", "option key '«hunter22»'", check=told),
    shape("join token", "kubeadm", r"kubeadm\s[^\n]*--token[ =]([a-z0-9]{6}\.[a-z0-9]{16})", "kubeadm join 10.0.0.1:6443 --token «{6x}.{16x}»"),
    shape("credit card", r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}|[0-9]{4}[ -]?[0-9]{6}[ -]?[0-9]{4,5}", r"(?:^|[^\w.+-])([2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}(?:[ -]?[0-9]{3})?|3[0-9]{3}[ -]?[0-9]{6}[ -]?[0-9]{4,5})(?:[^\w-]|$)", "card «4111 1111 1111 1111», valid", "«4012-8888-8888-1881»", "«378282246310005»", "«5555555555554444»", others=("card 4111 1111 1111 1112", "ref 1700000000000000", "id 4111111111111111234567"), check=is_card),
)

PLACES: tuple[Kind, ...] = (*_COMMANDS, *_HEADERS, *_ADDRESSES, *_FILES)
