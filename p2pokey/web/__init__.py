"""The local server and the page."""
