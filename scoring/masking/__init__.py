"""How well masked columns keep what analysts need, and how much they still reveal of the originals."""
