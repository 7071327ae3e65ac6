"""Words: translation of what the numerics say, Markdown, and the catalogue of texts."""
