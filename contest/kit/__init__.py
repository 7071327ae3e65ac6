"""The kit of a round: everything with which a team works offline and gets the platform's own numbers."""
