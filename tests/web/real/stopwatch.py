"""Watches a page from inside: when what was clicked, and when what was on the screen.

All pages of one computer read the same clock, so moments of different pages can be compared. A moment
counts when the frame that shows it begins; it is on the screen at the end of that frame.
"""

from typing import Any

from playwright.async_api import Page

_WATCH = """() => {
  const now = () => performance.timeOrigin + performance.now();
  const log = { clicks: [], tops: {}, racks: [], stages: [] };
  globalThis.p2pokeyLog = log;
  let stage = "", rack = 0;
  addEventListener("click", (event) => {
    const what = event.target.closest(".stack, .source.discard, .take, [data-act]");
    if (what) log.clicks.push([what.className, now()]);
  }, { capture: true });
  const look = () => requestAnimationFrame(() => {
    for (const tile of document.querySelectorAll(".heap okey-tile.top")) log.tops[tile.getAttribute("t")] ??= now();
    const held = document.querySelectorAll(".rack okey-tile[data-tile]").length;
    if (held !== rack) log.racks.push([rack = held, now()]);
    const table = globalThis.p2pokey.state.view?.table;
    const name = table ? `${table.trust?.shuffles?.length ? "" : "?"}${table.stage?.name}` : "";
    if (name !== stage) log.stages.push([stage = name, now()]);
  });
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  look();
}"""
_ROUND_TRIP = """async (times) => {
  const taken = [];
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now();
    await globalThis.p2pokey.act({ do: "nothing" }, { quiet: true });
    taken.push(performance.now() - begun);
  }
  return taken;
}"""


async def watch(page: Page) -> None:
    """Begins; the page must have been loaded."""
    await page.evaluate(_WATCH)


async def read(page: Page) -> dict[str, Any]:
    """What was seen so far, times in milliseconds:

    `clicks` [class, when], `tops` first sight of each tile on top of a pile, `racks` [tiles, when],
    `stages` [stage, when].
    """
    log: dict[str, Any] = await page.evaluate("globalThis.p2pokeyLog")
    return log


async def round_trips(page: Page, times: int) -> list[float]:
    """Milliseconds from the page to its program and back, with an intent that does nothing."""
    taken: list[float] = await page.evaluate(_ROUND_TRIP, times)
    return taken
