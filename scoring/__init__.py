"""Measures of utility and of risk, and the rules made of them."""
