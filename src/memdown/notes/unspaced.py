"""Relations with one value at a time where no spaces part the words: Chinese, Japanese, Thai (pure functions)."""

from __future__ import annotations

import functools
from itertools import takewhile
from typing import Final, NamedTuple

from memdown.values import pattern

# Without spaces between words a relation is found by its signs: the thing, then the value, or the other way round.
_NOW_SIGNS: Final = pattern(
    r"现在|目前|已经|最近|如今|现|今は|今では|現在|最近は|แล้ว|ตอนนี้|[。.!！?？、,，\s]|了$|了(?=[。,，])"
)
_NOW_FIRST: Final = frozenset("现目已今")
_DIGITS: Final = r"[\d.:：一二三四五六七八九十百千万两零〇半]"
_VALUE_SIGNS: Final = pattern(
    rf"{_DIGITS}+|(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?"
)
# "Is", "rose to", "was put off to": all say which value it is.
_IS_SIGNS: Final = pattern(
    r"是|为|改成|改为|改到|改在|变成|换成|换到|调到|涨到|升到|降到|推迟到|延期到|提前到|定在|定为|到"
    r"|に(?:なりました|なった|変わりました|変更(?:になり|し|され)ました|延期(?:になり|し|され)ました|決まりました)|です|だ$|でした$"
    r"|ขึ้นเป็น|เพิ่มเป็น|ลดเหลือ|เลื่อนเป็น|เปลี่ยนเป็น|เป็น|คือ|号码|番号"
)
# What happened on a day, or is planned for one, may happen on another, too.
_EVENT_SIGNS: Final = pattern(
    rf"了{_DIGITS}|过{_DIGITS}|去|来|買|走り|行き|行った|食べ|ซื้อ|ไป(?!อยู่|ทำงาน)"
)
_FRAMES: Final = tuple(
    pattern(source)
    for source in (
        r"新?(?P<of>.+?)(?:新?的?名字)?(?P<name>改名叫|改叫|名叫|姓|叫)(?P<value>.+?)$",
        r"(?P<of>.+?)(?P<home>住在?|搬(?:到|去|进)|定居在?)(?P<value>.+?)住?$",
        r"(?P<of>.+?)(?P<home>は)(?P<value>.+?)に(?:住|引っ越)",
        r"(?P<of>.+?)(?P<home>อาศัยอยู่ที่|อยู่ที่|ย้ายไปอยู่ที่|ย้ายไปอยู่)(?P<value>.+)$",
        r"(?P<of>.+?)(?:在|去|到|跳槽(?:到|去)?|入职)(?P<value>.+?)(?P<work>上班|工作|任职)$",
        r"(?P<of>.+?)(?P<work>跳槽到|跳槽去|入职|加入)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<work>で働|に勤め|に転職|に就職)",
        r"(?P<of>.+?)(?:ย้ายไป)?(?P<work>ทำงานที่)(?P<value>.+)$",
        r"(?P<of>.+?)(?P<kept>[停放存挂摆收藏装]在)(?P<value>.+?)$",
        r"(?P<of>.+?)は(?P<value>.+?)(?P<kept>にあり|に置い|に止め)",
        r"(?P<of>.+?)(?:改?由|归|交给)(?P<value>.+?)(?P<lead>负责|管|主持|带|照顾|接送|教)$",
        r"(?P<value>.+?)(?P<lead>负责|主持|照顾|接送)(?P<of>.+?)$",
        r"(?P<of>.*?(?:老师|主任|经理|医生|大夫|教练|负责人|校长|房东|电话|地址|邮箱|名字|品牌|系统|语言|数据库|框架"
        r"|版本|银行|座位|房间|教室|酒店|司机|保姆|组长|队长|班长|老板|律师|会计|供应商|密码|口令|生日|颜色))"
        r"(?P<is>是|叫|为|换成|改成|变成|换)了?(?P<value>.+?)$",
        r"(?P<of>.*?(?:担当者?|先生|医者|医師|コーチ|店長|部長|課長|社長|大家さん?|電話|番号|住所|名前|場所|会議室|部屋"
        r"|席|教室|主治医|リーダー|監督|責任者|ホテル|言語|締め切り|パスワード))(?P<is>は)"
        r"(?P<value>.+?)(?:さん|先生)?(?:です|に(?:なり|交代|変わ|変え|変更|決ま).*)$",
    )
)
# What stands behind a thing's name, and what makes another thing of it: "the warehouse is", "of the warehouse".
_PARTICLES: Final = frozenset("はがをにの的是在有")
_OF_SIGNS: Final = frozenset("的の")


def is_part(old: str, new: str) -> bool:
    """Whether one is about a part of what the other is about, or about another of the same name: room A, the room."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if not common or common in (len(old), len(new)):
        return False
    for one, other in ((old[common], new[common]), (new[common], old[common])):
        if one in _OF_SIGNS and other not in _OF_SIGNS and other in _PARTICLES | _NOW_FIRST:
            return True
        if one.isascii() and one.isalnum() and other in _PARTICLES:
            return True
    return False


class _Slot(NamedTuple):
    relation: str
    of: str
    value: str


@functools.lru_cache(maxsize=8192)
def _slots(text: str) -> tuple[str, tuple[str, ...], tuple[_Slot, ...]]:
    """A text with its values left open, these values, and what it says of what."""
    plain = _NOW_SIGNS.sub("", text)
    template = _IS_SIGNS.sub("", _VALUE_SIGNS.sub("#", plain))
    found = []
    for frame in _FRAMES:
        if match := frame.match(plain):
            relation = next(
                name
                for name in ("name", "home", "work", "kept", "lead", "is")
                if match.groupdict().get(name)
            )
            found.append(_Slot(relation, match["of"].rstrip("的の"), match["value"]))
    return template, tuple(_VALUE_SIGNS.findall(plain)), tuple(found)


def restated_unspaced(old: str, new: str) -> bool:
    """The same for languages that write no spaces."""
    (template, values, slots), (other, ours, fresh) = _slots(old), _slots(new)
    if template == other and len(values) == len(ours) == 1 and values != ours:
        return not _EVENT_SIGNS.search(old)
    return any(
        one.relation == two.relation and one.of == two.of and one.value != two.value
        for one in slots
        for two in fresh
    )
