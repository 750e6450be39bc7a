"""`python -m signaling`: runs the server until SIGINT or SIGTERM, then stops gracefully."""

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import Sequence

from signaling.config import ServerConfig, read_flags
from signaling.server import serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program.

    Prints one line with the address to standard output; logs go to standard error.

    Returns:
        0 after a stop, 1 if the address cannot be had.
    """
    config, level = read_flags(arguments)
    logging.basicConfig(level=level.upper(), format="%(asctime)s %(levelname)s %(message)s")
    try:
        asyncio.run(_run(config))
    except OSError as error:
        sys.stderr.write(f"cannot listen on {config.host} port {config.port}: {error}\n")
        return 1
    except KeyboardInterrupt:  # where signal handlers cannot be set; the server has stopped
        pass
    return 0


async def _run(config: ServerConfig) -> None:
    server = await serve(config)
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
    sys.stdout.write(f"listening on {server.url}\n")
    sys.stdout.flush()
    try:
        await stop.wait()
    finally:
        await server.close()


if __name__ == "__main__":
    sys.exit(main())
