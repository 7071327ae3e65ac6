"""The tables of shops: reading, checking, writing and inventing them."""
