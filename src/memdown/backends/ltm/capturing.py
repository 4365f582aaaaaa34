"""Which sentences of a user are worth keeping without being asked, and which must never be (pure).

How people say that something should last, and how they try to trick a model, is written down by
language: English, German, Russian, Chinese, Japanese, Korean and Thai, the languages that search is
measured in. A sentence that none of them fits is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

Category = Literal["preference", "fact", "decision", "entity", "other"]
CATEGORIES: tuple[Category, ...] = get_args(Category)

MOST_A_CONVERSATION = 3
_SHORTEST, _SHORTEST_DENSE, _LONGEST = 10, 4, 500
_MOST_MESSAGE = 20_000

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]*")

_ASKED = (
    r"\b(?:remember|don'?t forget|keep in mind|note that|for the record)\b",
    r"\b(?:merke? dir|vergiss nicht|denke? daran|behalte? im kopf)\b",
    r"\b(?:запомни|запомните|не забудь|не забудьте|имей в виду)\b",
    r"(?:记住|記住|记得|記得|别忘了|別忘了)",
    r"(?:覚えて(?:おいて|ください|ね)|忘れないで)",
    r"(?:기억해|잊지 ?마|명심해)",
    r"(?:จำไว้|จำว่า|อย่าลืม)",
)
_PREFERENCE = (
    r"\bI (?:really |always |never |usually )?"
    r"(?:prefer|like|love|hate|dislike|want|need|enjoy|avoid)\b",
    r"\b(?:prefers|dislikes|hates|loves)\b|\bmy favou?rite\b|\b(?:I'd|I would) rather\b",
    r"\bich (?:mag|bevorzuge|liebe|hasse|möchte|brauche)\b|\bam liebsten\b|\bist mir lieber\b",
    r"\bmein\w* lieblings\w+",
    r"\bя (?:очень |больше |всегда |не )?(?:люблю|предпочитаю|ненавижу|хочу|обожаю)\b",
    r"\bмне (?:больше |не |очень )?нрав[ия]тся\b|\bмо[йяёи] любим\w+",
    r"我(?:们|們)?(?:很|更|最|特别|特別|也|比较|比較|真的|不|不太)?"
    r"(?:喜欢|喜歡|偏好|讨厌|討厭|想要|习惯|習慣)",
    r"(?:が|は|も|ほうが|方が)(?:大)?(?:好き|嫌い|苦手)",
    r"(?:나는|저는|난|전|내가|제가).{0,40}(?:좋아|싫어|선호|원해|원합니다)",
    r"(?:ผม|ฉัน|ดิฉัน|หนู)(?:ไม่|ก็)?(?:ชอบ|รัก|เกลียด|อยาก|ต้องการ)",
)
_DECISION = (
    r"\b(?:we|I)(?:'ve| have)? (?:decided|agreed|settled on|chose|picked)\b",
    r"\b(?:we|I)(?:'ll| will) (?:use|go with|switch to)\b|\bfrom now on\b",
    r"\b(?:wir haben|ich habe)\b.{0,80}\b(?:entschieden|beschlossen|vereinbart|ausgemacht)\b",
    r"\b(?:ab jetzt|ab sofort|von nun an)\b",
    r"\b(?:мы|я) (?:решили|решила?|договорились|выбрали|выбрала?)\b|\b(?:отныне|впредь)\b",
    r"我(?:们|們)?(?:已经|已經)?(?:决定|決定|说好|說好|选择了|選擇了)|从现在起|從現在起",
    r"(?:に|と|を)決め(?:た|まし)|ことに(?:した|しました|決め)|(?:今後|これから)は",
    r"기로 ?(?:했|결정|정했)|결정했|(?:앞으로|이제부터)는?",
    r"(?:ตัดสินใจ|ตกลงกัน)|(?:ต่อจากนี้|จากนี้ไป)",
)
_CONTACT = (
    r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|\+\d[\d ()-]{7,20}\d",
    r"\bmy (?:\w+ ){0,2}(?:name|phone|number|e-?mail|address|birthday) is\b",
    r"\b(?:is|are) called\b",
    r"\bmeine? (?:\w+ ){0,2}(?:name|telefonnummer|nummer|e-?mail|adresse|geburtstag) (?:ist|lautet)",
    r"\b(?:ich hei(?:ß|ss)e|mein\w* \w+ hei(?:ß|ss)t)\b",
    r"\bмо[йяёи] (?:\w+ ){0,2}(?:телефон|номер|адрес|почта|день рождения)\b|\bменя зовут\b",
    r"我的?.{0,6}(?:名字|电话|電話|号码|號碼|邮箱|郵箱|地址|生日)(?:是|为|為)|我叫",
    r"(?:名前|電話番号|メール|住所|誕生日)は.{1,60}(?:です|だ)|と申します",
    r"(?:이름|전화번호|이메일|주소|생일)(?:은|는)",
    r"(?:ชื่อ|เบอร์โทร|อีเมล|ที่อยู่|วันเกิด)(?:ของ.{1,20})?(?:คือ|เป็น)",
)
_RULE = (
    r"\b(?:always|never|important)\b",
    r"\b(?:immer|niemals|wichtig)\b",
    r"\b(?:всегда|никогда|важно)\b",
    r"(?:总是|總是|从不|從不|永远不|永遠不|重要的是)",
    r"(?:必ず|絶対に|決して|重要なのは)",
    r"(?:항상|절대|반드시|중요한)",
    r"(?:เสมอ|ห้าม|สำคัญ)",
)
_FACT = (r"\b(?:is|are|was|has|have|lives?|works?)\b", r"\b(?:ist|sind|war|hat|wohnt|arbeitet)\b",
         r"\b(?:живёт|живет|работает|есть)\b", r"是|住在|です|ます|입니다|이다|คือ|เป็น")  # fmt: skip

# What a model would be told to ignore, and the words around it: each language says it its own way.
_INJECTION = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
    r"\b(?:instruction|rule|prompt|guideline|direction|polic)",
    r"\b(?:system|developer)\s+(?:prompt|message|instruction)",
    r"\bdo not (?:follow|obey)\b",
    r"\byou (?:are|must) now\b|\b(?:act|behave) as (?:an?|the|if)\b|\bjailbreak",
    r"\b(?:run|execute|call|invoke)\b.{0,40}\b(?:tool|command|function|script)\b",
    r"\b(?:reveal|print|show|send|leak|exfiltrate)\b.{0,40}"
    r"\b(?:password|secret|api.?key|token|credential|system)",
    r"</?\s*(?:system|assistant|user|developer|tool|function|recalled|relevant|memor|instruction)",
    r"\[/?(?:INST|SYS)|<\||\{\{",
    r"\b(?:ignorier|vergiss|missachte|umgeh|überschreib)\w*\b.{0,60}"
    r"(?:anweisung|regel|vorgabe|richtlinie|prompt)",
    r"\bsystem-?\s?(?:prompt|nachricht|anweisung)|\bdu bist (?:jetzt|ab jetzt|nun)\b|\btu so,? als\b",
    r"\b(?:führe?|starte|rufe?)\b.{0,60}\b(?:befehl|skript|werkzeug|funktion|tool)",
    r"\b(?:verrate?|zeige?|sende?|schicke?|verschicke?|gib)\b.{0,60}"
    r"(?:passw[oö]rt|geheimnis|schlüssel|zugangsdaten|token)",
    r"\b(?:игнориру|забудь|пренебрег|обойди|наруш)\w*.{0,60}(?:инструкц|правил|указани|промпт)",
    r"\bсистемн\w+ (?:промпт|сообщени|инструкц|подсказк)|\bты теперь\b|\bпритворись\b",
    r"\b(?:выполни|запусти|вызови)\w*.{0,60}(?:команд|скрипт|инструмент|функци)",
    r"\b(?:покажи|пришли|отправь|раскрой|выдай)\w*.{0,60}(?:парол|секрет|ключ|токен)",
    r"(?:忽略|无视|無視|忘记|忘記|绕过|繞過|违反|違反|不要遵守).{0,30}(?:指令|指示|规则|規則|提示|命令)",
    r"(?:系统|系統)(?:提示|消息|訊息|指令)|你现在是|你現在是|从现在起你|從現在起你|假装你|假裝你",
    r"(?:执行|執行|运行|運行|调用|調用).{0,30}(?:命令|脚本|腳本|工具|函数|函數)",
    r"(?:透露|泄露|洩露|显示|顯示|发送|發送|告诉|告訴).{0,30}(?:密码|密碼|密钥|密鑰|令牌)",
    r"(?:指示|命令|ルール|規則|プロンプト|制約).{0,20}(?:無視|忘れ|破|従わ)",
    r"(?:無視|忘れ).{0,20}(?:指示|命令|ルール|規則|プロンプト)",
    r"システム.?(?:プロンプト|メッセージ|指示)|(?:あなたは|お前は|君は)(?:今から|これから|もう)",
    r"(?:コマンド|スクリプト|ツール|関数).{0,20}(?:実行|呼び出)",
    r"(?:パスワード|秘密|鍵|トークン).{0,20}(?:教え|見せ|送|表示|漏ら)",
    r"(?:지시|명령|규칙|프롬프트|지침).{0,20}(?:무시|잊|어겨|우회|따르지)",
    r"(?:무시|잊어).{0,20}(?:지시|명령|규칙|프롬프트|지침)",
    r"시스템 ?(?:프롬프트|메시지|지시)|(?:너는|넌|당신은) ?(?:이제|지금부터)",
    r"(?:명령어?|스크립트|도구|함수).{0,20}(?:실행|호출)",
    r"(?:비밀번호|암호|비밀|키|토큰).{0,20}(?:알려|보여|보내|공개|누설)",
    r"(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|อย่าสนใจ|ลืม|ฝ่าฝืน|ข้าม).{0,40}(?:คำสั่ง|กฎ|พรอมต์|คำแนะนำ)",
    r"(?:พรอมต์|ข้อความ|คำสั่ง)(?:ของ)?ระบบ|(?:ตอนนี้|จากนี้ไป)คุณ(?:คือ|เป็น)",
    r"(?:รัน|เรียกใช้|สั่งให้).{0,40}(?:คำสั่ง|สคริปต์|เครื่องมือ|ฟังก์ชัน)",
    r"(?:เปิดเผย|แสดง|ส่ง|บอก).{0,40}(?:รหัสผ่าน|ความลับ|คีย์|โทเคน)",
)
# Who says so of one sentence means what stands around it, too.
_UNWANTED = (
    r"\b(?:do not|don'?t|never|not)\b.{0,30}\b(?:remember|memori[sz]e|record|save|store|write down)\b"
    r".{0,12}\b(?:this|that|it|these|what|my|anything|any of)\b|\boff the record\b",
    r"\b(?:merke?|speichere?|behalte?|notiere?)\b.{0,40}\bnicht\b|\bunter uns gesagt\b"
    r"|\bnicht\b.{0,30}\b(?:merken|merkst|speichern|speicherst|behalten|notieren)\b",
    r"\bне (?:нужно |надо |хочу, чтобы ты )?(?:запомина|запомнил|сохраня|записыва)\w*",
    r"(?:不要|别|別|不用|不必)(?:记|記|保存|记录|記錄)",
    r"(?:覚え|記憶し|保存し|記録し)ない(?:で|ように)",
    r"(?:기억|저장|기록)하지 ?(?:마|말)",
    r"(?:ไม่ต้อง|อย่า)(?:จำ|จด|บันทึก)",
)
_QUESTION = (
    r"[?？]\s*$",
    r"(?:吗|呢|か|かな|나요|니까|ไหม|มั้ย|หรือเปล่า|หรือยัง)[。.]?\s*$",
)
_DENSE = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.DOTALL)


ASKED = _any_of(_ASKED)
PREFERENCE = _any_of(_PREFERENCE)
DECISION = _any_of(_DECISION)
CONTACT = _any_of(_CONTACT)
RULE = _any_of(_RULE)
FACT = _any_of(_FACT)
INJECTION = _any_of(_INJECTION)
QUESTION = _any_of(_QUESTION)
UNWANTED = _any_of(_UNWANTED)
# Where one character says as much as several letters.
DENSE = re.compile(_DENSE)


def captured(messages: Sequence[str], limit: int = MOST_A_CONVERSATION) -> list[str]:
    """The sentences of a user's messages to keep, at most `limit`, in the order they were said."""
    kept: list[str] = []
    if limit < 1:
        return kept
    for message in messages:
        # One trick anywhere in a message makes all of it suspect.
        if looks_like_injection(message) or UNWANTED.search(message[:_MOST_MESSAGE]):
            continue
        for sentence in _sentences(message):
            if is_worth_keeping(sentence) and sentence not in kept:
                kept.append(sentence)
                if len(kept) >= limit:
                    return kept
    return kept


def is_worth_keeping(sentence: str) -> bool:
    """Whether a sentence looks like a preference, a decision, a contact or a request to remember."""
    shortest = _SHORTEST_DENSE if DENSE.search(sentence) else _SHORTEST
    if not shortest <= len(sentence) <= _LONGEST or QUESTION.search(sentence):
        return False
    if looks_like_injection(sentence) or UNWANTED.search(sentence):
        return False
    return any(kind.search(sentence) for kind in (ASKED, PREFERENCE, DECISION, CONTACT, RULE))


def looks_like_injection(text: str) -> bool:
    """Whether a text tries to give orders to a model that will read it later."""
    return INJECTION.search(text[:_MOST_MESSAGE]) is not None


def category_of(text: str) -> Category:
    """What kind of memory a text is."""
    if PREFERENCE.search(text):
        return "preference"
    if DECISION.search(text):
        return "decision"
    if CONTACT.search(text):
        return "entity"
    if FACT.search(text):
        return "fact"
    return "other"


def _sentences(message: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(message[:_MOST_MESSAGE]):
        sentence = " ".join(found[0].split()).lstrip("-*> ")
        if sentence:
            yield sentence
