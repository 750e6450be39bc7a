"""Waiting for a view of an engine without asking for it again and again."""

import asyncio
from collections.abc import Callable
from typing import Any

from tests.web.local_engine import LocalEngine


async def until(engine: LocalEngine, condition: Callable[[dict[str, Any]], bool]) -> None:
    """Waits for a view for which the condition holds."""
    changed = asyncio.Event()
    end = engine.subscribe(changed.set)
    while not condition(engine.view()):
        changed.clear()
        await changed.wait()
    end()
