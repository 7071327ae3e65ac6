"""Utility measures of shops, one file each."""
