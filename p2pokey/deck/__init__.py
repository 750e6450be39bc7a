"""The masked deck of one hand: who can open which position, and the proof of it."""
