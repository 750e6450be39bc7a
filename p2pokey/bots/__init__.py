"""Automatic players: choose a move from a View and nothing else."""
