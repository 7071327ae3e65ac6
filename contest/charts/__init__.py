"""Pictures made on the server: numbers become shapes, shapes become SVG or PNG, and the numbers a table.

`chart` says what a picture is, `axes` scales and ticks, a module for each kind of picture draws it, `svg` and
`png` write it. `contest.pages` decides which pictures a page has.
"""
