"""The benchmark protections of a household panel: Table 6 of Li, Schneider, Yu, Gupta (2022)."""
