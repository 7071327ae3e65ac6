"""The demo contests of the house as data: their names, who plays, and what each team does."""
