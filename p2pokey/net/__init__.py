"""All network I/O of a peer: signalling client, invites, WebRTC mesh."""
