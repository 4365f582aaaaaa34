"""A small workspace in several languages, with the embedder that comes with the install."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

NOTES: Mapping[str, str] = {
    "MEMORY.md": """\
# Memory

- Mira prefers oolong tea and dislikes coffee.
- The team deploys on Thursdays, never on Fridays.
- Mail goes to mira@example.org, not to the old address.
""",
    "memory/home-network.md": """\
# Home network

## Router

The router is a TP-Link ER605 with firmware 2.1.4.
Its admin page is http://192.168.0.1 and the guest network is off.

## Printer

The printer in the study is a Brother HL-L2350DW; it takes toner TN-2420.
""",
    "memory/2025-05-21.md": """\
# 2025-05-21

- Fixed the crash in `parse_config`: KeyError: 'memorySearch' in src/settings/loader.py line 88.
- Commit a828e60 went out with the fix.
""",
    "memory/2026-06-02.md": """\
# 2026-06-02

- Dinner with Sam at the harbour; he starts a new job at the observatory in August.
- 🎂 Lena's birthday party needs a lemon cake.
""",
    "memory/many-tongues.md": """\
# Termine

- 牙医预约在星期三下午三点，地址是南京西路。
- 歯医者の予約は水曜日の三時です。
- 치과 예약은 수요일 세 시에 있다.
- นัดหมอฟันวันพุธบ่ายสามโมง
- הפגישה עם דני נדחתה ליום חמישי.
- موعد طبيب الأسنان يوم الأحد.
- Приём у зубного врача в среду в три часа.
- Der Zahnarzttermin ist am Mittwoch um drei Uhr.
""",
    "memory/garden.md": """\
# Garden

Tomatoes are sown in March on the window sill.
The compost heap is turned every six weeks.
The apple tree by the fence is a Boskoop, planted in 2011.
""",
}


def write(folder: Path, notes: Mapping[str, str] = NOTES) -> Path:
    """The notes as files in a folder."""
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder
