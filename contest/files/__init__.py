"""Files: the stores, the vault, snapshots of the database, and texts that no spreadsheet computes."""
