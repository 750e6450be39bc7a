"""`p2pokey signal`: runs the signalling server until it is stopped."""

import asyncio
import os

from p2pokey.cli.exits import CommandError, ExitCode, HungUp, Terminated
from p2pokey.cli.output import Output
from p2pokey.cli.running import run_async
from signaling.config import ServerConfig
from signaling.server import serve


def run_server(
    output: Output, *, host: str, port: int, json_progress: bool, exit_with_stdin: bool
) -> int:
    """Serves until Ctrl-C (130), SIGHUP (129) or SIGTERM, the usual stop of a server (0)."""
    config = ServerConfig(host=host, port=port)
    try:
        run_async(_serve(output, config, json_progress), until_stdin_ends=exit_with_stdin)
    except HungUp:
        raise
    except Terminated:
        return ExitCode.OK
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host} port {port}: {_reason(error)}.",
            advice="Choose another address with --host and --port; port 0 takes any free one.",
            code=ExitCode.USAGE,
        ) from error
    return ExitCode.OK


def _reason(error: OSError) -> str:
    """The system's words; asyncio puts longer ones of its own around them."""
    number = error.errno or 0
    return os.strerror(number) if number > 0 else error.strerror or str(error)


async def _serve(output: Output, config: ServerConfig, json_progress: bool) -> None:
    server = await serve(config)
    try:
        if json_progress:
            output.record({"event": "Listening", "url": server.url})
        else:
            output.data(f"listening on {server.url}")
        await asyncio.Event().wait()
    finally:
        await server.close()
