"""The audit log, its verifier, and the order in which rows are locked while both are written."""
