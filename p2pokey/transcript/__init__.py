"""The signed log of a hand: messages, their one encoding, chains and the file format."""
