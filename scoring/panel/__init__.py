"""What a marketer reads from a household panel, and how far protection distorts it."""
