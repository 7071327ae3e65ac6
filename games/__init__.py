"""Games: what a kind of contest is, the laws that all of them keep, and those that come with the house."""
