"""The methods gallery's worked examples: computed by the methods themselves, drawn as pictures."""
