"""The signalling server: introduces peers to each other and sees nothing of the game."""
