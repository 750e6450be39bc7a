"""`python -m p2pokey`: the command line."""

import sys

from p2pokey.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
