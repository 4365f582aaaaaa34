"""A page that is stopped while it starts, as a process of its own: the browser of other tests keeps an event loop
running in theirs."""

from __future__ import annotations

import signal
import traceback
from pathlib import Path

from memdown import Memory
from memdown.web.serving import running_ports, serve


def stop_as_it_starts(folder: Path, state: Path, *signals: signal.Signals) -> None:
    """Serve, with the signals as soon as there is a link: one lets what stands there complete, as later code
    may hold locks; a second one does not wait."""
    announced = []

    def announce(url: str, token_file: Path) -> None:
        assert token_file.exists()
        for number in signals:
            signal.raise_signal(number)
        announced.append(url)

    interrupted: list[str] | None = None
    with Memory.open(folder, state_dir=state) as memory:
        try:
            serve(memory, port=0, announce=announce)
        except KeyboardInterrupt as stop:
            interrupted = [entry.name for entry in traceback.extract_tb(stop.__traceback__)]
    assert running_ports(state) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert (interrupted is not None) == (signal.SIGINT in signals)
    cut_short = interrupted is not None and "announce" in interrupted
    assert cut_short == (len(signals) > 1)
    assert bool(announced) != cut_short
