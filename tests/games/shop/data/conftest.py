"""A shop of four customers that a person can check by hand, and a legal entry for it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

import pytest

from games.shop.data.check import CheckedEntry, check_entry, check_tables
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData

MASTER = b"""\
101,f,1950/1/31,France
102,m,1960/12/1,Germany
103,f,1970/5/5,France
104,f,1980/2/29,Spain
"""
TRANSACTIONS = b"""\
101,9001,2010/12/1,8:45,22728,3.75,24
101,9001,2010/12/1,8:45,22727,3.75,24
102,9002,2010/12/3,10:03,21724,0.85,12
103,9003,2011/1/7,0:00,POST,18,1
104,9004,2011/2/28,23:59,22728,10.5,3
"""
ENTRY = {
    "M.csv": b"d,f,1980/2/29,Spain\na,f,1950/1/31,France\nb,m,1960/12/1,Germany\nc,f,1970/5/5,France\n",
    "T.csv": b"""\
a,1,2010/12/1,8:45,22728,3.75,24
a,1,2010/12/1,8:45,22727,3.75,24
b,2,2010/12/3,10:03,21724,0.85,12
c,3,2011/1/7,0:00,POST,18,1
d,4,2011/2/28,23:59,22728,10.5,3
""",
    "P.csv": b"4\n1\n2\n3\n",
}

Check = Callable[..., CheckedEntry]


@pytest.fixture(scope="session")
def small() -> PurchaseData:
    checked = check_tables(io.BytesIO(MASTER), io.BytesIO(TRANSACTIONS), FileRules().max_bytes)
    assert checked.data is not None
    return checked.data


@pytest.fixture
def check(small: PurchaseData) -> Check:
    """Check the legal entry with some of its files replaced."""

    def run(files: Mapping[str, bytes] | None = None, rules: FileRules | None = None) -> CheckedEntry:
        merged = {**ENTRY, **(files or {})}
        streams = {name: io.BytesIO(data) for name, data in merged.items()}
        return check_entry(streams, small, rules or FileRules())

    return run
