"""Worked examples of the house methods: computed by the methods themselves on made-up shops."""
