"""The asyncio runner that command line, page and demo share: one table, its links, its journal."""
