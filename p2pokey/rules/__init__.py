"""The rule systems: pure functions of public state; no keys, no clock, no I/O."""
