"""Secrets in configuration files, command lines, addresses, logs and code, as tools write them.

§ is the secret, ⟦…⟧ what must be left; see `spoken`.
"""

from __future__ import annotations

import base64
from random import Random

from text.redaction.benchmark.parts import (
    ALNUM,
    B64,
    DASHES,
    HEX,
    URL,
    Make,
    bare,
    basic,
    chars,
    human,
    in_base64,
    jwt,
    number,
    pem,
    plain,
    uuid,
    weak,
)

_RSA = pem("RSA " + "PRIVATE KEY")


def _escaped(rng: Random) -> str:
    """A private key in one line, as JSON holds it."""
    return pem("PRIVATE KEY")(rng).replace("\n", "\\n")


def _body(rng: Random) -> str:
    """The lines of a key without its head."""
    return "\n".join(chars(rng, 64, B64) for _ in range(5))


TECHNICAL: dict[str, tuple[Make, tuple[str, ...]]] = {
    ".env file": (
        human,
        (
            "en|⟦DB_HOST=db1.example.com⟧\n⟦DB_USER=shop⟧\nDB_PASSWORD=§\n⟦DB_PORT=5432⟧",
            "en|SMTP_PASS='§'\n⟦SMTP_HOST=mail.example.com⟧",
            'de|In der .env:\nMYSQL_ROOT_PASSWORD="§"\n⟦MYSQL_DATABASE=laden⟧',
            "fr|⟦# base de données⟧\nDATABASE_PASSWORD=§",
            "es|REDIS_PASSWORD=§ ⟦# solo en pruebas⟧",
            "zh|⟦# 数据库⟧\nDB_PASS=§",
        ),
    ),
    "YAML": (
        human,
        (
            'en|database:\n  ⟦user: shop⟧\n  password: "§"\n  ⟦port: 5432⟧',
            "en|auth:\n  ⟦username: admin⟧\n  passwd: §",
            "en|⟦users:⟧\n  - ⟦name: kim⟧\n    password: '§'",
            "en|⟦hosts:⟧\n  ⟦web1:⟧\n    ansible_password: §\n    ansible_become_pass: §",
        ),
    ),
    "JSON": (
        human,
        (
            'en|{"user": "⟦ann⟧", "password": "§", "⟦port⟧": 5432}',
            'en|{"db":{"host":"⟦db1⟧","pass":"§"}}',
            'en|{"status": "⟦ok⟧", "result": {"temporaryPassword": "§", "⟦expires⟧": "2026-05-01"}}',
            'en|{\\"password\\": \\"§\\", \\"⟦retries⟧\\": 3}',
            'en|[{"key": "⟦user⟧", "value": "kim"}, {"key": "password", "value": "§"}]',
        ),
    ),
    "TOML and INI": (
        human,
        (
            'en|[database]\n⟦host = "db1"⟧\npassword = "§"',
            "en|[client]\n⟦user=root⟧\npassword=§",
            "en|[smtp]\n⟦server = mail.example.com⟧\npasswd = §",
            "en|⟦[pypi]⟧\n⟦username = kim⟧\npassword = §",
        ),
    ),
    "XML": (
        human,
        (
            "en|<password>§</password>",
            "en|<server><id>⟦nexus⟧</id><username>⟦ci⟧</username><password>§</password></server>",
            'en|<add key="DbPassword" value="§" />',
            'en|<property name="password" value="§"/>',
            'en|<user name="⟦kim⟧" password="§" ⟦role="admin"⟧/>',
        ),
    ),
    "properties": (
        human,
        (
            "en|⟦spring.datasource.username=shop⟧\nspring.datasource.password=§",
            "en|ssl.keystore.password: §",
            "en|javax.net.ssl.trustStorePassword=§",
            "en|quarkus.datasource.password=§",
        ),
    ),
    "netrc and pgpass": (
        plain,
        (
            "en|machine ⟦api.example.com⟧ login ⟦kim⟧ password §",
            "en|machine ⟦git.example.com⟧\n  login ⟦kim⟧\n  password §",
            "en|cat ~/.pgpass\n⟦db1.example.com:5432:shop:kim⟧:§",
        ),
    ),
    "npmrc": (
        uuid,
        (
            "en|//⟦registry.example.com⟧/:_authToken=§",
            "en|⟦npm config set⟧ //registry.example.com/:_authToken §",
            "en|//registry.example.com/:_password=§\n⟦//registry.example.com/:username=ci⟧",
        ),
    ),
    "Kubernetes secret": (
        in_base64,
        (
            "en|apiVersion: v1\nkind: Secret\nmetadata:\n  name: ⟦shop-db⟧\ndata:\n  password: §",
            "en|⟦kind: Secret⟧\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  DB_PASSWORD: §",
            "en|$ kubectl get secret ⟦shop-db⟧ -o jsonpath='{.data.password}'\n§",
        ),
    ),
    "kubectl": (
        plain,
        (
            "en|⟦kubectl create secret generic db⟧ --from-literal=password=§",
            "en|kubectl create secret docker-registry ⟦regcred⟧ --docker-username=⟦ci⟧ --docker-password=§",
            "en|helm install ⟦pg bitnami/postgresql⟧ --set auth.postgresPassword=§",
        ),
    ),
    "docker": (
        plain,
        (
            "en|docker login -u ⟦kim⟧ -p § ⟦registry.example.com⟧",
            "en|docker login ⟦registry.example.com⟧ --username ci --password §",
            "en|echo § | docker login -u ⟦ci⟧ --password-stdin",
            "en|docker run ⟦--name pg⟧ -e POSTGRES_PASSWORD=§ ⟦-d postgres:16⟧",
            "en|services:\n  ⟦db:⟧\n    environment:\n      - POSTGRES_PASSWORD=§\n      - ⟦POSTGRES_DB=shop⟧",
        ),
    ),
    "curl user": (
        plain,
        (
            "en|curl -u ⟦kim⟧:§ ⟦https://api.example.com/v1/items⟧",
            "en|curl --user '⟦admin⟧:§' ⟦http://localhost:9200/_cat/indices⟧",
            "en|⟦curl -sS⟧ -uadmin:§ ⟦https://jenkins.example.com/api/json⟧",
            "de|⟦Ich habe das probiert:⟧ curl -u ⟦karin⟧:§ ⟦https://wiki.example.com⟧",
        ),
    ),
    "curl header": (
        bare(40, URL),
        (
            "en|curl -H 'Authorization: Bearer §' ⟦https://api.example.com/me⟧",
            'en|curl -H "X-API-Key: §" ⟦https://api.example.com⟧',
            'en|curl --header "PRIVATE-TOKEN: §" ⟦"https://git.example.com/api/v4/projects"⟧',
            'en|curl -H "X-Auth-Token: §" ⟦https://cloud.example.com⟧',
            "en|http GET ⟦api.example.com⟧ Authorization:'token §'",
        ),
    ),
    "mysql": (
        plain,
        (
            "en|mysql -u ⟦root⟧ -p§ ⟦shop⟧",
            "en|mysql ⟦-h db1⟧ --user=root --password=§ ⟦shop < dump.sql⟧",
            "en|mysqldump -u⟦root⟧ -p§ ⟦shop > shop.sql⟧",
            "es|uso mysql -u ⟦root⟧ -p§ ⟦tienda⟧",
            "en|MYSQL_PWD=§ ⟦mysql -u root shop⟧",
        ),
    ),
    "SQL": (
        plain,
        (
            "en|CREATE USER ⟦shop⟧ WITH PASSWORD '§';",
            "en|ALTER USER ⟦'root'@'localhost'⟧ IDENTIFIED BY '§';",
            "en|ALTER ROLE ⟦shop⟧ PASSWORD '§';",
            "en|INSERT INTO users (⟦name⟧, password) VALUES ('⟦kim⟧', '§');",
        ),
    ),
    "psql": (
        plain,
        (
            "en|PGPASSWORD=§ ⟦psql -h db1 -U shop⟧",
            'en|psql "⟦host=db1 dbname=shop user=kim⟧ password=§"',
            "en|PGPASSWORD='§' ⟦pg_dump -h db1 shop > dump.sql⟧",
        ),
    ),
    "sshpass": (
        plain,
        (
            "en|sshpass -p § ⟦ssh pi@192.168.1.20⟧",
            "en|sshpass -p '§' ⟦scp dump.sql root@10.0.0.4:/tmp⟧",
            "en|sshpass -p§ ⟦rsync -a ./ web1:/srv⟧",
        ),
    ),
    "other commands": (
        plain,
        (
            "en|redis-cli ⟦-h cache1⟧ -a § ⟦ping⟧",
            "en|ldapsearch ⟦-x -D cn=admin,dc=example,dc=com⟧ -w § ⟦-b dc=example⟧",
            "en|smbclient ⟦//nas/share⟧ -U ⟦kim⟧%§",
            "en|wget --user=⟦kim⟧ --password=§ ⟦https://files.example.com/a.zip⟧",
            "en|openssl pkcs12 ⟦-in cert.p12⟧ -passin pass:§ ⟦-nodes⟧",
            "en|mount -t cifs ⟦//nas/data /mnt⟧ -o username=⟦kim⟧,password=§",
            "en|net use ⟦Z: \\\\nas\\data⟧ /user:kim §",
            "en|rabbitmqctl add_user ⟦shop⟧ §",
            "en|echo '⟦kim⟧:§' | sudo chpasswd",
            "en|htpasswd -b ⟦/etc/nginx/.htpasswd kim⟧ §",
            "en|7z a -p§ ⟦backup.7z docs/⟧",
            "en|zip -P § ⟦backup.zip docs/*⟧",
            "en|az login ⟦--service-principal -u app1⟧ -p § ⟦--tenant example.com⟧",
            "en|mongosh ⟦--host db1⟧ -u admin -p § ⟦--authenticationDatabase admin⟧",
            "en|vault kv put ⟦secret/shop⟧ password=§",
            'en|gh secret set ⟦DEPLOY_PASSWORD⟧ --body "§"',
            "en|heroku config:set ⟦-a shop⟧ ADMIN_PASSWORD=§",
            "en|nmcli dev wifi connect ⟦Harbor⟧ password §",
            "en|wpa_passphrase ⟦Harbor⟧ §",
            "en|keytool -list ⟦-keystore app.jks⟧ -storepass §",
        ),
    ),
    "PowerShell": (
        plain,
        (
            "en|$env:DB_PASSWORD = '§'",
            'en|ConvertTo-SecureString "§" ⟦-AsPlainText -Force⟧',
            "en|setx API_PASSWORD §",
            'en|$password = "§"',
        ),
    ),
    "typed at a prompt": (
        plain,
        (
            "en|$ ⟦ssh kim@web1⟧\nkim@web1's password: §\n⟦Welcome to Ubuntu 24.04⟧",
            "en|⟦$ sudo -S apt update⟧\n[sudo] password for ⟦kim⟧: §\n⟦Hit:1 http://archive.ubuntu.com⟧",
            "en|Username: ⟦kim⟧\nPassword: §\n⟦Login Succeeded⟧",
            "en|Enter passphrase for key ⟦'/home/kim/.ssh/id_ed25519'⟧: §",
            "de|Benutzername: ⟦karin⟧\nKennwort: §\n⟦Anmeldung erfolgreich⟧",
        ),
    ),
    "database address": (
        plain,
        (
            "en|postgres://⟦shop⟧:§@⟦db1.example.com:5432/shop⟧",
            "en|DATABASE_URL=postgresql+psycopg://shop:§@⟦db1/shop⟧",
            "en|mysql://root:§@⟦127.0.0.1:3306/shop⟧",
            "en|sqlalchemy.exc.OperationalError: ⟦could not connect⟧ to postgresql://kim:§@⟦10.0.0.5/app⟧",
            "de|Verbindung: mariadb://⟦laden⟧:§@⟦db.example.com/laden⟧",
            "zh|连接串 mysql://root:§@⟦10.0.0.8:3306/shop⟧",
        ),
    ),
    "other addresses": (
        plain,
        (
            "en|redis://:§@⟦cache1:6379/0⟧",
            "en|mongodb+srv://⟦app⟧:§@⟦cluster0.example.net/shop?retryWrites=true⟧",
            "en|amqp://guest:§@⟦mq1:5672/⟧",
            "en|smtp://⟦mailer⟧:§@⟦mail.example.com:587⟧",
            "en|ftp://kim:§@⟦files.example.com/pub⟧",
            "en|⟦git clone⟧ https://kim:§@⟦git.example.com/acme/app.git⟧",
            "en|rtsp://admin:§@⟦192.168.1.64:554/Streaming⟧",
            "en|pip install --index-url https://⟦ci⟧:§@⟦pypi.example.com/simple⟧",
            "en|https_proxy=http://kim:§@⟦proxy.example.com:3128⟧",
        ),
    ),
    "token in a git address": (
        bare(40),
        (
            "en|⟦git clone⟧ https://§@⟦github.com/acme/app.git⟧",
            "en|⟦git remote set-url origin⟧ https://oauth2:§@⟦git.example.com/acme/app.git⟧",
            "en|origin  https://x-access-token:§@⟦github.com/acme/app (fetch)⟧",
        ),
    ),
    "connection string": (
        plain,
        (
            "en|Server=⟦db1⟧;Database=⟦Shop⟧;User Id=sa;Password=§;",
            "en|Data Source=db1;User ID=sa;Pwd=§;⟦TrustServerCertificate=True⟧",
            "en|jdbc:mysql://⟦db1/shop⟧?user=root&password=§",
            "en|jdbc:sqlserver://⟦db1⟧;user=sa;password=§;",
            'en|dsn := "⟦shop⟧:§@tcp(⟦db1:3306⟧)/shop"',
        ),
    ),
    "Azure storage": (
        lambda r: chars(r, 86, B64) + "==",
        (
            "en|DefaultEndpointsProtocol=https;AccountName=⟦acme⟧;AccountKey=§;⟦EndpointSuffix=core.windows.net⟧",
            "en|AZURE_STORAGE_KEY=§",
            "en|az storage blob list ⟦--account-name acme⟧ --account-key §",
        ),
    ),
    "Azure service bus": (
        lambda r: chars(r, 43, B64) + "=",
        (
            "en|Endpoint=sb://⟦acme.servicebus.windows.net/⟧;SharedAccessKeyName=Root;SharedAccessKey=§",
            "en|HostName=⟦acme.azure-devices.net⟧;DeviceId=d1;SharedAccessKey=§",
        ),
    ),
    "signed address": (
        bare(44, ALNUM),
        (
            "en|https://⟦acme.blob.core.windows.net/c/a.zip⟧?sv=2024-11-04&sr=b&sig=§%3D",
            "en|https://⟦b.s3.amazonaws.com/a.zip⟧?X-Amz-Expires=3600&X-Amz-Signature=§",
            "en|https://⟦files.example.com/a.zip⟧?token=§",
            "en|GET ⟦/v1/items⟧?access_token=§&⟦page=2⟧ HTTP/1.1",
            "en|https://⟦api.example.com/v1⟧?api_key=§&⟦q=tea⟧",
            "en|https://⟦app.example.com/reset-password⟧?token=§",
        ),
    ),
    "AWS secret": (
        lambda r: chars(r, 40, B64),
        (
            "en|aws_secret_access_key = §",
            "en|⟦[default]⟧\n⟦region = eu-west-1⟧\naws_secret_access_key=§",
            'en|AWS_SECRET_ACCESS_KEY: "§"',
            'en|"SecretAccessKey": "§", "⟦Expiration⟧": "2026-01-01"',
            "en|AWS Secret Access Key [None]: §",
            "de|Mein AWS Secret Key ist §",
        ),
    ),
    "AWS session token": (
        lambda r: "IQoJb3JpZ2lu" + chars(r, 300, B64) + "==",
        (
            "en|aws_session_token = §",
            "en|export AWS_SESSION_TOKEN=§",
            'en|"SessionToken": "§"',
        ),
    ),
    "bearer header": (
        bare(64, URL),
        (
            "en|Authorization: Bearer §",
            "en|> GET /me HTTP/2\n⟦> Host: api.example.com⟧\n> authorization: Bearer §\n⟦> accept: */*⟧",
            'en|headers={"Authorization": "Bearer §", ⟦"Accept": "application/json"⟧}',
            "en|fetch(url, { headers: { Authorization: `Bearer §` } })",
            'en|{"headers": {"authorization": "bearer §", "⟦host⟧": "api.example.com"}}',
        ),
    ),
    "basic header": (
        basic,
        (
            "en|Authorization: Basic §",
            'en|"Authorization": "Basic §"',
            "en|Proxy-Authorization: Basic §",
            "en|< ⟦HTTP/1.1 200 OK⟧\n> Authorization: Basic §",
        ),
    ),
    "other headers": (
        bare(32, HEX),
        (
            "en|x-api-key: §",
            "en|Api-Key: §",
            "en|X-Vault-Token: §",
            "en|X-Auth-Key: §\n⟦X-Auth-Email: kim@example.com⟧",
            "en|Ocp-Apim-Subscription-Key: §",
            "en|DD-API-KEY: §\nDD-APPLICATION-KEY: §",
        ),
    ),
    "cookie": (
        bare(40, URL),
        (
            "en|Cookie: ⟦lang=de⟧; sessionid=§",
            "en|Set-Cookie: session=§; ⟦Path=/; HttpOnly⟧",
            "en|cookie: PHPSESSID=§",
            "en|Cookie: connect.sid=§; ⟦theme=dark⟧",
            'en|curl -b "JSESSIONID=§" ⟦https://app.example.com⟧',
        ),
    ),
    "client secret": (
        bare(36),
        (
            "en|client_secret: '§'",
            "en|client_id=⟦shop-web⟧&client_secret=§&⟦grant_type=client_credentials⟧",
            'en|{"clientId": "⟦shop-web⟧", "clientSecret": "§"}',
            "en|OAUTH_CLIENT_SECRET=§",
            "de|Client-Secret: §",
        ),
    ),
    "refresh token": (
        bare(60, URL),
        (
            'en|{"access_token": "§", "⟦token_type⟧": "bearer", "⟦expires_in⟧": 3600}',
            'en|{"refresh_token":"§","⟦scope⟧":"read"}',
            "en|refreshToken=§",
            'en|"id_token": "§"',
        ),
    ),
    "framework secret": (
        bare(50, ALNUM + "!@#$%^&*(-_=+)"),
        (
            "en|SECRET_KEY = '§'",
            "en|app.config['SECRET_KEY'] = '§'",
            'en|DJANGO_SECRET_KEY="§"',
            "en|NEXTAUTH_SECRET='§'",
            "en|define('AUTH_KEY', '§');",
        ),
    ),
    "application key": (
        lambda r: "base64" + ":" + chars(r, 43, B64) + "=",
        (
            "en|APP_KEY=§",
            "en|⟦APP_ENV=production⟧\nAPP_KEY=§\n⟦APP_DEBUG=false⟧",
            "en|⟦php artisan key:generate --show⟧\nAPP_KEY=§",
        ),
    ),
    "Rails keys": (
        bare(32, HEX),
        (
            "en|RAILS_MASTER_KEY=§",
            "en|secret_key_base: §§",
            "en|⟦$ cat config/master.key⟧\nRAILS_MASTER_KEY: §",
        ),
    ),
    "JWT secret": (
        human,
        (
            "en|JWT_SECRET=§",
            'en|jwt.sign(payload, "§", ⟦{ expiresIn: "1h" }⟧)',
            "en|JWT_SIGNING_KEY: §",
            'en|{"jwtSecret": "§"}',
        ),
    ),
    "code literal": (
        human,
        (
            'en|password = "§"',
            "en|const dbPassword = '§';",
            'en|String password = "§";',
            'en|conn = psycopg.connect(⟦host="db1", user="shop"⟧, password="§")',
            "en|define('DB_PASSWORD', '§');",
            'en|db_password := "§"',
            "en|$config['password'] = '§';",
            'en|private static final String DB_PASS = "§";',
            'en|smtp.login("⟦kim@example.com⟧", "§")',
            "en|await page.fill('⟦#password⟧', '§')",
        ),
    ),
    "Terraform": (
        human,
        (
            'en|variable "db_password" {\n  default = "§"\n}',
            'en|db_password = "§"\n⟦region = "eu-west-1"⟧',
            'en|resource "aws_db_instance" "⟦shop⟧" {\n  master_password = "§"\n}',
        ),
    ),
    "CI settings": (
        plain,
        (
            "en|env:\n  DEPLOY_PASSWORD: §\n  ⟦NODE_ENV: test⟧",
            "en|⟦stage('deploy')⟧ { withEnv(['DEPLOY_PASS=§']) }",
            'en|Environment="DB_PASSWORD=§"\n⟦ExecStart=/usr/bin/shop⟧',
            "en|⟦0 3 * * *⟧ BACKUP_PASSWORD=§ ⟦/usr/local/bin/backup⟧",
        ),
    ),
    "tool result": (
        plain,
        (
            'en|list users\n~~~\n{"type": "tool_result", "content": "⟦id⟧,name,password\\n7,⟦kim⟧,§\\n"}',
            'en|read the config\n~~~\n{"ok": true, "data": "[mail]\\n⟦user = kim⟧\\npassword = §\\n"}',
            'en|{"jsonrpc": "2.0", "id": 4, "result": {"⟦user⟧": "kim", "password": "§"}}',
            "en|run it\n~~~\n⟦stdout:⟧\n```\nuser=kim\npassword=§\n```",
        ),
    ),
    "CSV": (
        plain,
        (
            "en|⟦name⟧,login,password\n⟦Wiki⟧,kim,§",
            "en|⟦url⟧,username,password\n⟦https://example.com⟧,kim,§\n",
            "de|⟦Dienst⟧;Benutzer;Passwort\n⟦Wiki⟧;karin;§",
        ),
    ),
    "HTML form": (
        plain,
        (
            'en|<input type="password" name="pw" value="§">',
            "en|POST /login\n⟦Content-Type: application/x-www-form-urlencoded⟧\n\n⟦username=kim⟧&password=§",
            'en|--data \'{"⟦user⟧":"kim","password":"§"}\'',
        ),
    ),
    "log line": (
        plain,
        (
            "en|⟦2026-02-03 11:20:01 INFO  auth⟧ - login attempt user=⟦kim⟧ password=§ ⟦ip=10.0.0.7⟧",
            "en|⟦DEBUG:shop.db:connecting⟧ with {'user': 'shop', 'password': '§', ⟦'host': 'db1'⟧}",
            'en|level=debug msg="⟦dial⟧" dsn="user=shop password=§ ⟦host=db1⟧"',
            "en|⟦WARN⟧ Using a password on the command line: --password=§",
        ),
    ),
    "stack trace": (
        plain,
        (
            'en|Exception in thread "main" java.sql.SQLException: ⟦Access denied⟧ (jdbc:mysql://db1/shop?user=root&password=§)\n\tat ⟦com.acme.Db.open(Db.java:41)⟧',
            'en|Traceback (most recent call last):\n  File "⟦shop/db.py⟧", line 9, in connect\n    connect(user="shop", password="§")\n⟦ConnectionRefusedError⟧: [Errno 111]',
            "en|Error: ⟦connect ECONNREFUSED⟧ mongodb://app:§@⟦10.0.0.3:27017⟧\n    at ⟦Connection.<anonymous> (index.js:12:9)⟧",
        ),
    ),
    "ANSI colours": (
        plain,
        (
            "en|\x1b[36mpassword\x1b[0m: \x1b[33m§\x1b[0m",
            "en|\x1b[1mDB_PASSWORD\x1b[0m=§",
            "en|⟦\x1b[32m✔\x1b[0m created⟧ user kim, password \x1b[1m§\x1b[0m",
        ),
    ),
    "RSA private key": (
        _RSA,
        (
            "en|§",
            "en|here is the key for ⟦web1⟧\n\n```\n§\n```\n⟦thanks⟧",
            "de|Der private Schlüssel:\n§\n⟦Bitte sicher ablegen.⟧",
        ),
    ),
    "OpenSSH private key": (
        pem("OPENSSH " + "PRIVATE KEY"),
        (
            "en|⟦$ cat ~/.ssh/id_ed25519⟧\n§",
            "zh|私钥如下：\n§",
        ),
    ),
    "EC and encrypted private keys": (
        pem("ENCRYPTED " + "PRIVATE KEY", 4),
        (
            "en|§",
            "en|tls.key: |\n§\n⟦tls.crt: see the wiki⟧",
        ),
    ),
    "PGP private key": (
        pem("PGP PRIVATE " + "KEY BLOCK", 8),
        ("en|§", "en|⟦gpg --export-secret-keys --armor kim⟧\n§"),
    ),
    "private key in JSON": (
        _escaped,
        (
            'en|{"type": "⟦service_account⟧", "private_key": "§\\n", "⟦client_email⟧": "a@b.example.com"}',
            'en|GOOGLE_PRIVATE_KEY="§\\n"',
            'en|"tls_key": "§"',
        ),
    ),
    "private key cut off": (
        _body,
        (
            f"en|{DASHES}BEGIN RSA PRIVATE " + f"KEY{DASHES}\n§\n",
            f"en|> {DASHES}BEGIN PRIVATE " + f"KEY{DASHES}\n§\n⟦[output cut]⟧",
        ),
    ),
    "PuTTY key": (
        lambda r: "\n".join(chars(r, 64, B64) for _ in range(4)),
        ("en|PuTTY-User-Key-File-3: ⟦ssh-ed25519⟧\nEncryption: none\nPrivate-Lines: 4\n§\n",),
    ),
    "WireGuard key": (
        lambda r: chars(r, 43, B64) + "=",
        (
            "en|[Interface]\nPrivateKey = §\n⟦Address = 10.8.0.2/24⟧",
            "en|PresharedKey = §\n⟦AllowedIPs = 10.8.0.0/24⟧",
            "de|⟦Mein WireGuard-Profil:⟧\nPrivateKey=§",
        ),
    ),
    "GPG and VPN passwords": (
        plain,
        (
            "en|gpg --batch --passphrase § ⟦-d secrets.gpg⟧",
            'en|⟦openconnect vpn.example.com⟧ --user=kim <<< "§"  # vpn password §',
            "en|⟦vpn: office⟧\nshared secret: §",
            "en|pre-shared key: §",
        ),
    ),
    "Twilio token": (
        bare(32, HEX),
        (
            "en|TWILIO_AUTH_TOKEN=§",
            "en|auth_token = '§'",
            "en|Twilio auth token: §",
        ),
    ),
    "Cloudflare token": (
        bare(40, URL),
        (
            "en|CLOUDFLARE_API_TOKEN=§",
            "en|CF_API_KEY: §",
            "en|⟦cloudflared tunnel run⟧ --token §",
        ),
    ),
    "hex keys of services": (
        bare(32, HEX),
        (
            "en|DATADOG_API_KEY=§",
            "en|ALGOLIA_ADMIN_KEY=§",
            "en|WEATHER_APIKEY: §",
            "en|appid=§&⟦q=Berlin⟧ (api key in the query)",
            "en|MISTRAL_API_KEY=§",
            "en|SNYK_TOKEN=§",
        ),
    ),
    "UUID as key": (
        uuid,
        (
            "en|HEROKU_API_KEY=§",
            "en|api_key: §",
            "en|X-Api-Key: §",
            'en|"secret": "§"',
            "en|VAULT_SECRET_ID=§",
        ),
    ),
    "session JWT in a log": (
        jwt,
        (
            "en|⟦[auth] verified⟧ token § ⟦for user 7⟧",
            "en|localStorage.setItem('⟦jwt⟧', '§')",
            "fr|Voici le jeton : §",
        ),
    ),
    "router backup": (
        plain,
        (
            'en|⟦ssid=Harbor⟧\npsk="§"',
            "en|wpa_passphrase=§\n⟦wpa_key_mgmt=WPA-PSK⟧",
            "en|option key '§'\n⟦option encryption 'psk2'⟧",
            "en|snmp community string: §",
        ),
    ),
    "shell history": (
        plain,
        (
            "en|  ⟦501  cd /srv⟧\n  502  export TOKEN=§\n  ⟦503  ./run.sh⟧",
            "en|  18  read -s PW; PW=§\n  ⟦19  ls⟧",
            "en|⟦history | tail -2⟧\n 90 PASSWORD=§ ./seed.sh",
        ),
    ),
    "weak password in a file": (
        weak,
        (
            "en|DB_PASSWORD=§",
            'en|password: "§"',
            "en|<password>§</password>",
            "en|POSTGRES_PASSWORD: §",
            "en|mysql://root:§@⟦localhost/shop⟧",
        ),
    ),
    "digest of a service": (
        lambda r: f"{number(r, 12)}-{chars(r, 32)}",
        (
            "en|consumer_secret=§",
            "en|webhook secret: §",
            "en|SIGNING_SECRET=§",
            'en|bot_token: "§"',
            "en|deploy token: §",
        ),
    ),
    "invisible and split": (
        bare(36),
        (
            "en|password:\n  §",
            'en|api_key =\n    "§"',
            "en|Password\n§",
            "en|The token is:\n\n```\n§\n```",
            "en|Here is the access token:\n> §",
        ),
    ),
    "base64 password": (
        lambda r: base64.b64encode(chars(r, 18).encode()).decode(),
        (
            "en|password: §",
            "en|encryptionKey: §",
            'en|"auth": "§"',
        ),
    ),
}
