"""What the masking methods for any table share: the odds-ratio model, designs, ranks, normal draws."""
