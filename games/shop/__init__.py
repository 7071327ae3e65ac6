"""What the games about shops share: tables in boxes, verbs, limits, ranking rules and declarations."""
