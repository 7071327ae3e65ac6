"""What the API says about the files of an upload, of all formats together."""

from __future__ import annotations

ARCHIVE = "Zip of M.csv, T.csv, P.csv; of AT.csv; or of A.csv."
MEANINGS = {
    "master": "2016: M′",
    "transactions": "2016: T′",
    "truth": "2016: P; kept secret.",
    "released": "2017: A(T); 2018: A",
}
"""By the field of a file."""
