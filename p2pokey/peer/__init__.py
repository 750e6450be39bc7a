"""The asyncio runner shared by the command line and the page."""
