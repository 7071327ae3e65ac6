"""The algorithms behind the methods; they know neither contests nor parameters given by people."""
