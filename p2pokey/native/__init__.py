"""What the ports are on a computer: libsodium, Ed25519, SPAKE2, OS entropy, disk."""
