"""What people really upload, and the first thing that they read about it."""

from __future__ import annotations

import csv
import html
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from contest.models import Entry, Round, Team
from contest.pages.dry_run import check_upload
from contest.pages.problem_summary import verdict_context
from contest.services.tokens import create_token
from games.shop.data.folder import write_dataset
from kakurenbo.main import main
from tests.factories import (
    as_zip,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    small_data,
    work_off,
)

pytestmark = [pytest.mark.django_db, pytest.mark.once]

Files = dict[str, bytes]
Change = Callable[[Files], Files]
HEADERS = {
    "M.csv": ["customer_id", "gender", "birthday", "country"],
    "T.csv": ["customer_id", "receipt_id", "date", "time", "item_id", "unit_price", "quantity"],
    "P.csv": ["row"],
}
DATE, TIME, ITEM, PRICE, QUANTITY = 2, 3, 4, 5, 6


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(slug="demo"))


@pytest.fixture
def team(round_: Round) -> Team:
    team = make_team(round_.contest, "Neko House")
    # Keys of teams begin again in every test, and a team has few checks per minute.
    cache.delete(f"dry-run-{team.pk}")
    return team


def rows_of(raw: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(raw.decode())))


def written(rows: list[list[str]], **options: object) -> bytes:
    out = io.StringIO()
    csv.writer(out, **{"lineterminator": "\n", **options}).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().encode()


def each(name: str, change: Callable[[bytes], bytes]) -> Change:
    """The whole of one file, or of all of them, changed."""
    return lambda files: {file: change(raw) if name in (file, "all") else raw for file, raw in files.items()}


def rewritten(header: bool = False, **options: object) -> Change:
    """All files by Python's csv, with other options."""

    def change(files: Files) -> Files:
        head = {name: [HEADERS[name]] if header else [] for name in files}
        return {name: written(head[name] + rows_of(raw), **options) for name, raw in files.items()}

    return change


def cells(name: str, rank: int, change: Callable[[str], str]) -> Change:
    """Every cell of one column, changed."""

    def rows(raw: bytes) -> bytes:
        return written([[*row[:rank], change(row[rank]), *row[rank + 1 :]] for row in rows_of(raw)])

    return each(name, rows)


def us_date(text: str) -> str:
    year, month, day = text.split("/")
    return f"{month}/{day}/{year}"


def german_date(text: str) -> str:
    year, month, day = text.split("/")
    return f"{day}.{month}.{year}"


def as_r_writes(files: Files) -> Files:
    """write.csv(row.names=FALSE): names and texts in quotes, numbers bare."""
    return {
        name: written([HEADERS[name]], quoting=csv.QUOTE_ALL)
        + b"".join(
            b",".join(
                b'"%s"' % cell if not cell.replace(b".", b"").isdigit() else cell for cell in line.split(b",")
            )
            + b"\n"
            for line in raw.splitlines()
        )
        for name, raw in files.items()
    }


def with_index(raw: bytes) -> bytes:
    """to_csv() of pandas: a nameless first column counts the rows."""
    rows = rows_of(raw)
    return written([["", *map(str, range(len(rows[0])))], *([str(n), *row] for n, row in enumerate(rows))])


def row_names(raw: bytes) -> bytes:
    """write.csv of R: names and row numbers in quotes."""
    rows = rows_of(raw)
    head = ["", *HEADERS["T.csv"]]
    return written([head, *([str(n), *row] for n, row in enumerate(rows, 1))], quoting=csv.QUOTE_ALL)


def decimal_commas(raw: bytes) -> list[list[str]]:
    return [[*row[:5], f"{float(row[5]):.2f}".replace(".", ","), row[6]] for row in rows_of(raw)]


def in_shift_jis(raw: bytes) -> bytes:
    """Every country is Japan, in Japanese, as Excel in Japan saves it."""
    return written([[*row[:3], "日本"] for row in rows_of(raw)]).decode().encode("shift_jis")


def workbook() -> bytes:
    return as_zip({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"})


def sheet() -> bytes:
    """As LibreOffice saves a spreadsheet: the kind of file comes first, not compressed."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as bundle:
        bundle.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        bundle.writestr("content.xml", "<office:document-content/>")
    return archive.getvalue()


def check(round_: Round, team: Team, files: Files) -> tuple[bool, list[str], list[str]]:
    """Whether the files would be accepted, the codes of the causes, those of the notes."""
    verdict = check_upload(round_, team, io.BytesIO(as_zip(files)), {})
    causes = [remark.code for remark in verdict.remarks if not remark.accepted]
    return verdict.ok, causes, [remark.code for remark in verdict.remarks if remark.accepted]


ACCEPTED: dict[str, tuple[Change, set[str]]] = {
    "a byte order mark": (each("all", lambda raw: b"\xef\xbb\xbf" + raw), set()),
    "CRLF": (each("all", lambda raw: raw.replace(b"\n", b"\r\n")), set()),
    "no final newline": (each("all", lambda raw: raw.removesuffix(b"\n")), set()),
    "a folder and junk": (
        lambda files: {
            **{f"entry/{name.lower()}": raw for name, raw in files.items()},
            "__MACOSX/entry/._m.csv": b"x",
            "entry/.DS_Store": b"x",
        },
        set(),
    ),
    "a readme beside": (lambda files: {**files, "readme.txt": b"hello"}, {"others-ignored"}),
    "a readme in the folder": (
        lambda files: {**{f"e/{name}": raw for name, raw in files.items()}, "e/notes/readme.md": b"hello"},
        {"others-ignored"},
    ),
    "files called by what they hold": (
        lambda files: {
            "master.csv": files["M.csv"], "transactions.csv": files["T.csv"], "Truth.csv": files["P.csv"]
        },
        {"other-name"},
    ),
    "write.csv of R": (as_r_writes, {"quoted-cells", "header-row"}),
    "QUOTE_ALL of pandas": (rewritten(quoting=csv.QUOTE_ALL), {"quoted-cells"}),
    "QUOTE_ALL with CRLF": (rewritten(quoting=csv.QUOTE_ALL, lineterminator="\r\n"), {"quoted-cells"}),
    "a header row": (rewritten(header=True), {"header-row"}),
    "a header row with other words": (
        each("M.csv", lambda raw: "ID,性別,誕生日,国\n".encode() + raw), {"header-row"}
    ),
    "semicolons": (rewritten(delimiter=";"), {"other-separator"}),
    "tabs and a header": (rewritten(header=True, delimiter="\t"), {"other-separator", "header-row"}),
    "quotes and semicolons": (
        rewritten(quoting=csv.QUOTE_ALL, delimiter=";"), {"quoted-cells", "other-separator"}
    ),
}  # fmt: skip

REFUSED: dict[str, tuple[Change, str, str]] = {
    "decimal commas": (
        lambda files: {**files, "T.csv": written(decimal_commas(files["T.csv"]), delimiter=";")},
        "wrong-separator",
        "The cells are separated by semicolons.",
    ),
    "dates of a US Excel": (cells("T.csv", DATE, us_date), "cell-form", "dates as month/day/year"),
    "dates of a German Excel": (cells("T.csv", DATE, german_date), "cell-form", "dates as day.month.year"),
    "ISO dates": (
        cells("T.csv", DATE, lambda text: text.replace("/", "-")), "cell-form", "dates as YYYY-MM-DD"
    ),
    "times with seconds": (
        cells("T.csv", TIME, lambda text: text + ":00"),
        "cell-form", "times with seconds"
    ),
    "M and T swapped": (
        lambda files: {**files, "M.csv": files["T.csv"], "T.csv": files["M.csv"]},
        "swapped-files",
        "This looks like T.csv, and that one like M.csv.",
    ),
    "P in the place of T": (
        lambda files: {**files, "T.csv": files["P.csv"]}, "wrong-file", "This looks like P.csv."
    ),
    "Shift_JIS": (
        each("M.csv", in_shift_jis),
        "other-encoding",
        "The text is encoded in Shift_JIS.",
    ),
    "UTF-16": (
        each("M.csv", lambda raw: raw.decode().encode("utf-16")), "other-encoding", "encoded in UTF-16"
    ),
    "UTF-16 without a mark": (
        each("M.csv", lambda raw: raw.decode().encode("utf-16-le")), "other-encoding", "encoded in UTF-16"
    ),
    "lone CR": (
        each("M.csv", lambda raw: raw.replace(b"\n", b"\r")),
        "line-ends", "The lines end in CR alone."
    ),
    "a workbook as M.csv": (
        each("M.csv", lambda raw: workbook()), "excel-file", "This is an Excel workbook, not a CSV file."
    ),
    "an old workbook as M.csv": (
        each("M.csv", lambda raw: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        "excel-file", "Excel workbook"
    ),
    "no bytes": (each("M.csv", lambda raw: b""), "file-empty", "The file is empty."),
    "blank lines": (
        each("M.csv", lambda raw: b"\r\n\r\n\n"), "file-empty", "The file is empty but for blank lines."
    ),
    "an index column": (
        each("T.csv", with_index), "index-column", "The first column looks like a row index."
    ),
    "exponents": (
        cells("T.csv", QUANTITY, lambda text: f"{int(text)}e0"), "cell-form", "numbers with an exponent"
    ),
    "thousands with commas": (
        each("T.csv", lambda raw: written([[*row[:5], "1,000.00", row[6]] for row in rows_of(raw)])),
        "commas-inside",
        "Cells in quotes hold commas, such as “1,000.00”.",
    ),
    "Arabic digits": (
        cells("T.csv", QUANTITY, lambda text: "٣"), "cell-form", "numbers in the digits of another script"
    ),
    "full-width digits": (
        cells("T.csv", QUANTITY, lambda text: "３"), "cell-form", "numbers in full-width digits"
    ),
    "whole numbers as decimals": (
        cells("T.csv", QUANTITY, lambda text: text + ".0"), "cell-form", "whole numbers with .0 at the end"
    ),
    "trailing spaces": (
        cells("M.csv", 1, lambda text: text + " "),
        "cell-form", "texts with a space at the beginning or the end"
    ),
    "no-break spaces": (
        cells("M.csv", 1, lambda text: text + "\u00a0"), "cell-form", "a no-break space (U+00A0)"
    ),
    "quotes inside ids": (
        each("M.csv", lambda raw: b"".join(b'a"' + line + b"\n" for line in raw.splitlines())),
        "cell-form",
        "a quotation mark",
    ),
    "capital letters": (cells("M.csv", 1, str.upper), "cell-form", "words whose capital letters differ"),
    "P counted from 0": (
        cells("P.csv", 0, lambda text: str(int(text) - 1)),
        "counts-from-zero", "P counts the rows of M from 0."
    ),
    "P as pseudonyms": (
        lambda files: {**files, "P.csv": written([row[:1] for row in rows_of(files["M.csv"])])},
        "pseudonyms-in-p",
        "P holds pseudonyms, not row numbers.",
    ),
    "German thousands": (
        cells("T.csv", PRICE, lambda text: "1.000,00"),
        "commas-inside", "Cells in quotes hold commas, such as “1.000,00”."
    ),
    "German thousands between semicolons": (
        lambda files: {
            **files,
            "T.csv": written(
                [[*row[:5], "1.000,00", row[6]] for row in rows_of(files["T.csv"])], delimiter=";"
            ),
        },
        "wrong-separator",
        "Separate them by commas, and write decimals with a point.",
    ),
    "large exponents": (
        cells("T.csv", QUANTITY, lambda text: "1e3"), "cell-form", "numbers with an exponent, such as “1e3”"
    ),
    "zero-width spaces": (
        cells("M.csv", 1, lambda text: text + "\u200b"), "cell-form", "ZERO WIDTH SPACE (U+200B)"
    ),
    "full-width spaces": (
        cells("M.csv", 1, lambda text: text + "\u3000"), "cell-form", "a full-width space (U+3000)"
    ),
    "an OpenDocument sheet as T.csv": (
        each("T.csv", lambda raw: sheet()), "open-document-file", "This is an OpenDocument spreadsheet"
    ),
    "row names of R": (
        each("T.csv", row_names), "index-column", "The first column looks like a row index."
    ),
    "people twice in M": (
        lambda files: cells("M.csv", 0, lambda text: rows_of(files["M.csv"])[0][0])(files),
        "repeated-ids",
        "lines repeat an id that an earlier line has",
    ),
    "columns in another order": (
        each("M.csv", lambda raw: written([row[::-1] for row in [HEADERS["M.csv"], *rows_of(raw)]])),
        "column-order",
        "The columns are in another order: country, birthday, gender, customer_id.",
    ),
    "an HTML page": (each("T.csv", lambda raw: b"<!DOCTYPE html><html></html>"), "no-table", "the kind HTML"),
}  # fmt: skip


def test_the_list_of_odd_uploads_is_long_enough() -> None:
    assert len(ACCEPTED) + len(REFUSED) >= 40


@pytest.mark.parametrize("name", ACCEPTED)
def test_files_whose_meaning_is_certain_are_accepted_and_the_page_says_how(
    round_: Round, team: Team, name: str
) -> None:
    change, notes = ACCEPTED[name]
    ok, causes, said = check(round_, team, change(dict(entry_files())))
    assert ok, causes
    assert (set(said), causes) == (notes, [])


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_upload_begins_with_its_cause(round_: Round, team: Team, name: str) -> None:
    change, code, words = REFUSED[name]
    verdict = check_upload(round_, team, io.BytesIO(as_zip(change(dict(entry_files())))), {})
    assert not verdict.ok
    first = verdict.remarks[0]
    assert (first.code, first.accepted) == (code, False), list(map(str, verdict.remarks))
    assert words in str(first)


def test_the_command_line_says_the_same_sentences(
    round_: Round, team: Team, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    write_dataset(tmp_path / "original", small_data())
    upload = tmp_path / "upload"
    changes = [change for change, *_ in (*ACCEPTED.values(), *REFUSED.values())]
    for change in changes:
        packed = as_zip(change(dict(entry_files())))
        upload.write_bytes(packed)
        cache.delete(f"dry-run-{team.pk}")
        verdict = check_upload(round_, team, io.BytesIO(packed), {})
        assert main(["check", "--original", str(tmp_path / "original"), "--entry", str(upload)]) == (
            0 if verdict.ok else 1
        )
        told = capsys.readouterr().out
        said = [f"{'note' if it.accepted else it.certainty}: {it}" for it in verdict.remarks]
        assert told.splitlines()[: len(said)] == said
        kinds = verdict_context(verdict)["problem_kinds"]
        for kind in kinds if any(kind.count > 3 for kind in kinds) else ():
            column = f", column {kind.column}" if kind.column else ""
            assert f"{kind.count} × {kind.file}{column} [{kind.code}]" in told


def test_a_quoted_entry_is_stored_and_scored_as_the_plain_one(round_: Round, team: Team) -> None:
    plain = make_entry(round_, team)
    odd = make_entry(round_, team, rewritten(header=True, quoting=csv.QUOTE_ALL)(dict(entry_files())))
    work_off()
    plain.refresh_from_db()
    odd.refresh_from_db()
    assert (plain.state, odd.state) == (Entry.State.VALID, Entry.State.VALID)
    assert (odd.published, odd.measures, odd.utility) == (plain.published, plain.measures, plain.utility)
    assert plain.remarks == []
    assert {remark["code"] for remark in odd.remarks} == {"quoted-cells", "header-row"}


def test_a_refused_entry_keeps_its_causes(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, cells("T.csv", DATE, us_date)(dict(entry_files())))
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.INVALID
    assert [(remark["code"], remark["column"]) for remark in entry.remarks] == [("cell-form", "date")]


def test_a_file_over_the_limit_is_told_with_both_sizes(team: Team, round_: Round) -> None:
    limit = 400
    round_.file_rules = {**round_.file_rules, "max_bytes": limit}
    files = {name: io.BytesIO(raw) for name, raw in entry_files().items()}
    verdict = check_upload(round_, team, None, files)
    size = len(entry_files()["T.csv"])
    said = [str(remark) for remark in verdict.remarks]
    told = f"T.csv: The file has {size:,} bytes; at most {limit} are allowed."
    assert told in said
    files = {name: raw for name, raw in entry_files().items() if name == "T.csv"}
    packed = check_upload(round_, team, io.BytesIO(as_zip(files)), {})
    assert [str(remark) for remark in packed.remarks] == [told]


def test_an_upload_over_the_limit_is_told_with_both_sizes(team: Team, round_: Round, settings) -> None:
    packed = as_zip(dict(entry_files()))
    settings.UPLOAD_MAX_BYTES = len(packed) - 1
    client = Client()
    client.force_login(team.memberships.get().user)
    url = f"{round_.get_absolute_url()}upload/"
    answer = client.post(url, {"archive": SimpleUploadedFile("e.zip", packed)})
    told = f"The upload has {len(packed):,} bytes; at most {len(packed) - 1:,} are allowed."
    assert told in answer.content.decode()
    assert not team.entries.exists()


def test_a_workbook_in_the_place_of_the_zip_is_one_sentence(round_: Round, team: Team) -> None:
    verdict = check_upload(round_, team, io.BytesIO(workbook()), {})
    assert [remark.code for remark in verdict.remarks] == ["excel-file"]


def test_customers_twice_are_one_group(round_: Round, team: Team) -> None:
    files = dict(entry_files())
    first = rows_of(files["M.csv"])[0][0]
    verdict = check_upload(round_, team, io.BytesIO(as_zip(cells("M.csv", 0, lambda text: first)(files))), {})
    n = files["M.csv"].count(b"\n")
    assert dict(verdict.counts)["M.csv", "customer_id", "duplicate-id"] == n - 1


@pytest.mark.parametrize(
    "raw",
    [
        b'"' * 3_000_000,
        b'"a' * 1_000_000 + b"\n",
        b";" * 2_000_000 + b"\n",
        b"\0" * 2_000_000,
        b"a," * 1_000_000,
        b'"x"\n' * 500_000,
        b"\r" * 1_000_000,
    ],
    ids=["quotes", "open quotes", "separators", "NUL bytes", "a huge line", "quoted lines", "returns"],
)
def test_hostile_files_are_explained_within_bounds(round_: Round, team: Team, raw: bytes) -> None:
    files = {name: io.BytesIO(raw if name == "T.csv" else plain) for name, plain in entry_files().items()}
    verdict = check_upload(round_, team, None, files)
    assert not verdict.ok
    assert len(verdict.remarks) <= 12
    assert all(len(str(remark)) < 1000 for remark in verdict.remarks)


def test_a_bomb_beside_the_files_is_never_opened(round_: Round, team: Team) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, raw in entry_files().items():
            bundle.writestr(name, raw)
        bundle.writestr("bomb.txt", bytes(300_000_000))
    archive.seek(0)
    verdict = check_upload(round_, team, archive, {})
    assert verdict.ok
    assert [remark.code for remark in verdict.remarks] == ["others-ignored"]


def test_the_same_files_again_are_asked_about_and_cost_nothing(round_: Round, team: Team) -> None:
    client = Client()
    client.force_login(team.memberships.get().user)
    url = f"{round_.get_absolute_url()}upload/"

    packed = as_zip(dict(entry_files()))

    def post(**more: str) -> HttpResponse:
        archive = SimpleUploadedFile("e.zip", packed)
        return client.post(url, {"archive": archive, **more})

    assert post().status_code == 302
    asked = post()
    assert asked.status_code == 422
    assert "These are the files of entry #1 again" in asked.content.decode()
    assert 'name="again"' in asked.content.decode()
    assert team.entries.count() == 1
    assert post(again="1").status_code == 302
    assert team.entries.count() == 2


def test_the_list_of_problems_is_a_file_for_its_team_alone(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, cells("T.csv", DATE, us_date)(dict(entry_files())))
    work_off()
    address = f"{entry.get_absolute_url()}problems.csv"
    client = Client()
    client.force_login(team.memberships.get().user)
    rows = list(csv.DictReader(io.StringIO(client.get(address).content.decode("utf-8-sig"))))
    assert {(row["file"], row["column"], row["code"]) for row in rows} == {("T.csv", "date", "bad-date")}
    assert {int(row["of_kind"]) for row in rows} == {entry_files()["T.csv"].count(b"\n")}
    stranger = make_team(round_.contest, "Strangers").memberships.get().user
    client.force_login(stranger)
    assert client.get(address).status_code == 404


def test_the_api_and_the_page_say_the_same_causes(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, cells("T.csv", DATE, us_date)(dict(entry_files())))
    work_off()
    entry.refresh_from_db()
    client = Client()
    client.force_login(team.memberships.get().user)
    contest = round_.contest.slug
    token = create_token(team.memberships.get().user, "laptop", ["read"], 7)
    address = f"/api/v1/contests/{contest}/rounds/{round_.slug}/entries/{entry.pk}/"
    told = Client().get(address, headers={"authorization": f"Bearer {token}"}).json()
    (remark,) = told["remarks"]
    assert (remark["code"], remark["column"], remark["accepted"]) == ("cell-form", "date", False)
    assert told["kinds"][0]["count"] == told["problem_total"] == entry.problem_total
    assert len(told["kinds"][0]["first"]) == 3
    page = client.get(entry.get_absolute_url()).content.decode()
    assert html.escape(remark["cause"]) in page or remark["cause"] in page
