"""Archives of earlier versions: what they hold in another form is converted to the current form."""

from __future__ import annotations

import datetime
from typing import Any

from contest.models.house_order import RECEIVED_WITHIN
from contest.records.verify import BadArchive

Row = dict[str, Any]
Tables = dict[str, list[Row]]


LATER = (
    "award", "gamepackage", "illustration", "question", "reveal", "seat", "stillboard", "storedboard",
)  # fmt: skip
"""Tables that archives lack where no round was played by a game, no award given, no question asked and no
board frozen yet."""


def bring_up_to_date(tables: Tables) -> None:
    """Before there were orders, a house entry was known by the job that made it."""
    for name in LATER:
        tables.setdefault(name, [])
    if "houseorder" in tables or "job" not in tables:
        return
    try:
        tables["houseorder"] = _orders(tables)
    except (KeyError, TypeError, ValueError) as error:
        raise BadArchive(f"rows/job.jsonl: no job for a house entry ({error!r}).") from None


def _orders(tables: Tables) -> list[Row]:
    asked = {
        row["subject_id"]: row["actor"]
        for row in tables["auditevent"]
        if row["verb"] == "house_entry.requested" and row["subject"].startswith("job ")
    }
    made: set[int | None] = set()
    orders = []
    for job in tables["job"]:
        is_made = job["state"] == "done"
        entry = _entry(tables, job, made) if is_made else None
        made.add(entry)
        orders.append(
            {
                "id": job["id"],
                "round": job["payload"]["round"],
                "method": job["payload"]["method"],
                "parameters": job["payload"]["parameters"],
                "seed": job["payload"].get("seed"),
                "commitment": _commitment(tables, job["payload"]),
                "requested_by": asked.get(job["id"]),
                "requested_at": job["created_at"],
                "state": "made" if is_made else "failed",
                "reason": "" if is_made else job["reason"],
                "entry": entry,
            }
        )
    return orders


def _entry(tables: Tables, job: Row, made: set[int | None]) -> int | None:
    """The entry that a job handed in, where it can be distinguished from the others."""
    payload = job["payload"]
    house = {row["id"] for row in tables["team"] if row["is_house"]}
    finished = datetime.datetime.fromisoformat(job["finished_at"])
    for row in tables["entry"]:
        is_like_it = (row["round"], row["method"]) == (payload["round"], payload["method"])
        if not is_like_it or row["team"] not in house or row["id"] in made:
            continue
        late = datetime.datetime.fromisoformat(row["received_at"]) - finished
        if datetime.timedelta(0) <= late <= RECEIVED_WITHIN:
            return int(row["id"])
    return None


def _commitment(tables: Tables, payload: Row) -> int | None:
    wanted = (payload["round"], "house", payload.get("commitment"))
    found = (row for row in tables["commitment"] if (row["round"], row["what"], row["version"]) == wanted)
    return next((int(row["id"]) for row in found), None)
