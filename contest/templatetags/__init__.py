"""Filters and tags of the templates: numbers, cards, charts, Markdown, translated sentences."""
