"""A guest in a process of its own, for a test to kill. Arguments: server, code, name."""

import asyncio
import sys

import aioice.ice

from p2pokey.net import webrtc
from p2pokey.net.meeting import join_table
from tests.net.support import TOOLKITS


async def main(server, code, name):
    assert webrtc.host_addresses
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
    mesh = await join_table(signer=TOOLKITS[1].signer, name=name, invite=code, server=server)
    print("ready", flush=True)
    await asyncio.sleep(60)
    await mesh.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
