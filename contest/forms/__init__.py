"""Forms: what people may type, and the sentences they get when it is wrong."""
