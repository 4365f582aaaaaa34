"""Chinese, Japanese and Thai sentences of made-up notes, and the facts in them."""

from __future__ import annotations

from collections.abc import Callable

from bench.scene import Fact, Language, Scene
from bench.words import listed

_ZH_SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧"
_ZH_GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉萍红建文斌宁晨雨欣"
_ZH_PLACE_STARTS = "东西南北青白云金石花龙凤长新古清"
_ZH_PLACE_ENDS = "山河桥林湖港湾镇村岭塘洲"
_ZH_THINGS = listed("""
水泵 合同 书架 传感器 发票 钥匙 电池 报告 自行车 暖气 相机 窗户 药箱 护照 菜谱 工具箱 信封 天线 账单 雨伞 阀门 照片 词典 船票 行李 台灯 图纸 保险单 苹果树 打印机
""")
_ZH_VERBS = listed(
    "检查 修理 更换 订购 测量 清洗 归还 借走 安装 打包 签收 拍摄 整理 卖掉 寄出 涂漆"
)
_ZH_STATES = listed("太旧 很贵 漏水 坏了 丢了 合适 太重 便宜 还没到 已经好了 需要清洗 有点松")
_ZH_ROOMS = listed("地下室 阳台 车库 厨房 办公室 仓库 楼梯间 花园 书房 码头 档案室 工作室")


def _zh_name(s: Scene) -> str:
    return s.pick(_ZH_SURNAMES) + s.pick(_ZH_GIVEN) + s.pick(_ZH_GIVEN)


def _zh_place(s: Scene) -> str:
    return s.pick(_ZH_PLACE_STARTS) + s.pick(_ZH_PLACE_ENDS)


_CHINESE: tuple[Callable[[Scene], str], ...] = (
    lambda s: f"{_zh_name(s)}今天在{s.pick(_ZH_ROOMS)}{s.pick(_ZH_VERBS)}了{s.pick(_ZH_THINGS)}。",
    lambda s: f"从{_zh_place(s)}来的{s.pick(_ZH_THINGS)}{s.pick(_ZH_STATES)}。",
    lambda s: (
        f"花了{s.number(9, 900)}元买{s.pick(_ZH_THINGS)}，{_zh_name(s)}觉得{s.pick(_ZH_STATES)}。"
    ),
    lambda s: (
        f"{s.number(1, 13)}月{s.number(1, 29)}日之前要{s.pick(_ZH_VERBS)}{s.pick(_ZH_THINGS)}。"
    ),
    lambda s: f"如果{s.pick(_ZH_THINGS)}又{s.pick(_ZH_STATES)}，先问{_zh_name(s)}。",
    lambda s: f"和{_zh_name(s)}去{_zh_place(s)}，路上谈了{s.pick(_ZH_THINGS)}的事。",
    lambda s: f"{s.product()}到了，{_zh_name(s)}已经{s.pick(_ZH_VERBS)}。",
)


def _zh_key(s: Scene) -> Fact:
    who, thing, where = _zh_name(s), s.pick(_ZH_THINGS), _zh_place(s) + s.pick(_ZH_ROOMS)
    return Fact(f"{who}把{thing}放在{where}。", f"{who}把{thing}放在哪里？", where, "script")


def _zh_born(s: Scene) -> Fact:
    who, where = _zh_name(s), _zh_place(s)
    return Fact(f"{who}的老家在{where}，每年回去一次。", f"{who}的老家在哪里？", where, "script")


_JA_NAME_STARTS = "田山川木森石小大高中西東北島岡松竹梅藤上"
_JA_NAME_ENDS = "田川村原野口本島崎沢井山谷藤木森"
_JA_THINGS = listed("""
契約書 ポンプ 本棚 センサー 領収書 電池 鍵 報告書 自転車 ボイラー カメラ 窓 薬箱 旅券 工具箱 封筒 アンテナ 請求書 傘 写真 辞書 切符 荷物 電灯 図面 りんごの木 印刷機
潮位計 地図 楽譜
""")
_JA_VERBS = listed("""
確認しました 修理しました 交換しました 注文しました 測りました 洗いました 返しました 借りました 取り付けました 送りました 片付けました 見つけました 売りました
""")
_JA_STATES = listed(
    "古すぎる 高い まだ届かない 壊れている 重い ちょうどいい 水が漏れる 少し緩い 見当たらない もう大丈夫だ"
)
_JA_ROOMS = listed("地下室 ベランダ 車庫 台所 事務所 倉庫 階段 庭 書斎 港 資料室 作業場")


def _ja_name(s: Scene) -> str:
    return s.pick(_JA_NAME_STARTS) + s.pick(_JA_NAME_ENDS)


_JAPANESE: tuple[Callable[[Scene], str], ...] = (
    lambda s: (
        f"{_ja_name(s)}さんが{s.pick(_JA_ROOMS)}で{s.pick(_JA_THINGS)}を{s.pick(_JA_VERBS)}。"
    ),
    lambda s: f"{s.pick(_JA_THINGS)}は{s.pick(_JA_STATES)}と{_ja_name(s)}さんが言った。",
    lambda s: f"{s.pick(_JA_THINGS)}に{s.number(500, 90000)}円払った。{s.pick(_JA_STATES)}と思う。",
    lambda s: f"{s.number(1, 13)}月{s.number(1, 29)}日までに{s.pick(_JA_THINGS)}を用意する。",
    lambda s: f"{_ja_name(s)}さんと{s.pick(_JA_ROOMS)}で{s.pick(_JA_THINGS)}について話しました。",
    lambda s: (
        f"{s.product()}を{s.pick(_JA_ROOMS)}に置いて、{s.pick(_JA_THINGS)}も{s.pick(_JA_VERBS)}。"
    ),
)


def _ja_number(s: Scene) -> Fact:
    who, thing, number = _ja_name(s), s.pick(_JA_THINGS), str(s.number(100, 9999))
    return Fact(
        f"{who}さんの{thing}は棚番号{number}にあります。",
        f"{who}さんの{thing}はどの棚番号ですか？",
        number,
        "script",
    )


def _ja_liking(s: Scene) -> Fact:
    who, room, thing = _ja_name(s), s.pick(_JA_ROOMS), s.pick(_JA_THINGS)
    return Fact(
        f"{who}さんは{room}に{thing}を忘れて帰りました。",
        f"{who}さんは{room}に何を忘れましたか？",
        thing,
        "script",
    )


_TH_NAME_STARTS = listed("สม วิ นภา กิต ธน มาลี รัต สุ ปรี อนุ ชล พิม วร ศิริ ณัฐ ภัทร")
_TH_NAME_ENDS = listed("ชัย พร วรรณ ศักดิ์ พล นันท์ รัตน์ ดา ภา ชาติ กุล วิทย์")
_TH_THINGS = listed("""
ปั๊มน้ำ สัญญา ชั้นหนังสือ เซ็นเซอร์ ใบเสร็จ กุญแจ แบตเตอรี่ รายงาน จักรยาน เตา กล้อง หน้าต่าง
กล่องยา หนังสือเดินทาง ตำราอาหาร กล่องเครื่องมือ ซองจดหมาย เสาอากาศ ใบแจ้งหนี้ ร่ม วาล์ว รูปถ่าย
พจนานุกรม ตั๋วเรือ
""")
_TH_VERBS = listed("ตรวจ ซ่อม เปลี่ยน สั่งซื้อ วัด ล้าง คืน ยืม ติดตั้ง ส่ง จัด หา ขาย ทาสี")
_TH_STATES = listed("""
เก่าเกินไป แพงมาก ยังมาไม่ถึง เสียแล้ว หนักไป พอดี น้ำรั่ว หลวมนิดหน่อย หายไป ใช้ได้แล้ว
""")
_TH_ROOMS = listed("""
ห้องใต้ดิน ระเบียง โรงรถ ห้องครัว สำนักงาน โกดัง บันได สวน ห้องหนังสือ ท่าเรือ ห้องเก็บเอกสาร
""")


def _th_name(s: Scene) -> str:
    return "คุณ" + s.pick(_TH_NAME_STARTS) + s.pick(_TH_NAME_ENDS)


_THAI: tuple[Callable[[Scene], str], ...] = (
    lambda s: f"{_th_name(s)}{s.pick(_TH_VERBS)}{s.pick(_TH_THINGS)}ที่{s.pick(_TH_ROOMS)}แล้ว",
    lambda s: f"{s.pick(_TH_THINGS)}จาก{s.place()}{s.pick(_TH_STATES)}",
    lambda s: (
        f"จ่ายค่า{s.pick(_TH_THINGS)}ไป {s.number(90, 9000)} บาท {_th_name(s)}บอกว่า{s.pick(_TH_STATES)}"
    ),
    lambda s: f"ต้อง{s.pick(_TH_VERBS)}{s.pick(_TH_THINGS)}ก่อนวันที่ {s.number(1, 29)}",
    lambda s: f"ถ้า{s.pick(_TH_THINGS)}{s.pick(_TH_STATES)}อีก ให้ถาม{_th_name(s)}ก่อน",
    lambda s: f"ไป{s.pick(_TH_ROOMS)}กับ{_th_name(s)} คุยเรื่อง{s.pick(_TH_THINGS)}",
)


def _th_number(s: Scene) -> Fact:
    who, thing, number = _th_name(s), s.pick(_TH_THINGS), str(s.number(100, 9999))
    return Fact(
        f"{who}เก็บ{thing}ไว้ในตู้หมายเลข {number}",
        f"{who}เก็บ{thing}ไว้ในตู้หมายเลขอะไร",
        number,
        "script",
    )


def _th_borrowed(s: Scene) -> Fact:
    who, thing, other = _th_name(s), s.pick(_TH_THINGS), _th_name(s)
    return Fact(f"{who}ให้{other}ยืม{thing}ไป", f"{who}ให้ใครยืม{thing}ไป", other, "script")


CHINESE = Language(
    name="zh",
    headings=("今天", "问题", "决定", "待办", "家里", "电话记录"),
    sentences=_CHINESE,
    facts=(_zh_key, _zh_born),
    chunk_chars=530,
    space="",
)
JAPANESE = Language(
    name="ja",
    headings=("今日", "質問", "決定", "予定", "家のこと", "電話"),
    sentences=_JAPANESE,
    facts=(_ja_number, _ja_liking),
    chunk_chars=500,
    space="",
)
THAI = Language(
    name="th",
    headings=("วันนี้", "คำถาม", "การตัดสินใจ", "สิ่งที่ต้องทำ", "ที่บ้าน", "โทรศัพท์"),
    sentences=_THAI,
    facts=(_th_number, _th_borrowed),
    chunk_chars=850,
)
