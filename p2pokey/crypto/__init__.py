"""Ristretto255 arithmetic and proofs; knows nothing of tiles or turns (docs/protocol.md)."""
