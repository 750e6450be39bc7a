"""How much script a page runs in each frame, from the browser's own trace."""

import json
from typing import Any

from playwright.async_api import Browser, Page

CATEGORIES = [
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "blink.user_timing",
    "v8",
]
SCRIPT = {"FunctionCall", "EventDispatch", "FireAnimationFrame", "EvaluateScript", "RunMicrotasks"}
FRAME_MS = 1000 / 60
STEPS = 240


async def drag_frames(browser: Browser, page: Page) -> list[float]:
    """Drags a tile of the rack to and fro; milliseconds of script in each frame with a move in it."""
    box = await page.locator(".rack [data-tile]").first.bounding_box()
    rack = await page.locator(".rack").bounding_box()
    felt = await page.locator(".felt").bounding_box()
    assert box is not None
    assert rack is not None
    assert felt is not None
    await browser.start_tracing(page=page, categories=CATEGORIES)
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await page.mouse.down()
    for n in range(STEPS):
        part = n % 60 / 60
        x = rack["x"] + rack["width"] * (part if n // 60 % 2 == 0 else 1 - part)
        low, high = rack["y"] + rack["height"] * 0.8, felt["y"] + felt["height"] * 0.5
        await page.mouse.move(x, low + (high - low) * (n % 30) / 30)
    await page.keyboard.press("Escape")
    await page.mouse.up()
    return script_per_frame(json.loads(await browser.stop_tracing())["traceEvents"])


def script_per_frame(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of script a frame, of those in which the pointer moved.

    Processor time of the page's own thread where the browser tells it: what else the computer does
    must not count as script.
    """
    threads = {
        e["args"]["name"]: (e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"
    }
    moved = [e for e in events if e["name"] == "EventDispatch" and _type(e) == "pointermove"]
    assert moved, f"no pointer was moved on any of {sorted(threads)}"
    page = (moved[0]["pid"], moved[0]["tid"])
    own = [e for e in events if (e["pid"], e["tid"]) == page]
    script = _outermost([e for e in own if e["name"] in SCRIPT and e["ph"] == "X"])
    frames: dict[int, float] = {}
    first = min(e["ts"] for e in moved)
    for event in script:
        frame = int((event["ts"] - first) / 1000 / FRAME_MS)
        frames[frame] = frames.get(frame, 0.0) + event.get("tdur", event["dur"]) / 1000
    wanted = {int((e["ts"] - first) / 1000 / FRAME_MS) for e in moved}
    return [frames[frame] for frame in sorted(wanted) if frame in frames]


def _type(event: dict[str, Any]) -> str:
    kind: str = event.get("args", {}).get("data", {}).get("type", "")
    return kind


def _outermost(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that are in no other."""
    found: list[dict[str, Any]] = []
    end = 0.0
    for event in sorted(events, key=lambda e: (e["ts"], -e.get("dur", 0))):
        if event["ts"] >= end and "dur" in event:
            found.append(event)
            end = event["ts"] + event["dur"]
    return found
