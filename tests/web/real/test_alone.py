"""The page talks to its own program and to nobody else, and never holds what is secret."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from tests.web.real.playing import Player
from tests.web.real.seating import begin_solo, verified
from tests.web.real.visiting import Guest, House, visit

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1000)]

STORED = {"p2pokey-token", "p2pokey-hand", "p2pokey-log"}
"""The token of this launch, how the rack lies with what is not sent yet, and the list of moves."""
BLOCKED = ["connect-src", "connect-src", "img-src", "script-src-elem", "style-src-elem"]
_STORAGE = """() => [localStorage, sessionStorage].map(
  store => Object.fromEntries(Object.keys(store).map(key => [key, store.getItem(key)])))"""
_REACH_OUT = """async (address) => {
  const blocked = [];
  document.addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
  await fetch(address).catch(() => null);
  const image = new Image();
  image.src = address;
  const script = document.createElement("script");
  script.src = address;
  document.head.append(script);
  const style = document.createElement("style");
  style.textContent = "body { outline: 1px solid red }";
  document.head.append(style);
  try { new WebSocket(address.replace("http", "ws")); } catch {}
  await new Promise((done) => setTimeout(done, 300));
  return blocked.sort();
}"""


def _frames_to(guest: Guest) -> list[str]:
    """Everything that the program sends to pages opened from now on."""
    frames: list[str] = []

    def hear(data: Any) -> None:
        frames.append(data if isinstance(data, str) else data.decode())

    guest.page.on("websocket", lambda socket: socket.on("framereceived", hear))
    return frames


def _secrets(home: Path) -> list[str]:
    """The keys that the program keeps for itself."""
    found = [path.read_text("ascii").split()[-1] for path in home.rglob("identity*.key")]
    assert found
    return found


def test_nothing_is_asked_of_anybody_else_and_no_secret_reaches_the_page(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guest = await house.enter("Selin")
        frames = _frames_to(guest)
        answer = await guest.page.reload()
        assert answer is not None
        policy = (await answer.all_headers())["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        for name in ("Saved", "Statistics", "Settings"):
            await guest.click(f"nav button:has-text('{name}')")
            await guest.see("#page-title")
        await guest.click("nav button:has-text('Play')")
        await begin_solo(guest, "classic")
        await Player(guest, hints=True).play_hand()
        await verified(guest)
        await guest.page.locator("button.trust").click()
        await guest.see(".proof")

        own = guest.address.split("#")[0]
        token = guest.address.split("#t=")[1]
        assert guest.page.url == own
        allowed = (own, own.replace("http", "ws", 1), "data:")
        assert [url for url in guest.requests if not url.startswith(allowed)] == []
        assert any(url.startswith("ws") for url in guest.requests)
        assert not any(token in url.split("#")[0] for url in guest.requests)

        kept, of_tab = await guest.page.evaluate(_STORAGE)
        assert kept == {}
        assert set(of_tab) <= STORED
        assert of_tab["p2pokey-token"] == token
        arrangement = of_tab.get("p2pokey-hand", "") + of_tab.get("p2pokey-log", "")
        assert re.findall(r"[0-9a-f]{16}", arrangement) == []

        told = "\n".join(frames)
        assert '"k":"view"' in told
        for secret in _secrets(guest.folder / "home"):
            assert secret not in told
        assert guest.errors == []

    visit(tmp_path, play)


def test_a_page_that_was_tampered_with_reaches_nobody(tmp_path: Path) -> None:
    async def play(house: House) -> None:
        guest = await house.enter("Selin")
        reached: list[object] = []
        outside = await asyncio.start_server(lambda *ends: reached.append(ends), "127.0.0.1", 0)
        async with outside:
            port = outside.sockets[0].getsockname()[1]
            blocked = await guest.page.evaluate(_REACH_OUT, f"http://127.0.0.1:{port}/")
        assert blocked == BLOCKED
        assert reached == []

    visit(tmp_path, play)
