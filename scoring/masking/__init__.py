"""How well masked columns keep what analysts ask of them, and how much they still tell of the originals."""
