"""What asks in scripts that are searched by pieces of words.

It is cut out of a question before the question is taken apart, so that no piece reaches from what asks
into the words beside it: such a piece stands in a note only by chance.
"""

from __future__ import annotations

from typing import Final

from memdown.values import pattern

# What asks in scripts without spaces.
_ASKERS: Final = pattern(
    "为什么|為什麼|什么时候|什麼時候|是什么|叫什么|什么|什麼|甚麼|哪些|哪一个|哪个|哪個|哪里|哪裡|哪一|哪(?!吒)|谁|誰|多少"
    "|怎么样|怎么|怎麼|何时|何時|何处|何種|何种|为何|如何|[吗嗎](?!啡)|呢"
    "|何(?=[がをとにのでか年人時月日回個歳]|$)|どのような|どのように|どこ|(?<![なほ])どの|なぜ|いくつ|いくら|でしょうか$|ですか$|ましたか$|ますか$|たか$|るか$"
    "|무엇\\w*|누구\\w*|어디\\w*|언제\\w*|얼마\\w*|어느|어떤|몇"
    "|อะไรบ้าง|คืออะไร|อะไร|คือใคร|ใคร(?!่)|ที่ไหน|ที่ใด|เมื่อไหร่|เมื่อไร|เมื่อใด|อย่างไร|ทำไม|เท่าไหร่|เท่าไร|เท่าใด"
    "|เพราะเหตุใด|เหตุใด|สิ่งใด|ใด|ไหน|กี่|หรือไม่"
)
# Shorter parts say too little beside others.
_LEAST: Final = 2


def without_askers(run: str) -> list[str]:
    """The parts of a run beside what asks in it; none if nothing does, or if nothing is left."""
    parts = _ASKERS.split(run)
    return [part for part in parts if len(part) >= _LEAST] if len(parts) > 1 else []
