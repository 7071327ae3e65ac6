"""Rows of the database as lines of an archive, and back. An archive numbers the rows of each table itself."""

from __future__ import annotations

import copy
import datetime
import math
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Field, ForeignKey, JSONField, Model

from contest.archive.tables import PERSON, TABLES, Link, Table, table_name
from contest.models import AuditEvent, Contest, User
from contest.records.verify import SHA256, BadArchive

Numbers = dict[str, dict[int, int]]
"""Table → number there → number here: primary keys to row numbers when writing, the reverse when reading."""
Row = dict[str, Any]


def rows_of(contest: Contest) -> dict[str, list[Row]]:
    """All archived rows of a contest by table. Call it inside one snapshot of the database."""
    objects = {table.name: list(table.rows(contest)) for table in TABLES}
    numbers: Numbers = {
        name: {row.pk: number for number, row in enumerate(found, start=1)} for name, found in objects.items()
    }
    people = list(User.objects.filter(pk__in=_people(objects)).order_by("pk"))
    numbers[PERSON] = {user.pk: number for number, user in enumerate(people, start=1)}
    rows = {PERSON: [{"id": number, "name": user.username} for number, user in enumerate(people, start=1)]}
    for table in TABLES:
        rows[table.name] = [
            {"id": number, **_row(table, row, numbers)}
            for number, row in enumerate(objects[table.name], start=1)
        ]
    return rows


def _people(objects: Mapping[str, list[Any]]) -> set[int]:
    """Everybody to whom a row refers."""
    columns = {
        table.name: [column for column, target in table.references.items() if target == PERSON]
        for table in TABLES
    }
    found = {
        getattr(row, f"{column}_id") for name in objects for column in columns[name] for row in objects[name]
    }
    return found - {None}


def _row(table: Table, row: Any, numbers: Numbers) -> Row:
    values = {column.name: _value(column, row, numbers) for column in table.columns}
    team = table.team(row)
    if team is not None and not team.in_archive:
        values |= copy.deepcopy(dict(table.private))
    values |= table.blank(row)
    for column, links in table.links.items():
        for link in links:
            values[column] = relinked(values[column], link, numbers)
    if isinstance(row, AuditEvent):
        values["subject_id"] = numbers.get(subject_table(row.subject), {}).get(row.subject_id or 0)
    return values


def _value(column: Field[Any, Any], row: Model, numbers: Numbers) -> Any:
    value = getattr(row, column.attname)
    if isinstance(column, ForeignKey) and value is not None:
        return numbers[table_name(column.remote_field.model)][value]
    return as_json(value)


def as_json(value: Any) -> Any:
    """A value of a row as JSON can hold it: times in UTC, and unbounded numbers as text."""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def subject_table(subject: str) -> str:
    """The table of what an audit row is about: "entry 12" is about a row of the entries."""
    return subject.partition(" ")[0]


def relinked(value: Any, link: Link, numbers: Numbers) -> Any:
    """The same JSON with the primary key inside it replaced by its number on the other side."""
    within, key, model = link
    known = numbers[table_name(model)]
    parts: Iterable[Any] = [value] if within is None else value
    changed = [
        {**part, key: known[part[key]]} if isinstance(part, dict) and part.get(key) in known else part
        for part in parts
    ]
    return changed[0] if within is None else changed


def object_of(table: Table, row: Row, numbers: Numbers) -> Model:
    """An unsaved row of the database from a line of an archive; what does not fit is refused."""
    where = f"rows/{table.name}.jsonl, row {row['id']}"
    columns = {column.name: column for column in table.columns}
    unknown = sorted(set(row) - set(columns) - {"id"})
    if unknown:
        raise BadArchive(f"{where}: this version knows no column {unknown[0]!r}; import it with a newer one.")
    made = table.model()
    for name, column in columns.items():
        if name in row:
            setattr(made, column.attname, _checked(column, row[name], numbers, f"{where}, column {name}"))
        elif name in table.before:
            setattr(made, column.attname, table.before[name])
        elif not (column.has_default() or column.null or column.blank):
            raise BadArchive(f"{where}: column {name!r} is missing.")
    for name in table.maps:
        _check_map(getattr(made, name), f"{where}, column {name}")
    for name, links in table.links.items():
        for link in links:
            setattr(made, name, relinked(getattr(made, name), link, numbers))
    if isinstance(made, AuditEvent):
        made.subject_id = numbers.get(subject_table(made.subject), {}).get(made.subject_id or 0)
    return made


def _check_map(value: Any, where: str) -> None:
    """Several files: hashes by name."""
    if not isinstance(value, dict) or not all(SHA256.fullmatch(str(sha256)) for sha256 in value.values()):
        raise BadArchive(f"{where}: got {value!r:.200}, expected names with hashes.")
    for name in value:
        require_plain(name, where)


def require_plain(name: str, where: str) -> None:
    """Files of games are written into folders under their names, so no name may lead out of one."""
    parts = name.split("/")
    if "\\" in name or not all(part.isprintable() and part not in ("", ".", "..") for part in parts):
        raise BadArchive(f"{where}: got {name!r:.200}, expected the name of a file.")


def _checked(column: Field[Any, Any], value: Any, numbers: Numbers, where: str) -> Any:
    """A value as its column wants it. SQLite would take anything, so it is checked here."""
    if value is None:
        if not column.null:
            raise BadArchive(f"{where}: got null, expected a value.")
        return None
    if isinstance(column, ForeignKey):
        known = numbers[table_name(column.remote_field.model)]
        if not isinstance(value, int) or value not in known:
            raise BadArchive(f"{where}: got {value!r}, expected the number of an archived row.")
        return known[value]
    if isinstance(column, JSONField):
        return value
    try:
        cleaned = column.to_python(value)
        column.run_validators(cleaned)
    except (ValidationError, TypeError, ValueError, OverflowError) as error:
        detail = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise BadArchive(f"{where}: got {value!r}: {detail}") from None
    choices = column.flatchoices
    if cleaned == "" and column.blank:
        return cleaned
    if choices and cleaned not in {choice for choice, _ in choices}:
        raise BadArchive(f"{where}: got {value!r}, expected one of {[choice for choice, _ in choices]}.")
    return cleaned
