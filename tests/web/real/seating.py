"""From the first screen to a table, by clicks."""

import asyncio
import time

from tests.web.real.visiting import WAIT_S, Guest


async def begin_solo(guest: Guest, rules: str) -> None:
    """A game against computer players that do not think long."""
    await guest.click("[data-choice=solo]")
    await choose_game(guest, rules)
    await guest.page.locator("#field-level").select_option("hard")
    await guest.click(".submit button")
    await guest.see(".table-screen")


async def choose_game(guest: Guest, rules: str) -> None:
    """Clicks on the card of a game."""
    await guest.click(f"label.game:has(input[value='{rules}'])")


async def host(guest: Guest, rules: str, *switches: str, bots: int = 0) -> str:
    """Opens a table without a timer; the link that is to be passed on, by the button that copies it.

    Args:
        bots: computer players who take seats.
        switches: labels of the form's switches to click, as they are read in English.
    """
    await guest.click("[data-choice=host]")
    await choose_game(guest, rules)
    await guest.page.locator("#field-timer_s").select_option("0")
    for switch in switches:
        label = guest.page.locator("label.switch", has_text=switch).first
        if not await label.is_visible():
            await guest.click(".setup > details summary")
        await label.click()
    if bots:
        await guest.page.locator("#field-bots").select_option(str(bots))
    await guest.click(".submit button")
    await guest.see(".gathering .link")
    await guest.page.locator(".invitation button").nth(1).click()
    copied: str = await guest.page.evaluate("navigator.clipboard.readText()")
    return copied


async def join(guest: Guest, link: str) -> None:
    """Pastes a link into the lobby and presses the button."""
    field = guest.page.locator(".choice.join input").first
    await field.fill(link)
    await guest.click(".choice.join button")
    await guest.see(".gathering, .table-screen")


async def all_seated(guests: list[Guest], seconds: float = WAIT_S) -> None:
    """Waits until every page shows the table, and the tiles of its rack."""
    await asyncio.gather(*(guest.see(".rack [data-tile]", seconds) for guest in guests))


async def verified(guest: Guest, seconds: float = WAIT_S) -> None:
    """Waits until the end screen says that all have replayed the hand to the same score."""
    until = time.monotonic() + seconds
    seats = await guest.read("view.table.seats")
    while time.monotonic() < until:
        trust = await guest.read("view.table.trust")
        if trust and trust["replayed"] == seats:
            assert trust["failed"] == 0, trust
            assert trust["state"] == "verified", trust
            assert trust["audit"]["status"] == "sound", trust
            await guest.see("button.trust.verified", 10)
            await guest.see(".result .proven", 10)
            return
        await asyncio.sleep(0.1)
    raise AssertionError(
        f"{guest.name}: never replayed by all: {await guest.read('view.table.trust')}"
    )


async def points_on_screen(guest: Guest) -> dict[str, str]:
    """Per name the points that the end screen shows."""
    rows = guest.page.locator(".seat-result")
    found = {}
    for n in range(await rows.count()):
        name = await rows.nth(n).locator("bdi").first.inner_text()
        found[name] = await rows.nth(n).locator(".points").inner_text()
    return found
