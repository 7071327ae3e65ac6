"""PWSCUP 2016: who is who among the customers of a shop and their purchases?"""
