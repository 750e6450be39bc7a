"""Pictures for the README: `python -m tests.web.real.pictures [FOLDER]`.

Four real programs play a real hand; what their pages show is what a friend would see. Every run shows
another hand, as no program lets anybody choose the tiles.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.web.browser.browsing import DESKTOP, PHONE
from tests.web.real.playing import Player, Seen, is_to_move
from tests.web.real.seating import all_seated, host, join, verified
from tests.web.real.visiting import Guest, House, open_house

NAMES = ("Ayşe", "Baran", "Ceren", "Deniz")
COLOURS = 128
"""By area, and as many again that differ most: else the felt takes all, and blue tiles come out green."""
BUSY = 4
"""Melds on the table in the picture of it, at least."""


class Camera:
    """Writes what a page shows into one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    async def take(self, guest: Guest, name: str, size: tuple[int, int] = DESKTOP) -> None:
        """One picture, once nothing moves or glows any more."""
        page = guest.page
        await page.set_viewport_size({"width": size[0], "height": size[1]})
        await page.mouse.move(0, 0)
        await guest.see("body:not(:has(.toast, .fresh, dialog[open]))")
        await page.wait_for_timeout(1500)
        image = Image.open(BytesIO(await page.screenshot(timeout=60_000))).convert("RGB")
        path = self.folder / f"{name}.png"
        with_few_colours(image).save(path, optimize=True)
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def with_few_colours(image: Image.Image) -> Image.Image:
    """The picture in the 256 colours that a small file may have."""
    rough = image.point(lambda value: value & 0xF0 | 8)
    different = sorted(colour for _, colour in rough.getcolors(1 << 24) or [])
    strip = Image.new("RGB", (len(different), 1))
    strip.putdata(different)
    palette = Image.new("P", (1, 1))
    colours: list[int] = []
    for source in (image, strip):
        colours += (source.quantize(COLOURS).getpalette() or [])[: 3 * COLOURS]
    palette.putpalette(colours)
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


async def tell(house: House, camera: Camera) -> None:
    """An evening in pictures."""
    guests = [await house.enter(name) for name in NAMES]
    await camera.take(guests[0], "lobby")
    link = await host(guests[0], "101-rising", "Assisted")
    for guest in guests[1:]:
        await join(guest, link)
    await all_seated(guests)
    await _say(guests[1], "herkese selam")
    await _say(guests[2], "bol şans!")
    shown = guests[0]
    await _play_on(guests, _is_busy)
    while await shown.page.locator(".result").count():  # it was over before
        for guest in guests:
            await guest.click(".result footer .primary")
        await asyncio.gather(*(guest.see(".rack [data-tile]") for guest in guests))
        await _play_on(guests, _is_busy)
    await shown.click("[data-act=sort-runs]")
    await camera.take(shown, "table")
    await camera.take(shown, "phone", PHONE)
    await shown.page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    await shown.click("button.trust")
    await camera.take(shown, "proof")
    await shown.click("#tab-chat")
    await _play_on(guests, lambda seen: seen["shown"])
    await asyncio.gather(*(verified(guest) for guest in guests))
    await camera.take(shown, "result")
    await shown.click(".result footer button:has-text('Leave')")
    await shown.see(".lobby")
    await shown.click("nav button:has-text('Saved')")
    await shown.click(".cards button:has-text('Watch'), .cards button")
    await shown.see(".replay .replay-tiles")
    steps = await shown.read("view.replay.steps")
    for _ in range(steps * 2 // 3):
        await shown.click(".scrubber .buttons button:nth-child(4)")
    await camera.take(shown, "replay")


def _is_busy(seen: Seen) -> bool:
    game = seen["game"]
    return is_to_move(seen) and game["phase"] == "draw" and len(game["melds"]) >= BUSY


async def _say(guest: Guest, text: str) -> None:
    await guest.page.locator(".say input").fill(text)
    await guest.page.keyboard.press("Enter")


async def _play_on(guests: list[Guest], there: Callable[[Seen], bool]) -> None:
    """All play until the first one's page looks like that, or the hand is over."""
    others = [
        asyncio.create_task(Player(guest, hints=True, seed=n).play_hand(3000))
        for n, guest in enumerate(guests[1:])
    ]
    first = Player(guests[0], hints=True)
    await first.play_until(lambda seen: seen["shown"] or there(seen), 3000)
    for other in others:
        other.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def take_pictures(folder: Path) -> None:
    """Leaves all pictures in that folder."""
    with tempfile.TemporaryDirectory(prefix="p2pokey-pictures-") as home:
        async with open_house(Path(home), server=True) as house:
            await tell(house, Camera(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes pictures of the page.")
    parser.add_argument("folder", nargs="?", default="docs/images", type=Path)
    asyncio.run(take_pictures(parser.parse_args().folder))


if __name__ == "__main__":
    main()
