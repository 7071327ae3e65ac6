"""The three steps of `itemset-clusters`: few clusters of item sets, spending, and receipts rebuilt."""
