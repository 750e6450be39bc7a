"""What every screen must stand: axe without findings, nothing too small, nothing sideways."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

AXE = "axe-core@4.10.3"
CACHE = Path("build/axe")
MIN_TARGET_PX = 24

_TOO_SMALL = """() => [...document.querySelectorAll(
  'button, a, select, input:not(.sr), summary, [role=option][data-tile], [role=tab]')]
  .filter(e => e.offsetParent !== null && !e.closest('[inert]'))
  .map(e => {
    const target = e.matches('.segments input, .game input') ? e.parentElement : e;
    return [target.getBoundingClientRect(), e];
  })
  .filter(([r, e]) => r.width > 0 && (r.width < %d || r.height < %d))
  .map(([r, e]) => `${e.outerHTML.slice(0, 90)} ${r.width}x${r.height}`)"""
_OUTSIDE = """() => [...document.querySelectorAll('#app *')]
  .filter(e => e.offsetParent !== null && e.getBoundingClientRect().right > innerWidth + 1)
  .filter(e => { for (let p = e.parentElement; p; p = p.parentElement) {
    const s = getComputedStyle(p).overflowX; if (s !== 'visible') return false; } return true; })
  .map(e => e.outerHTML.slice(0, 90))"""


def axe_script() -> Path:
    """axe-core from the npm registry, fetched once into build/; for tests only."""
    given = os.environ.get("P2POKEY_AXE")
    path = Path(given) if given else CACHE / "package" / "axe.min.js"
    if not path.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("no npm on this computer to fetch axe-core with")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as own:  # others may be fetching it, too
            command = [npm, "pack", AXE, "--silent"]
            done = subprocess.run(command, cwd=own, capture_output=True, text=True, check=True)
            shutil.unpack_archive(Path(own, done.stdout.split()[-1]), own, "gztar")
            Path(own, "package", path.name).replace(path)
    return path


async def inspect(page: Page, name: str) -> None:
    """Fails for serious and critical findings of axe, with what was found."""
    if not await page.evaluate("typeof axe === 'object'"):
        # By the debugger's way, not as an element: the policy of the page allows no other script.
        await page.evaluate(axe_script().read_text("utf-8"))
    found: Any = await page.evaluate(
        """() => axe.run(document, {resultTypes: ['violations']}).then(r => r.violations
        .filter(v => ['serious', 'critical'].includes(v.impact))
        .map(v => [v.id, v.help, v.nodes.slice(0, 4).map(n => [n.html.slice(0, 160), n.failureSummary])]))"""
    )
    assert found == [], f"{name}: {found}"


async def measure(page: Page, name: str) -> None:
    """Fails for anything that is wider than the window, and for targets under 24 x 24 px."""
    wide = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"{name}: {wide} {await page.evaluate(_OUTSIDE)}"
    small = await page.evaluate(_TOO_SMALL % (MIN_TARGET_PX, MIN_TARGET_PX))
    assert small == [], f"{name}: {small}"
