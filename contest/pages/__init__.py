"""What each page shows, as plain values; templates only lay them out."""
