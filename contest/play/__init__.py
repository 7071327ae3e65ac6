"""Playing: from the rows and files of a round to what its game is given, and back."""
