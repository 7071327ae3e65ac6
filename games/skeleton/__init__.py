"""A game to start from: `kakurenbo game new` copies this folder."""
