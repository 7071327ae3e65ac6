"""Pictures made on the server: numbers become shapes, shapes become SVG or PNG, and the numbers a table.

`chart` says what a picture is, `axes` scales and ticks, a module for each kind of picture draws it, `svg` and
`png` write it. `round_pictures`, `entry_pictures` and `dataset_pictures` know which pictures there are.
"""

from contest.charts.board_map import utility_risk_map as utility_risk_map
