"""The house attacks, one file each."""
