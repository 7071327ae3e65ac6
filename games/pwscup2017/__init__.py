"""PWSCUP 2017: which pseudonym has each customer of a shop in each of twelve months?"""
