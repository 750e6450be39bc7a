"""The sans-IO machine of one hand: rounds, turns, disclosure, blame."""
