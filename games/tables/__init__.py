"""What games about one table share: methods that keep its declared rules, and attacks on its rows."""
