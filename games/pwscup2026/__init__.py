"""PWSCUP 2026: overlapping cohorts of health checks; membership and the hidden time are attacked."""
