"""Transcript in, findings out; never imports the machine that it checks."""
