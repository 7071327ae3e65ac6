"""`python -m kakurenbo` is the command `kakurenbo`."""

import sys

from kakurenbo.main import main

if __name__ == "__main__":
    sys.exit(main())
