"""The words that say what follows them: a row for each language; and the answers and columns they announce.

Every word is tested with `word: value` and `word is value`. A word in `short` is one that longer
words hold as well, as `compass` holds `pass`: it counts only where no other letter touches it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from memdown.text.redaction import values
from memdown.text.redaction.patterns import Pattern, compiled
from memdown.values import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """How a language calls passwords, keys and codes, and how it says `is`; alternatives for RE2."""

    code: str
    password: str
    short: str = ""
    key: str = ""
    pin: str = ""
    phrase: str = ""
    codes: str = ""
    verb: str = ""


_KEYS = (
    "api|access|secret|private|auth|encryption|signing|master|account|deploy|service|admin|session"
    "|subscription|app|application|client|consumer|shared|pre-?shared|storage|integration|write|ingest"
    "|server|project|product|activation|webhook|licen[cs]e|root|ssh|gpg|host|sdk|join|root|primary|secondary"
    "|decryption|vault|registration|authentication|authenticator|setup|totp|2fa|mfa|otp"
)

# fmt: off
LANGUAGES: tuple[Language, ...] = (
    Language("en", "password|passwd|pass[ _-]phrase|passphrase|passcode|passwrd|pasword|pass[_-]?word|(?:wi-?fi|wlan|network|wpa[23]?|wireless|hotspot|router) (?:key|code|pass)|network security key|community string|snmp community", "pass|pw|pwd|pswd|psw|psk|pwrd|p/w",
             rf"secret|token|(?:{_KEYS})[ _-]?key|credentials?|creds|apikey|auth[ _-]?code|access[ _-]?code|passkey|connection[ _-]?string|dsn|jwt|authtoken|signature key|api[ _-]?hash|bearer|master key|unseal key",
             r"pin|pin[ -]?code|pin number|cvv2?|cvc2?|cvn|security code|verification code|confirmation code|otp|one-time (?:code|password)|2fa code|mfa code|door code|(?:code|combination|combo|pin) (?:for|to|of|on) (?:the |my |our )?(?:front |back |main |side )?(?:door|gate|garage|alarm|safe|lock|building|entrance|bike|locker|keypad|house|office|suitcase|lift|elevator|cellar|shed)|(?:safe|lock|locker|gym|bike|suitcase) (?:code|combination|combo|number)|lockbox(?: code)?|key safe(?: code)?|alarm pin|gate code|alarm code|lock code|unlock code|entry code|access code|login code|sms code|authenticator code|puk|garage code|safe code|safe combination|keypad code|sim pin",
             r"(?:seed|recovery|mnemonic|backup|wallet|secret recovery|bip-?39)[ _-]?(?:phrase|words?|seed|sentence|mnemonic)|mnemonic|seed phrase|(?:12|15|18|21|24|twelve|twenty-four)[ -]words?|wallet seed|seed",
             r"(?:recovery|backup|emergency|scratch|rescue|one-time|2fa|mfa|bypass)[ _-](?:recovery[ _-]|backup[ _-])?codes?",
             "is|was|to|are|becomes|will be|remains|equals|reads|be"),
    Language("de", "passwort|kennwort|(?:wlan|wi-?fi|netzwerk|wpa2?)-?(?:schlüssel|key|code|kennung)|losungswort|passwörter|zugangscode|zugangspasswort|kennwörter|passphrase", "pwort", "api-?schlüssel|schlüssel|zugriffstoken|geheimnis|zugangsschlüssel|zugangsdaten|lizenzschlüssel|geheimer schlüssel", "geheimzahl|pin-nummer|türcode|(?:tür|haustür|tor|garagen|alarm|tresor|schloss|fahrradschloss|eingangs|schlüsselkasten|koffer)-?code|code (?:für|von|zu|zur|zum|der|des|am) (?:die |der |das |den |dem )?(?:haustür|tür|garage|tor|tresor|schloss|alarmanlage|eingang|schlüsselkasten|schlüsselsafe)|prüfziffer|sicherheitscode|bestätigungscode|zugangscode|einmalcode", "wiederherstellungsphrase|seed-?phrase|wiederherstellungswörter|mnemonik", "wiederherstellungscodes?|notfallcodes?|backup-codes?|ersatzcodes?", "ist|lautet|war|heißt|heisst|wird|auf|jetzt"),
    Language("fr", "mot de passe|clé (?:du |de |wpa |de sécurité )?(?:wi-?fi|wpa|réseau)|clé de sécurité|mots de passe|phrase secrète|code secret|phrase de passe|mot-de-passe", "mdp", "clé (?:d['’])?api|clé secrète|clef api|clé d['’]accès|jeton(?: d['’]accès)?|clé privée|identifiants|clé de licence|clé|secret client", "code pin|code secret|code de vérification|code de sécurité|digicode|code (?:de |du |pour |d['’])(?:la |le |l['’])?(?:porte|portail|garage|alarme|coffre|cadenas|immeuble|entrée|portillon|boîte à clés)|cryptogramme", "phrase de récupération|phrase mnémonique|phrase secrète de récupération", "codes? de (?:récupération|secours)", "est|était|sera|vaut|c['’]est"),
    Language("es", "contraseña|clave (?:de |del |de la )?(?:wi-?fi|red|router)|contrasena|palabra de paso|palabra clave|clave de acceso|frase de contraseña|contraseñas", "clave", "clave (?:de )?api|clave secreta|clave de (?:licencia|producto|activación)|clave privada|token de acceso|credenciales|llave (?:de )?api|secreto", "código pin|código (?:de |del |para )(?:la |el )?(?:puerta|portal|garaje|alarma|caja fuerte|candado|entrada|edificio)|código de seguridad|código de verificación|número secreto|código de acceso", "frase semilla|frase de recuperación|palabras de recuperación", "códigos? de (?:recuperación|respaldo)", "es|era|será|son"),
    Language("pt", "senha|chave (?:de |do |da )?(?:wi-?fi|rede)|palavra-passe|palavra passe|palavra-chave|código de acesso|senhas", "", "chave (?:de |da )?api|chave secreta|chave de (?:licença|produto|ativação)|chave privada|chave de acesso|token de acesso|credenciais|segredo|chave", "código pin|código (?:de |do |da |para )(?:o |a )?(?:porta|portão|garagem|alarme|cofre|cadeado|entrada|prédio)|código de verificação|código de segurança", "frase-semente|frase semente|frase de recuperação|palavras de recuperação", "códigos? de (?:recuperação|backup)", "é|era|será|são|fica"),
    Language("it", "parola d['’]ordine|parola chiave|chiave (?:di |del |della )?(?:wi-?fi|rete|sicurezza)|frase segreta|codice d['’]accesso|chiave di accesso|parola", "", "chiave (?:dell['’])?api|chiave segreta|chiave di (?:licenza|attivazione|prodotto)|codice di licenza|chiave privata|token di accesso|credenziali|segreto|chiave", "codice pin|codice (?:di |del |della |per |dell['’])(?:il |la |l['’])?(?:porta|cancello|garage|allarme|cassaforte|lucchetto|ingresso|portone|antifurto)|codice di sicurezza|codice di verifica|codice segreto", "frase di recupero|frase seme|parole di recupero", "codici di (?:recupero|backup)|codice di recupero", "è|era|sarà|sono"),
    Language("nl", "wachtwoord|wi-?fi-?(?:code|sleutel)|wachtwoorden|toegangscode|wachtzin|paswoord", "ww", "api-?sleutel|geheime sleutel|licentiesleutel|productsleutel|toegangstoken|toegangssleutel|privésleutel|inloggegevens|sleutel|geheim", "pincode|(?:deur|poort|garage|alarm|kluis|slot)code|code (?:van|voor) (?:de |het )?(?:deur|poort|garage|alarm|kluis|slot|voordeur|sleutelkluis)|verificatiecode|beveiligingscode", "herstelzin|herstelwoorden|seed-?zin", "herstelcodes?|back-?upcodes?|noodcodes?", "is|was|wordt|luidt"),
    Language("pl", "hasło|hasła|hasłem|haslo|hasłu", "", "klucz api|klucz tajny|klucz prywatny|tajny klucz|token dostępu|klucz dostępu|poświadczenia|klucz|sekret", "kod pin|kod do (?:drzwi|bramy|garażu|alarmu|sejfu|domofonu|kłódki)|kod weryfikacyjny|kod zabezpieczający", "fraza odzyskiwania|fraza seed|słowa odzyskiwania", "kody odzyskiwania|kody zapasowe|kod odzyskiwania", "to|jest|brzmi|było"),
    Language("ru", "пароль|ключ (?:от |к )?(?:вайфая|вай-фая|wi-?fi|сети)|пароля|паролем|паролю|кодовое слово|парольная фраза|пароли", "пасс", "ключ api|api-ключ|секретный ключ|лицензионный ключ|ключ лицензии|ключ активации|ключ продукта|закрытый ключ|приватный ключ|токен(?: доступа)?|ключ доступа|учётные данные|учетные данные|ключ|секрет", "пин-?код|код (?:от |для |к )?(?:двери|подъезда|домофона|ворот|гаража|сейфа|сигнализации|замка|калитки)|пин|код подтверждения|код безопасности", "сид-?фраза|мнемоническая фраза|фраза восстановления|seed-фраза|мнемоника", "коды восстановления|резервные коды|резервный код|код восстановления", "это|есть|был|будет|такой|—|–"),
    Language("uk", "гасло|паролі", "", "ключ доступу|секретний ключ|приватний ключ", "пін-?код|код підтвердження", "сід-?фраза|фраза відновлення", "коди відновлення|резервні коди", "це|є|був"),
    Language("tr", "şifre|şifresi|şifreniz|şifrem|parola|parolası|parolam|sifre|sifresi|geçiş kodu", "", "api anahtarı|gizli anahtar|erişim anahtarı|erişim belirteci|özel anahtar|anahtarı|anahtar|jeton", "pin kodu|(?:kapı|garaj|alarm|kasa|giriş) (?:kodu|şifresi)|doğrulama kodu|güvenlik kodu", "kurtarma ifadesi|tohum ifadesi|kurtarma kelimeleri", "kurtarma kodları|yedek kodlar|kurtarma kodu", "şudur|şu|olarak|oldu"),
    Language("zh", "密码|密碼|口令|通行码|密碼短語|密語|通关密语", "", "密钥|密鑰|秘钥|金鑰|令牌|凭证|憑證|私钥|私鑰|访问令牌|授权码|api key|密匙", "验证码|门禁(?:密码|码)|门锁(?:密码|码)?|保险柜密码|车库(?:密码|码)|密码锁|驗證碼|安全码|pin码|动态码", "助记词|助記詞|种子短语|恢复短语|恢复词", "恢复码|恢复代码|备份代码|恢復代碼|備份代碼|恢復碼|备份码|備用碼|备用验证码|备用码", "是|为|為|改成|设为|設為|换成"),
    Language("ja", "パスワード|パスフレーズ|合言葉|パスコード|パスワ|あいことば", "", "apiキー|api キー|秘密鍵|シークレットキー|アクセスキー|アクセストークン|トークン|シークレット|認証情報|ライセンスキー|暗号鍵|鍵", "暗証番号|(?:ドア|玄関|ゲート|金庫|ガレージ)(?:の)?(?:暗証番号|コード|番号)|オートロック(?:の)?(?:番号|暗証番号)?|確認コード|認証コード|セキュリティコード|暗証コード", "シードフレーズ|リカバリーフレーズ|復元フレーズ|ニーモニック", "リカバリーコード|バックアップコード|復旧コード|回復コード", "は|が|を|です"),
    Language("ko", "비밀번호|비번|암호|패스워드|패스프레이즈|암구호|접속번호", "", "api 키|api키|비밀 키|비밀키|개인 키|개인키|액세스 토큰|토큰|시크릿|인증 키|인증키|액세스 키|자격 증명|키", "핀번호|현관(?:문)?(?: 비밀번호| 비번| 코드)?|도어락(?: 비밀번호| 비번)?|금고(?: 비밀번호)?|인증번호|인증 코드|보안 코드|핀 번호", "시드 구문|복구 구문|니모닉|시드 문구|복구 문구", "복구 코드|백업 코드", "는|은|이|가|입니다"),
    Language("th", "รหัสผ่าน|พาสเวิร์ด|รหัสเข้า|วลีรหัสผ่าน|พาสเวิด", "", "คีย์ api|โทเค็น|โทเคน|คีย์ลับ|กุญแจลับ|รหัสลับ|คีย์", "รหัส pin|รหัสยืนยัน|รหัสพิน", "วลีกู้คืน|คำกู้คืน|ซีดเฟรส", "รหัสกู้คืน|รหัสสำรอง", "คือ|เป็น"),
    Language("vi", "mật khẩu|mật mã|cụm mật khẩu", "", "khóa api|khoá api|khóa bí mật|khóa riêng|mã truy cập|mã thông báo|khóa", "mã pin|mã xác minh|mã xác thực", "cụm từ khôi phục|cụm từ hạt giống", "mã khôi phục|mã dự phòng", "là|thành"),
    Language("ar", "كلمة المرور|كلمة السر|كلمة مرور|كلمة سر|الرقم السري|الباسورد|باسورد", "", "مفتاح api|مفتاح الواجهة|المفتاح السري|الرمز المميز|مفتاح|رمز الوصول|توكن", "رمز التحقق|رمز pin|رمز الأمان", "عبارة الاسترداد|عبارة الاستعادة|العبارة السرية", "رموز الاسترداد|رموز احتياطية", "هي|هو|هى"),
    Language("he", "סיסמה|סיסמא|הסיסמה|הסיסמא", "", "מפתח api|אסימון|מפתח סודי|טוקן|מפתח", "קוד אימות|קוד סודי", "ביטוי שחזור|מילות שחזור", "קודי שחזור|קודי גיבוי", "היא|הוא|זה"),
    Language("hi", "पासवर्ड|कूटशब्द|पासकोड|गुप्त शब्द", "", "एपीआई कुंजी|api कुंजी|टोकन|गुप्त कुंजी|कुंजी", "पिन|सत्यापन कोड", "रिकवरी वाक्यांश|सीड वाक्यांश", "रिकवरी कोड|बैकअप कोड", "है|था"),
    Language("sv", "lösenord|lösenordet|lösenfras", "", "api-nyckel|hemlig nyckel|åtkomsttoken|nyckel", "pinkod|säkerhetskod|verifieringskod", "återställningsfras|fröfras", "återställningskoder|reservkoder", "är|var|blir"),
    Language("da", "adgangskode|adgangskoden|kodeord|kodeordet|passord|passordet|løsen", "", "api-nøgle|api-nøkkel|hemmelig nøgle|adgangstoken|nøkkel|nøgle", "pinkode|bekræftelseskode", "gendannelsesfrase|gjenopprettingsfrase", "gendannelseskoder|reservekoder|gjenopprettingskoder", "er|var|bliver"),
    Language("fi", "salasana|salasanan|salasanat|tunnussana|salalause", "", "api-avain|salainen avain|käyttöoikeustunnus|avain", "pin-koodi|vahvistuskoodi|turvakoodi", "palautuslause|siemenlause", "palautuskoodit|varakoodit", "on|oli"),
    Language("cs", "heslo|hesla|heslem|přístupový kód|prístupový kód", "", "api klíč|klíč api|tajný klíč|kľúč api|klíč|kľúč|přístupový token", "pin kód|ověřovací kód|bezpečnostní kód", "obnovovací fráze|seed fráze", "záložní kódy|obnovovací kódy", "je|bylo|zní"),
    Language("hu", "jelszó|jelszava|jelszavam|jelszo|jelmondat", "", "api-kulcs|api kulcs|titkos kulcs|hozzáférési token|kulcs", "pin-kód|ellenőrző kód", "helyreállítási kifejezés|helyreállító mondat", "helyreállítási kódok|tartalék kódok", "az|volt"),
    Language("ro", "parolă|parola|parole|parolei|cod de acces", "", "cheie api|cheia api|cheie secretă|cheia secretă|jeton de acces", "cod pin|cod de verificare", "frază de recuperare|fraza de recuperare", "coduri de recuperare|coduri de rezervă", "este|e|era"),
    Language("el", "κωδικός|κωδικό|κωδικος|συνθηματικό|κωδικός πρόσβασης", "", "κλειδί api|μυστικό κλειδί|διακριτικό|κλειδί", "κωδικός pin|κωδικός επαλήθευσης", "φράση ανάκτησης", "κωδικοί ανάκτησης|εφεδρικοί κωδικοί", "είναι|ήταν"),
    Language("id", "kata sandi|kata laluan|sandi|frasa sandi", "", "kunci api|kunci rahasia|token akses|kunci", "kode pin|kode verifikasi|kode otp", "frasa pemulihan|frasa benih", "kode pemulihan|kode cadangan", "adalah|ialah|yaitu"),
    Language("hr", "lozinka|lozinku|lozinke|лозинка|zaporka|парола|geslo|slaptažodis|parool|parole", "", "api ključ|tajni ključ|ključ|таен ключ", "pin kod|kontrolni kod", "fraza za oporavak", "kodovi za oporavak|rezervni kodovi", "je|glasi|е"),
    Language("fa", "رمز عبور|گذرواژه|پسورد|کلمه عبور", "", "کلید api|توکن|کلید مخفی|کلید", "کد تایید|رمز دوم", "عبارت بازیابی", "کدهای بازیابی", "است|هست"),
    Language("ca", "contrasenya|clau d['’]accés|contrasenyes", "", "clau api|clau secreta|testimoni", "codi pin|codi de verificació", "frase de recuperació", "codis de recuperació", "és|era"),
)


def _of(field: str) -> str:
    return "|".join(words for one in LANGUAGES if (words := getattr(one, field)))


PASSWORD, SHORT, KEY, PIN, PHRASE, CODES, VERB = (
    _of(field) for field in ("password", "short", "key", "pin", "phrase", "codes", "verb")
)
# Words that say so only of what looks like a key.
LOOSE = "key|auth"
# One of these stands in every text in which a word gives something away.
ANY = f"(?i:{'|'.join((PASSWORD, SHORT, KEY, LOOSE, PIN, CODES))})"


# The answer to a question for a password: it may hold no telling word itself.

# No words that longer ones hold: `compass?` asks for nothing.
_WHAT = rf"(?:{PASSWORD}|{KEY}|{CODES}|{PIN})"
_ASKED = compiled(rf"(?i){_WHAT}|(?:^|[^a-z])(?:{SHORT}|key)(?:[^a-z]|$)", longest=True)
# A question mark that ends something, or a prompt: a line that ends with a colon.
_QUESTION = compiled(r"[^\n?]{0,120}?[?？؟](?:[\s*_\"'”»)]|$)|[^\n:：]{0,20}[:：][ \t]*\r?\n")
_ASKING = tuple(sign.encode() for sign in "?？؟:：")
_QUESTION_BYTES = 160
_REQUEST = compiled(
    r"(?i)(?:send|give|tell|share|paste|provide|enter|type|need|what(?:'s| is| was)|please|schick|gib"
    r"|nenn|brauche|wie lautet|was ist|envoie|donne|dis|quel|dame|dime|envía|cuál|qual|manda|stuur"
    r"|geef|podaj|jakie|wyślij|пришли|скажи|дай|какой|söyle|nedir|告诉|发|什么|教えて|何|알려|뭐|บอก|อะไร)"
)
_WORD = compiled(r"[^\s\"'`“”„«»「」<>()\[\]]+")
_ONLY = compiled(
    r"(?i)\s*(?:(?:sure|ok|okay|yes|yep|it'?s|it is|its|here|here it is|here you go|the|that'?s|this is|ja|klar|es ist|lautet|er lautet|oui|c['’]est|sí|es|sim|é|è|ecco|het is|to|это|вот|是|は|です|입니다|คือ)[\s,:.!-]*)*"
)
_STRIP = ".,;:)]}\"'`*_。，"
_FIRST = 200
_TAIL = 400


def asked_for(text: bytes) -> bool:
    """Whether a message ends by asking for a password, a key or a code."""
    tail = text[-_TAIL:]
    last = max((match.span() for match in _ASKED.finditer(tail)), default=None)
    if last is None:
        return False
    rest = tail[last[1] :]
    if _QUESTION.match(rest + b"\n") is not None:
        return True
    return (
        len(rest) < _TAIL // 8 and _REQUEST.search(tail[max(0, last[0] - 80) : last[0]]) is not None
    )


def may_ask(data: bytes, at: int) -> bool:
    """A glance whether a question or a prompt may end behind a place: see `below`."""
    ahead = data[at : at + _QUESTION_BYTES]
    return any(sign in ahead for sign in _ASKING)


def below(data: bytes, at: int) -> Iterator[tuple[int, int, str]]:
    """The answer behind a question in which a word for a password ends at `at`, or below it."""
    match = _QUESTION.match(data, at, min(len(data), at + _QUESTION_BYTES))
    if match is not None:
        end = match.span()[1]
        if data[end - 1 : end] != b"\n":
            yield from _in_line(data, end, _line_end(data, end), alone=False)
            end = _line_end(data, end) + 1
        yield from _in_line(data, end, _line_end(data, end), alone=False)


def _line_end(data: bytes, at: int) -> int:
    stop = data.find(b"\n", at, at + _FIRST)
    return stop if stop >= 0 else min(len(data), at + _FIRST)


def answer(data: bytes) -> Iterator[tuple[int, int, str]]:
    """What in the first line of an answer is the password: what looks like one, or all there is."""
    at = len(data) - len(data.lstrip())
    yield from _in_line(data, at, _line_end(data, at), alone=True)


def _in_line(data: bytes, at: int, stop: int, *, alone: bool) -> Iterator[tuple[int, int, str]]:
    """`alone` takes an ordinary word as well, if it is all that was said."""
    words = []
    for match in _WORD.finditer(data, at, stop):
        start, end = match.span()
        start += len(data[start:end]) - len(data[start:end].lstrip(b"*_"))
        text = data[start:end].decode("utf-8", "replace").rstrip(_STRIP)
        words.append((start, start + len(text.encode()), text))
    found = [word for word in words if any(map(str.isdigit, word[2])) and values.striking(word[2])]
    if not found and alone:
        lead = _ONLY.match(data, at, stop)
        begin = lead.span()[1] if lead else at
        left = [word for word in words if word[0] >= begin and word[2]]
        if left and (
            (left[0][2].isascii() and values.joined(left[0][2]))
            or (len(left) == 1 and _alone(left[0][2]))
        ):
            found = left
    for start, end, _ in found[:1]:
        yield start, end, "password"


def _alone(text: str) -> bool:
    if text.isdigit():
        return 4 <= len(text) <= 10
    # A sentence in a script without blanks is one word.
    blankless = any(character >= "\u0e00" for character in text)
    return len(text) >= 4 and not blankless and values.said(text, quoted=False, last=True)


# Columns of Markdown tables and of CSV whose heading says that they hold secrets.

_HEADING = compiled(
    rf"(?i)[*_`\"' ]*(?:\w+[ _-])?(?:{PASSWORD}|{SHORT}|{KEY}|key|{PIN}|{CODES}|{PHRASE})s?(?:[ _-]\w+)?(?: \([^)]*\))?[*_`\"' ]*"
)
_PASSWORD = compiled(rf"(?i).*(?:{PASSWORD}|{SHORT}|{PIN}|{CODES}).*")
_RULE = compiled(r"[ \t]*\|?[ \t:|+-]*-[ \t:|+-]*\r?")
# Code has lists of quoted words that look like rows, but are indented or end with a comma.
_NAME = compiled(
    r"[^\s\"'(){}=:][^\"'(){}=]{0,59}|[ \t]*[*_`]*[\pL\pN][^\"(){}=]{0,59}[ \t]*|\"[\w ./-]{1,59}\""
)
# A line of a Markdown table, or names with nothing but a comma, semicolon or tab between them.
_TABLE_HEAD = compiled(
    r"(?:^|\n)([ \t>]*\|[^\n]+|[^\n|]+\|[^\n]+\n[ \t]*\|?[ \t:]*-{2,}[^\n]*)\r?\n"
)
_CSV_HEAD = compiled(r"(?:^|\n)(\"?[\w.-]+\"?(?:[,;\t]\"?[\w.-][\w ./()-]*\"?)+)\r?\n")
_CSV_BEGINS = compiled(r"\"?[\w.-]+\"?[,;\t]")
_SEPARATORS = (b"|", b"\t", b";", b",")
_AROUND = b" \t\r*_`\"'"


def find(data: bytes, said: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """The cells below a heading such as `password` or `API key`; `said` is where such words begin, in order."""
    # A break that is written as an escape is as long as what takes its place.
    data = data.replace(b"\\n", b" \n")
    # Nearly all such words stand in prose.
    if any(b"|" in _line_and_before(data, at) for at in said):
        yield from _below(data, _TABLE_HEAD, said)
    if any(_begins_csv(data, data.rfind(b"\n", 0, at) + 1) for at in said):
        yield from _below(data, _CSV_HEAD, said)


def _begins_csv(data: bytes, at: int) -> bool:
    """Whether the line that begins at a place could be one of names with nothing but a comma or such between them."""
    first = _line(data, at).partition(b" ")[0]
    return any(sign in first for sign in (b",", b";", b"\t")) and (
        _CSV_BEGINS.match(data, at) is not None
    )


def _line_and_before(data: bytes, at: int) -> bytes:
    """The line that holds a place, and the one before it, which is above a ruler in a table."""
    start = data.rfind(b"\n", 0, at)
    return data[data.rfind(b"\n", 0, max(0, start)) + 1 : at] + _line(data, at)


def _below(data: bytes, head: Pattern, said: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    at = 0
    for match in head.finditer(data):
        start, end = match.span(1)
        # Nearly every line of a table looks like a heading, and few hold such a word.
        if start < at or bisect_left(said, start) == bisect_left(said, end):
            continue
        columns, separator = _heading(data[start:end])
        if columns and separator is not None:
            width = data[start:end].strip().count(separator)
            at = end + 1
            while at < len(data) and _belongs(line := _line(data, at), separator, width):
                if not _RULE.fullmatch(line):
                    yield from _cells(line, at, separator, columns)
                at += len(line) + 1


def _line(data: bytes, at: int) -> bytes:
    end = data.find(b"\n", at)
    return data[at : end if end >= 0 else len(data)]


def _heading(line: bytes) -> tuple[dict[int, bool], bytes | None]:
    """Which columns hold secrets (True for passwords), and what stands between columns."""
    for separator in _SEPARATORS:
        if separator in line:
            cells = (
                line.strip(b" \t\r|").split(separator)
                if separator == b"|"
                else line.split(separator)
            )
            if len(line) > 2000 or len(cells) < 2 or not all(map(_NAME.fullmatch, cells)):
                return {}, None
            return {
                number: _PASSWORD.fullmatch(cell) is not None
                for number, cell in enumerate(line.split(separator))
                if _HEADING.fullmatch(cell.strip())
            }, separator
    return {}, None


def _belongs(line: bytes, separator: bytes, width: int) -> bool:
    return bool(line.strip()) and (
        line.strip().count(separator) == width or _RULE.fullmatch(line) is not None
    )


def _cells(
    line: bytes, start: int, separator: bytes, columns: dict[int, bool]
) -> Iterator[tuple[int, int, str]]:
    at = start
    for number, cell in enumerate(line.split(separator)):
        if number in columns:
            bare = cell.strip(_AROUND)
            text = bare.decode("utf-8", "replace")
            if _likely(text) if columns[number] else values.keylike(text):
                first = at + len(cell) - len(cell.lstrip(_AROUND))
                yield first, first + len(bare), "password" if columns[number] else "key"
        at += len(cell) + len(separator)


def _likely(text: str) -> bool:
    if " " in text and not values.passphrase(text):
        return False
    return values.said(text, quoted=False, last=False) or (text.isdigit() and 4 <= len(text) <= 10)
