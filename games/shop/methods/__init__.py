"""Methods that make contest entries: from M and T to M′, T′ and the truth."""
