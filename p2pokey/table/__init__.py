"""The sans-IO table: seats, session, match of several hands, score sheet."""
